#include "random_program.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <vector>

#include "base/splitmix64.h"

namespace raddle::e::test {
namespace {

constexpr std::array<const char*, 8> kOperators = {"ADD", "SUB",  "AND", "OR",
                                                   "MAX", "MAXU", "MIN", "MINU"};

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 77) {}

  std::string run() {
    line(fmt::format("int A_[64] = [random({}, -40, 40)], B_[64] = [random({}, 0, 9)];", pick(999),
                     pick(999)));
    line("int C_[64], D_[64], E_[256], s_[8] = {5, -3, 7}, n_, m_;");
    line("int local[8];");
    line("int a = 3, b = 11, c;");
    line(fmt::format("int twice(int x) {{ if (x & 1) return {}; return x * 2; }}", common(1)));
    line("int$ mix(int x$, int k) { int y$ = x$ ^ k; return y$ * 3 + ($ & 7); }");
    line("void fill(int T_[], int n, int v) { #n: T_[$ & 63] = T_[$ & 63] + v * $; }");
    const std::size_t count = 3 + pick(5);
    for (std::size_t i = 0; i < count; ++i) top_statement();
    return std::move(text_);
  }

 private:
  std::uint64_t bits() { return next_splitmix64(state_); }
  std::size_t pick(std::size_t limit) { return bits() % limit; }
  bool chance(std::size_t percent) { return pick(100) < percent; }
  template <std::size_t N>
  std::string one_of(const std::array<const char*, N>& list) {
    return list[pick(N)];
  }
  void line(const std::string& text) { text_ += std::string(2 * depth_, ' ') + text + "\n"; }

  std::string number() {
    if (chance(10)) return "0x7fffffffffffffff";
    if (chance(10)) return "(-0x7fffffffffffffff)";
    return fmt::format("({})", static_cast<int>(pick(41)) - 8);
  }

  std::string binary(const std::string& left, const std::string& right) {
    constexpr std::array<const char*, 16> kSymbols = {
        "+", "-", "*", "&", "|", "^", "<", "<=", ">", ">=", "==", "!=", "&&", "||", "+", "-"};
    switch (pick(12)) {
      case 0: return fmt::format("({} << ({} & 15))", left, right);
      case 1: return fmt::format("({} >> ({} & 15))", left, right);
      case 2: return fmt::format("({} >>> ({} & 63))", left, right);
      case 3: return fmt::format("({} / ({} | 1))", left, right);
      case 4: return fmt::format("({} % ({} | 1))", left, right);
      case 5:
        return fmt::format("{}({}, {})",
                           one_of(std::array<const char*, 5>{"min", "max", "minu", "maxu", "ltu"}),
                           left, right);
      default: return fmt::format("({} {} {})", left, one_of(kSymbols), right);
    }
  }

  // A value of the flow. In flows of their own the parent's variables are still there to read.
  std::string common(int depth) {
    if (depth == 0 || chance(25)) {
      switch (pick(7)) {
        case 0: return "a";
        case 1: return "b";
        case 2: return "#";
        case 3: return shared_reads_ ? "s_[2]" : "c";
        case 4:
          return fmt::format("local[{} & 7]", one_of(std::array<const char*, 3>{"a", "b", "c"}));
        default: return number();
      }
    }
    if (chance(15)) {
      return fmt::format("({} ? {} : {})", common(depth - 1), common(depth - 1), common(depth - 1));
    }
    if (chance(10)) return fmt::format("({}{})", one_of(kUnary), common(depth - 1));
    return binary(common(depth - 1), common(depth - 1));
  }

  std::string fiber(int depth) {
    if (depth == 0 || chance(20)) {
      switch (pick(7)) {
        case 0:
        case 1: return "$";
        case 2: return shared_reads_ ? fmt::format("{}[$ & 63]", array()) : "$";
        case 3:
          return shared_reads_ ? fmt::format("{}[{} & 63]", array(), fiber_variable()) : "($ + 1)";
        case 4: return common(0);
        default: return fiber_variable();
      }
    }
    if (chance(15)) {
      return fmt::format("({} ? {} : {})", fiber(depth - 1), fiber(depth - 1), fiber(depth - 1));
    }
    if (chance(8)) return fmt::format("({}{})", one_of(kUnary), fiber(depth - 1));
    return binary(fiber(depth - 1), fiber(depth - 1));
  }

  std::string array() { return one_of(std::array<const char*, 4>{"A_", "B_", "C_", "D_"}); }

  std::string fiber_variable() {
    return variables_.empty() ? "$" : variables_[pick(variables_.size())];
  }

  std::string thickness() {
    return one_of(std::array<const char*, 10>{"1", "2", "7", "16", "33", "64", "100", "(a & 31)",
                                              "(b & 127)", "0"});
  }

  void top_statement() {
    switch (pick(13)) {
      case 0:
        return line(
            fmt::format("{} = {};", one_of(std::array<const char*, 3>{"a", "b", "c"}), common(2)));
      case 1:
        return line(fmt::format("local[{} & 7] {} {};", common(1),
                                one_of(std::array<const char*, 3>{"=", "+=", "^="}), common(2)));
      case 2: return line(fmt::format("s_[{}] = {};", pick(8), common(2)));
      case 3: return line(fmt::format("c = twice({}) + {};", common(1), common(1)));
      case 4: return line(fmt::format("fill({}, {}, {});", array(), pick(70), common(1)));
      case 5: return counted_loop();
      case 6: return flows();
      case 7:
        return line(fmt::format("for (c = 1, # = 63; c < 64; # -= c, c <<= 1) C_[$ + c] {} C_[$];",
                                one_of(std::array<const char*, 2>{"+=", "^="})));
      case 8:
        line(fmt::format("if ({})", common(2)));
        thick();
        if (chance(50)) {
          line("else");
          thick();
        }
        return;
      default: return thick();
    }
  }

  void counted_loop() {
    const std::string name = fmt::format("i{}", next_name_++);
    line(fmt::format("for (int {} = 0; {} < {}; {} += 1) {{", name, name, 1 + pick(4), name));
    ++depth_;
    if (chance(30)) line(fmt::format("if ({}) {};", common(1), chance(50) ? "break" : "continue"));
    line(fmt::format("c = c + {} * {};", name, common(1)));
    thick();
    --depth_;
    line("}");
  }

  // Each flow has its own quarter of E_.
  void flows() {
    const bool saved = shared_reads_;
    shared_reads_ = false;
    const std::string own = fmt::format("q{}", next_name_++);
    line(fmt::format("par ({} : {}) {{", own, 1 + pick(4)));
    ++depth_;
    line(fmt::format("int z = {} + {};", own, common(1)));
    line(fmt::format("#{}: E_[64 * {} + ($ & 63)] += $ * z + {};", thickness(), own, fiber(1)));
    if (chance(50)) {
      line(fmt::format("#20: multi{}({}, E_[64 * {} + {}], {});",
                       one_of(std::array<const char*, 4>{"", ".FS", ".S2", ".O2"}),
                       one_of(kOperators), own, chance(50) ? "3" : "($ & 3)", fiber(1)));
    }
    if (chance(50)) {
      line(fmt::format("#30: prefix{}(E_[64 * {} + 20 + $], {}, E_[64 * {} + {}], {});",
                       one_of(std::array<const char*, 3>{"", ".3MP", ".O3M"}), own,
                       one_of(kOperators), own, chance(50) ? "3" : "($ & 3)", fiber(1)));
    }
    --depth_;
    line("}");
    shared_reads_ = saved;
  }

  void thick() {
    line(fmt::format("#{}: {{", thickness()));
    ++depth_;
    const std::vector<std::string> saved = std::move(variables_);
    variables_.clear();
    const std::size_t count = 1 + pick(3);
    for (std::size_t i = 0; i < count; ++i) declare_fiber_variable();
    const std::size_t statements = 2 + pick(4);
    for (std::size_t i = 0; i < statements; ++i) fiber_statement(2);
    line(fmt::format("{}[$ & 63] = {};", array(), fiber_variable()));
    variables_ = saved;
    --depth_;
    line("}");
  }

  void declare_fiber_variable() {
    const std::string name = fmt::format("v{}$", next_name_++);
    line(fmt::format("int {} = {};", name, fiber(2)));
    variables_.push_back(name);
  }

  void fiber_statement(int nesting) {
    switch (pick(masked_ ? 9 : 14)) {
      case 0:
      case 1:
        return line(fmt::format("{} {} {};", fiber_variable_or_new(),
                                one_of(std::array<const char*, 4>{"=", "+=", "-=", "^="}),
                                fiber(2)));
      case 2:
        return line(fmt::format("{}[{} & 63] {} {};", array(), fiber(1),
                                one_of(std::array<const char*, 3>{"=", "+=", "|="}), fiber(2)));
      case 3: return multi();
      case 4: return prefix();
      case 5:
      case 6: return nesting > 0 ? choice(nesting) : multi();
      case 7: return nesting > 0 ? fiberwise_loop(nesting) : prefix();
      case 8:
        return line(fmt::format("{} = mix({}, {});", fiber_variable_or_new(), fiber(1), common(1)));
      case 9:
        line(fmt::format("c = reduce({}, {});", one_of(kOperators), fiber(1)));
        return line(fmt::format("{} += c;", fiber_variable_or_new()));
      case 10: return nested_thickness();
      case 11: return compaction();
      default: return nesting > 1 ? split() : multi();
    }
  }

  std::string fiber_variable_or_new() {
    if (variables_.empty()) declare_fiber_variable();
    return variables_[pick(variables_.size())];
  }

  void multi() {
    const bool one = chance(40);
    const std::string target = one ? fmt::format("s_[{}]", pick(8)) : "s_[$ & 7]";
    std::string technique = one_of(std::array<const char*, 6>{"", "", ".FS", ".S2", ".O2", ".BF"});
    if (technique == ".BF" && (!one || masked_)) technique = "";
    std::string source = fiber(2);
    if (chance(30)) {
      source = fmt::format("{}[$ & 63]", array());
      if (chance(50) && technique != ".BF") technique = ".ML";
    }
    line(fmt::format("multi{}({}, &{}, {});", technique, one_of(kOperators), target, source));
  }

  void prefix() {
    const bool one = chance(40);
    const std::string target = one ? fmt::format("s_[{}]", pick(8)) : "s_[$ & 7]";
    const bool from_memory = chance(40);
    const bool to_memory = chance(40);
    // The destination is each fiber's own: thickness may exceed 64, and the lowest fiber is kept.
    const std::string source = from_memory ? fmt::format("{}[$ & 63]", array()) : fiber(2);
    const std::string result = to_memory ? "E_[$ & 255]" : fiber_variable_or_new();
    std::vector<std::string> techniques = {"", ".3MP", ".O3M"};
    if (from_memory) techniques.emplace_back(".MPL");
    if (to_memory) techniques.emplace_back(".MPS");
    if (from_memory && to_memory) techniques.emplace_back(".MMP");
    line(fmt::format("prefix{}{}({}, {}, {}, {});", techniques[pick(techniques.size())],
                     chance(30) ? ".inclusive" : "", result, one_of(kOperators), target, source));
  }

  void choice(int nesting) {
    const bool saved = masked_;
    masked_ = true;
    line(fmt::format("if ({}) {{", fiber(2)));
    inside(nesting);
    if (chance(50)) {
      line("} else {");
      inside(nesting);
    }
    line("}");
    masked_ = saved;
  }

  void fiberwise_loop(int nesting) {
    const bool saved = masked_;
    const std::string counter = fmt::format("k{}$", next_name_++);
    line(fmt::format("int {} = ({}) & 3;", counter, fiber(1)));
    masked_ = true;
    line(fmt::format("while ({} > 0) {{", counter));
    inside(nesting);
    line(fmt::format("  {} -= 1;", counter));
    line("}");
    masked_ = saved;
  }

  void inside(int nesting) {
    ++depth_;
    const std::vector<std::string> saved = variables_;
    const std::size_t count = 1 + pick(2);
    for (std::size_t i = 0; i < count; ++i) fiber_statement(nesting - 1);
    variables_ = saved;
    --depth_;
  }

  void nested_thickness() {
    const std::vector<std::string> saved = std::move(variables_);
    variables_.clear();
    line(fmt::format("#{}: {}[$ & 63] = {};", thickness(), array(), fiber(2)));
    variables_ = saved;
  }

  void compaction() {
    line("n_ = 0;");
    if (chance(50)) {
      line(fmt::format("compact(E_, n_, {}, {});", fiber(2), fiber(1)));
    } else {
      line("m_ = 0;");
      line(fmt::format("partition(E_, n_, D2_, m_, {}, {});", fiber(2), fiber(1)));
    }
  }

  // Branches write different arrays and read none that the other writes.
  void split() {
    const bool saved = shared_reads_;
    shared_reads_ = false;
    const std::string first = fiber_variable_or_new();
    line(fmt::format("split ({}) {{", fiber(2)));
    ++depth_;
    line(fmt::format("{} = {} + # * 3 + $;", first, first));
    line(fmt::format("E_[$$] = {};", fiber(1)));
    if (chance(50)) line(fmt::format("if ($ & 1) {} -= {};", first, fiber(1)));
    --depth_;
    if (chance(60)) {
      line("} else {");
      ++depth_;
      line(fmt::format("{} ^= {};", fiber_variable_or_new(), fiber(1)));
      line(fmt::format("D2_[$$] = {} + #;", fiber(1)));
      if (chance(40)) line(fmt::format("#{}: D3_[$] = $ * 5;", 1 + pick(60)));
      --depth_;
    }
    line("}");
    shared_reads_ = saved;
  }

  static constexpr std::array<const char*, 3> kUnary = {"-", "~", "!"};

  std::uint64_t state_;
  std::string text_;
  std::size_t depth_ = 0;
  std::size_t next_name_ = 0;
  std::vector<std::string> variables_;
  bool masked_ = false;
  bool shared_reads_ = true;
};

}  // namespace

std::string random_program(std::uint64_t seed) {
  return "int D2_[256], D3_[64];\n" + Generator(seed).run();
}

}  // namespace raddle::e::test
