#include "lang/cg/random_program.h"

#include <fmt/format.h>

#include <random>

namespace raddle::cg::testing {
namespace {

struct Variable {
  std::string name;
  unsigned width;
  bool is_constant = false;
};

class Generator {
 public:
  explicit Generator(std::uint32_t seed) : engine_(seed) {}

  std::string program() {
    text_ = "uniform float4 ka; uniform float3 kb; uniform float kc;\nuniform float4 table[3];\n";
    const unsigned functions = pick(3);
    for (unsigned i = 0; i < functions; ++i) function(i);
    text_ +=
        "float4 main(float2 p : TEXCOORD0, uniform sampler2D A, uniform sampler2D B, out float4 "
        "more : COLOR1, out float far : DEPTH) : COLOR {\n";
    indent_ = 1;
    variables_ = {{"p", 2, false}};
    textures_ = true;
    result_width_ = 4;
    line("more = 0; far = 0;");
    variables_.push_back({"more", 4, false});
    variables_.push_back({"far", 1, false});
    statements(3 + pick(4), 2);
    line(fmt::format("return {};", expression(4, 2)));
    text_ += "}\n";
    return text_;
  }

 private:
  struct Function {
    std::string name;
    unsigned width;
    std::vector<unsigned> parameters;
    bool has_out;
  };

  unsigned pick(unsigned count) { return static_cast<unsigned>(engine_() % count); }
  bool chance(unsigned percent) { return pick(100) < percent; }
  void line(const std::string& words) { text_ += std::string(indent_ * 2, ' ') + words + "\n"; }
  std::string fresh(const char* stem) { return fmt::format("{}{}", stem, next_name_++); }
  static std::string type(unsigned width) {
    return width == 1 ? "float" : fmt::format("float{}", width);
  }

  void function(unsigned index) {
    Function made{fmt::format("f{}", index), 1 + pick(4), {}, chance(40)};
    std::string head = fmt::format("{} {}(", type(made.width), made.name);
    variables_.clear();
    textures_ = false;
    const unsigned count = 1 + pick(3);
    for (unsigned i = 0; i < count; ++i) {
      made.parameters.push_back(1 + pick(4));
      const std::string name = fresh("a");
      head += fmt::format("{}{} {}", i > 0 ? ", " : "", type(made.parameters.back()), name);
      variables_.push_back({name, made.parameters.back(), false});
    }
    if (made.has_out) {
      head += ", inout float changed";
      variables_.push_back({"changed", 1, false});
    }
    text_ += head + ") {\n";
    indent_ = 1;
    result_width_ = made.width;
    may_return_ = true;
    statements(2 + pick(3), 2);
    may_return_ = false;
    line(fmt::format("return {};", expression(made.width, 2)));
    text_ += "}\n";
    functions_.push_back(made);
  }

  void statements(unsigned count, unsigned depth) {
    const std::size_t scope = variables_.size();
    for (unsigned i = 0; i < count; ++i) statement(depth);
    variables_.resize(scope);
  }

  void block(unsigned depth) {
    text_.back() = ' ';
    text_ += "{\n";
    ++indent_;
    statements(1 + pick(3), depth);
    --indent_;
    line("}");
  }

  void statement(unsigned depth) {
    switch (pick(depth > 0 ? 9 : 5)) {
      case 0:
      case 1: return declare();
      case 2:
      case 3: return assign();
      case 4: return jump();
      case 5:
      case 6: return branch(depth);
      case 7: return loop(depth);
      default: return while_loop(depth);
    }
  }

  void declare() {
    if (chance(40) && call_with_change()) return;
    const unsigned width = 1 + pick(4);
    const std::string name = fresh("v");
    line(fmt::format("{} {} = {};", type(width), name, expression(width, 3)));
    variables_.push_back({name, width, false});
  }

  void assign() {
    std::vector<Variable> targets;
    for (const Variable& variable : variables_) {
      if (!variable.is_constant) targets.push_back(variable);
    }
    if (targets.empty()) return declare();
    const Variable target = targets[pick(static_cast<unsigned>(targets.size()))];
    constexpr const char* kOps[] = {"=", "=", "+=", "-=", "*="};
    const char* op = kOps[pick(5)];
    if (target.width > 1 && chance(40)) {
      constexpr const char* kMasks[] = {"x", "y", "yx", "xy"};
      const char* mask = kMasks[pick(4)];
      const auto width = static_cast<unsigned>(std::string(mask).size());
      line(fmt::format("{}.{} {} {};", target.name, mask, op, expression(width, 2)));
      return;
    }
    line(fmt::format("{} {} {};", target.name, op, expression(target.width, 3)));
  }

  // target = f(…, some variable that it changes)
  bool call_with_change() {
    std::vector<std::string> scalars;
    for (const Variable& variable : variables_) {
      if (variable.width == 1 && !variable.is_constant) scalars.push_back(variable.name);
    }
    for (const Function& function : functions_) {
      if (!function.has_out || scalars.empty() || chance(50)) continue;
      std::string arguments;
      for (const unsigned parameter : function.parameters)
        arguments += expression(parameter, 1) + ", ";
      const std::string name = fresh("v");
      line(fmt::format("{} {} = {}({}{});", type(function.width), name, function.name, arguments,
                       scalars[pick(static_cast<unsigned>(scalars.size()))]));
      variables_.push_back({name, function.width, false});
      return true;
    }
    return false;
  }

  void jump() {
    if (in_loop_ && chance(60)) {
      line(fmt::format("if ({}) {};", condition(1), chance(50) ? "break" : "continue"));
    } else if (may_return_) {
      line(fmt::format("if ({}) return {};", condition(1), expression(result_width_, 1)));
    } else {
      assign();
    }
  }

  void branch(unsigned depth) {
    line(fmt::format("if ({})", condition(2)));
    block(depth - 1);
    if (chance(50)) {
      line("else");
      block(depth - 1);
    }
  }

  void loop(unsigned depth) {
    const std::string name = fresh("i");
    const std::string end = chance(50) ? fmt::format("{}", 1 + pick(4))
                                       : fmt::format("min(abs({}), 4)", expression(1, 1));
    line(fmt::format("for (int {0} = 0; {0} < {1}; {0}++)", name, end));
    inside_loop(name, depth);
  }

  void while_loop(unsigned depth) {
    const std::string name = fresh("n");
    line(fmt::format("float {} = {};", name, 1 + pick(4)));
    if (chance(50)) {
      line(fmt::format("while ({0}-- > 0 && {1})", name, condition(1)));
      inside_loop(name, depth);
    } else {
      line("do");
      inside_loop(name, depth);
      text_.pop_back();
      text_ += fmt::format(" while ({0}-- > 0 && {1});\n", name, condition(1));
    }
  }

  void inside_loop(const std::string& counter, unsigned depth) {
    const bool before = std::exchange(in_loop_, true);
    variables_.push_back({counter, 1, true});
    block(depth - 1);
    variables_.pop_back();
    in_loop_ = before;
  }

  std::string condition(unsigned depth) {
    constexpr const char* kOps[] = {"<", "<=", ">", ">=", "==", "!="};
    if (depth > 0 && chance(25))
      return fmt::format("({} && {})", condition(depth - 1), condition(depth - 1));
    if (depth > 0 && chance(25))
      return fmt::format("({} || !{})", condition(depth - 1), condition(depth - 1));
    const unsigned width = 2 + pick(3);
    if (chance(15))
      return fmt::format("any({} {} {})", expression(width, 1), kOps[pick(6)],
                         expression(width, 1));
    return fmt::format("({} {} {})", expression(1, 1), kOps[pick(6)], expression(1, 1));
  }

  std::string leaf(unsigned width) {
    std::vector<std::string> found;
    constexpr std::string_view kChannels = "xyzw";
    const auto offer = [&](const std::string& name, unsigned size) {
      if (size == width) found.push_back(name);
      std::string swizzle;
      for (unsigned i = 0; i < width; ++i) swizzle += kChannels[pick(size)];
      found.push_back(name + "." + swizzle);
    };
    for (const Variable& variable : variables_) offer(variable.name, variable.width);
    offer("ka", 4);
    offer("kb", 3);
    offer("kc", 1);
    if (chance(20) || found.empty()) {
      std::string literal = fmt::format("{}", static_cast<double>(pick(33)) / 4 - 4);
      if (literal.find('.') == std::string::npos) literal += ".0";
      return width == 1 ? literal : fmt::format("{}({})", type(width), literal);
    }
    return found[pick(static_cast<unsigned>(found.size()))];
  }

  std::string expression(unsigned width, unsigned depth) {
    if (depth == 0) return leaf(width);
    const auto sub = [&](unsigned w) { return expression(w, depth - 1); };
    switch (pick(14)) {
      case 0:
      case 1:
      case 2: return leaf(width);
      case 3: return fmt::format("({} + {})", sub(width), sub(width));
      case 4: return fmt::format("({} - {})", sub(width), sub(chance(50) ? 1 : width));
      case 5: return fmt::format("({} * {})", sub(width), sub(chance(50) ? 1 : width));
      case 6: return fmt::format("({} / {})", sub(width), leaf(width));
      case 7: return unary(width, depth);
      case 8: return binary(width, depth);
      case 9: return fmt::format("({} ? {} : {})", condition(0), sub(width), sub(width));
      case 10: return construct(width, depth);
      case 11: return special(width, depth);
      case 12: return call(width, depth);
      default: return fmt::format("(- {})", sub(width));
    }
  }

  std::string unary(unsigned width, unsigned depth) {
    constexpr const char* kFunctions[] = {"abs", "frac", "floor", "saturate", "sign", "ceil",
                                          "rcp", "sqrt", "exp2",  "sin",      "cos",  "trunc"};
    return fmt::format("{}({})", kFunctions[pick(12)], expression(width, depth - 1));
  }

  std::string binary(unsigned width, unsigned depth) {
    constexpr const char* kFunctions[] = {"min", "max", "step"};
    if (chance(25))
      return fmt::format("lerp({}, {}, {})", expression(width, depth - 1), leaf(width),
                         leaf(width));
    return fmt::format("{}({}, {})", kFunctions[pick(3)], expression(width, depth - 1),
                       expression(width, depth - 1));
  }

  std::string construct(unsigned width, unsigned depth) {
    if (width == 1) return fmt::format("dot({}, {})", expression(3, depth - 1), leaf(3));
    const unsigned left = 1 + pick(width - 1);
    return fmt::format("{}({}, {})", type(width), expression(left, depth - 1),
                       expression(width - left, depth - 1));
  }

  std::string special(unsigned width, unsigned depth) {
    constexpr std::string_view kChannels = "xyzw";
    std::string swizzle;
    for (unsigned i = 0; i < width; ++i) swizzle += kChannels[pick(4)];
    if (textures_ && chance(60)) {
      struct Form {
        std::string_view name;
        unsigned width;
      };
      constexpr Form kForms[] = {
          {"tex2Dproj", 3}, {"tex2Dproj", 4}, {"tex2Dlod", 4}, {"tex2Dbias", 4}};
      const Form form = chance(75) ? Form{"tex2D", 2} : kForms[pick(4)];
      return fmt::format("{}({}, {}).{}", form.name, chance(50) ? "A" : "B",
                         expression(form.width, depth - 1), swizzle);
    }
    return fmt::format("table[{}].{}",
                       chance(50) ? fmt::format("{}", pick(3)) : fmt::format("(int)({})", leaf(1)),
                       swizzle);
  }

  std::string call(unsigned width, unsigned depth) {
    if (functions_.empty()) return leaf(width);
    const Function& function = functions_[pick(static_cast<unsigned>(functions_.size()))];
    if (function.has_out) return leaf(width);
    std::string arguments;
    for (const unsigned parameter : function.parameters)
      arguments += (arguments.empty() ? "" : ", ") + expression(parameter, depth - 1);
    std::string swizzle;
    for (unsigned i = 0; i < width; ++i) swizzle += "xyzw"[pick(function.width)];
    return fmt::format("{}({}).{}", function.name, arguments, swizzle);
  }

  std::mt19937 engine_;
  std::string text_;
  std::size_t indent_ = 0;
  unsigned next_name_ = 0;
  std::vector<Variable> variables_;
  std::vector<Function> functions_;
  unsigned result_width_ = 4;
  bool textures_ = false;
  bool may_return_ = false;
  bool in_loop_ = false;
};

}  // namespace

std::string random_program(std::uint32_t seed) { return Generator(seed).program(); }

Uniforms random_uniforms(std::uint32_t seed) {
  std::mt19937 engine(seed + 77);
  const auto numbers = [&](std::size_t count) {
    std::vector<float> result;
    for (std::size_t i = 0; i < count; ++i)
      result.push_back(static_cast<float>(engine() % 65) / 8 - 4);
    return result;
  };
  return {{"ka", numbers(4)}, {"kb", numbers(3)}, {"kc", numbers(1)}, {"table", numbers(12)}};
}

}  // namespace raddle::cg::testing
