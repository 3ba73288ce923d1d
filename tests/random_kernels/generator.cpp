#include "generator.h"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "expressions.h"
#include "random_source.h"

namespace raddle::random_kernels {
namespace {

constexpr const char* kPrelude =
#include "prelude.inc"
    ;
constexpr const char* kHarness =
#include "harness.inc"
    ;

struct Geometry {
  int block_x, block_y, blocks;
};
Geometry geometry_of(RandomSource& random) {
  constexpr std::array<std::array<int, 2>, 7> kBlocks{
      {{32, 1}, {33, 1}, {48, 1}, {64, 1}, {96, 1}, {16, 3}, {7, 5}}};
  const auto& block = random.pick(kBlocks);
  return {block[0], block[1], 1 + random.below(3)};
}

// Writes the functions of one kernel, top down.
class KernelWriter {
 public:
  explicit KernelWriter(std::uint64_t seed)
      : seed_(seed),
        random_(seed),
        geometry_(geometry_of(random_)),
        expressions_(random_, (seed & 1) != 0) {
    expressions_.threads = geometry_.block_x * geometry_.block_y;
  }

  std::string run() {
    const int variables = 6 + random_.below(6);
    for (int i = 0; i < variables; ++i)
      variables_.push_back({fmt::format("s.v{}", i), variable_type()});
    write_state();
    const int helpers = random_.below(3);
    for (int i = 0; i < helpers; ++i) write_helper(i);
    expressions_.in_phase = true;
    expressions_.names = variables_;
    write_start();
    write_skeleton();
    write_finish();
    text_ += fmt::format("__global__ void kernel_{}(Buffers b, u32 scalar) {{\n{}{}}}\n", seed_,
                         device_setup(), device_skeleton_);
    text_ += fmt::format(
        "static void host_{}(u32 blocks, u32 block_x, u32 block_y, Buffers b, u32 scalar) "
        "{{\n{}{}}}\n",
        seed_, host_setup(), host_skeleton_ + "  }\n");
    return text_;
  }

  std::string entry() const {
    return fmt::format(
        "    {{{}ull, \"kernel_{}\", {}, {}, {}, [](dim3 grid, dim3 block, Buffers b, u32 scalar) "
        "{{ kernel_{}<<<grid, block>>>(b, scalar); }}, "
        "host_{}}},\n",
        seed_, seed_, geometry_.block_x, geometry_.block_y, geometry_.blocks, seed_, seed_);
  }

 private:
  // --- text ---------------------------------------------------------------------------------------------------------
  void line(const std::string& words) {
    text_ += std::string(static_cast<std::size_t>(indent_) * 2, ' ') + words + "\n";
  }
  void open(const std::string& words) {
    line(words + " {");
    ++indent_;
  }
  void close() {
    --indent_;
    line("}");
  }

  // Two in five are floats.
  ValueType variable_type() {
    if (random_.chance(40)) return random_.chance(65) ? ValueType::kF32 : ValueType::kF64;
    return random_.pick(kValueTypes);
  }

  void write_state() {
    open(fmt::format("\n// seed {}\nstruct State_{}", seed_, seed_));
    for (const ScopedName& v : variables_)
      line(fmt::format("{} {};", name_of(v.type), v.text.substr(2)));
    line("u32 local[8];");
    --indent_;
    line("};");
  }

  // A function that stays a call; one in three calls itself, a bounded number of times.
  void write_helper(int number) {
    const std::string name = fmt::format("helper_{}_{}", seed_, number);
    expressions_.names = {{"a", ValueType::kU32}, {"b", ValueType::kU32}, {"x", ValueType::kF32}};
    open(fmt::format("APART u32 {}(u32 a, u32 b, f32 x)", name));
    if (random_.chance(33)) {
      line("#ifndef NO_CALLS");
      line(fmt::format("if ((b & 7) > 1) return add<u32>({}(a ^ {}, (b & 7) - 1, x), {});", name,
                       expressions_.index(1), expressions_.index(1)));
      line("#endif");
    }
    open(fmt::format("for (u32 i = 0; i < (b & 3) + 1; ++i)"));
    expressions_.names.push_back({"i", ValueType::kU32});
    line(fmt::format("a = {};", expressions_.value(ValueType::kU32, 3)));
    line(fmt::format("if {} break;", expressions_.condition(1)));
    expressions_.names.pop_back();
    close();
    line(fmt::format("return {};", expressions_.value(ValueType::kU32, 2)));
    close();
    expressions_.helpers.push_back({name, ValueType::kU32});
  }

  // --- statements -----------------------------------------------------------------------------------------------------
  void write_block(int depth, int loops) {
    const int count = 1 + random_.below(4);
    for (int i = 0; i < count; ++i) write_statement(depth, loops);
  }

  void write_statement(int depth, int loops) {
    ++statements_;
    if (depth <= 0 || statements_ > 28 || random_.chance(55)) return write_simple();
    switch (random_.below(6)) {
      case 0:
      case 1: return write_if(depth, loops);
      case 2:
      case 3: return loops < 2 ? write_loop(depth, loops) : write_if(depth, loops);
      case 4: return write_switch(depth, loops);
      default:
        // Lanes part ways here for the rest of the phase.
        if (random_.chance(30))
          return line(fmt::format("if {} return;", expressions_.condition(1)));
        return write_if(depth, loops);
    }
  }

  void write_if(int depth, int loops) {
    open(fmt::format("if {}", expressions_.condition(2)));
    write_block(depth - 1, loops);
    if (random_.chance(50)) {
      --indent_;
      line("} else {");
      ++indent_;
      write_block(depth - 1, loops);
    }
    close();
  }

  void write_loop(int depth, int loops) {
    const std::string counter = fmt::format("i{}", loop_number_++);
    const std::string limit = random_.chance(50) ? fmt::format("{}u", 1 + random_.below(6))
                                                 : fmt::format("({} & 7u)", expressions_.index(1));
    const bool counted = random_.chance(60);
    if (counted) {
      open(fmt::format("for (u32 {0} = 0, end_{0} = {1}; {0} < end_{0}; ++{0})", counter, limit));
    } else {
      line(fmt::format("u32 {} = 0;", counter));
      open(fmt::format("while ({}++ < 9)", counter));
    }
    expressions_.names.push_back({counter, ValueType::kU32});
    write_block(depth - 1, loops + 1);
    if (random_.chance(50) || !counted)
      line(fmt::format("if {} {};", expressions_.condition(1),
                       counted && random_.chance(50) ? "continue" : "break"));
    if (random_.chance(60)) write_block(depth - 1, loops + 1);
    expressions_.names.pop_back();
    close();
  }

  void write_switch(int depth, int loops) {
    const int cases = 2 + random_.below(5);
    open(fmt::format("switch ({} % {}u)", expressions_.index(2), cases + 1));
    for (int i = 0; i < cases; ++i) {
      open(fmt::format("case {}:", i));
      write_block(depth - 1, loops);
      close();
      if (random_.chance(75)) line("break;");
      if (i + 1 < cases && random_.chance(20)) ++i;  // a gap
    }
    if (random_.chance(50)) {
      open("default:");
      write_block(depth - 1, loops);
      close();
    }
    close();
  }

  int depth() { return 1 + random_.below(3); }

  void write_simple() {
    const SharedUse& use = expressions_.shared;
    switch (random_.below(14)) {
      case 0:
        return line(fmt::format("s.local[{} & 7] = {};", expressions_.index(1),
                                expressions_.value(ValueType::kU32, 2)));
      case 1: return write_own_memory();
      case 2:
        if (!use.words_any)
          return line(fmt::format("c.shared->words[c.thread] = {};",
                                  expressions_.value(ValueType::kU32, depth())));
        break;
      case 3:
        if (!use.floats_any)
          return line(fmt::format("c.shared->floats[c.thread] = {};",
                                  expressions_.value(ValueType::kF32, depth())));
        break;
      case 4:
        if (!use.longs_any)
          return line(fmt::format("c.shared->longs[c.thread] = {};",
                                  expressions_.value(ValueType::kU64, depth())));
        break;
      case 5:
        if (!use.counters_read) {
          return line(fmt::format("{}(&c.shared->counters[{} & 15], {});", shared_atomic_,
                                  expressions_.index(1), expressions_.value(ValueType::kU32, 2)));
        }
        break;
      case 6: return write_global_atomic();
      default: break;
    }
    const ScopedName& target =
        variables_[static_cast<std::size_t>(random_.below(static_cast<int>(variables_.size())))];
    line(fmt::format("{} = {};", target.text, expressions_.value(target.type, depth())));
  }

  // Places in global memory that belong to the thread alone.
  void write_own_memory() {
    constexpr std::array<ValueType, 4> kTypes{ValueType::kU8, ValueType::kU16, ValueType::kU32,
                                              ValueType::kU64};
    constexpr std::array<const char*, 4> kNames{"own8", "own16", "own32", "own64"};
    const auto which = static_cast<std::size_t>(random_.below(4));
    line(fmt::format("c.b.{}[c.global * kOwn + ({} & 3)] = {};", kNames[which],
                     expressions_.index(1), expressions_.value(kTypes[which], 2)));
  }

  // Each counter sees one operation only, so that the order of threads does not show.
  void write_global_atomic() {
    constexpr std::array<const char*, 6> kOperations{"atomic_add", "atomic_min", "atomic_max",
                                                     "atomic_and", "atomic_or",  "atomic_xor"};
    const int which = random_.below(8);
    const std::string at = expressions_.index(1);
    if (random_.chance(25)) {
      const int operation = which % 6;
      return line(fmt::format("{}(&c.b.long_counters[{} + ({} & 7)], {});",
                              kOperations[static_cast<std::size_t>(operation)], 8 * operation, at,
                              expressions_.value(ValueType::kU64, 2)));
    }
    if (which < 6) {
      return line(fmt::format("{}(&c.b.counters[{} + ({} & 7)], {});",
                              kOperations[static_cast<std::size_t>(which)], 8 * which, at,
                              expressions_.value(ValueType::kU32, 2)));
    }
    line(fmt::format("{}((i32*)&c.b.counters[{} + ({} & 7)], {});",
                     which == 6 ? "atomic_min" : "atomic_max", 8 * which, at,
                     expressions_.value(ValueType::kI32, 2)));
  }

  // Every variable starts with something of the input, so that the compiler knows none of them.
  void write_start() {
    open(fmt::format("BOTH void start_{0}(State_{0}& s, const Context& c)", seed_));
    for (std::size_t i = 0; i < variables_.size(); ++i) {
      const ScopedName& v = variables_[i];
      line(fmt::format("{} = ({})c.b.{}[(c.global * {}u + {}u) & 255];", v.text, name_of(v.type),
                       is_float(v.type) ? "in_floats" : "in", 2 * i + 1, random_.below(256)));
    }
    line("for (u32 i = 0; i < 8; ++i) s.local[i] = c.scalar * i;");
    close();
    device_skeleton_ += fmt::format("  start_{}(s, c);\n", seed_);
    host_skeleton_ += fmt::format(
        "    for (u32 t = 0; t < threads; ++t) start_{}(states[t], contexts[t]);\n", seed_);
  }

  // --- phases -----------------------------------------------------------------------------------------------------------
  int write_phase() {
    constexpr std::array<const char*, 5> kAtomics{"atomic_add", "atomic_max", "atomic_min",
                                                  "atomic_xor", "atomic_or"};
    expressions_.shared = {random_.chance(50), random_.chance(50), random_.chance(50),
                           random_.chance(50)};
    shared_atomic_ = random_.pick(kAtomics);
    const int number = phases_++;
    open(fmt::format("BOTH void phase_{0}_{1}(State_{0}& s, const Context& c, u32 round)", seed_,
                     number));
    expressions_.names.push_back({"round", ValueType::kU32});
    write_block(3, 0);
    write_block(3, 0);
    expressions_.names.pop_back();
    close();
    return number;
  }

  void call_phase(int number, const std::string& round, const std::string& indent) {
    device_skeleton_ += fmt::format("{}phase_{}_{}(s, c, {});\n{}__syncthreads();\n", indent, seed_,
                                    number, round, indent);
    host_skeleton_ += fmt::format(
        "{}  for (u32 t = 0; t < threads; ++t) phase_{}_{}(states[t], contexts[t], {});\n", indent,
        seed_, number, round);
  }

  // Phases in a row, in loops and under conditions that a whole block agrees on.
  void write_skeleton() {
    const int parts = 1 + random_.below(3);
    for (int i = 0; i < parts; ++i) {
      std::string header;
      if (random_.chance(30))
        header = fmt::format("for (u32 r = 0; r < {}; ++r) {{\n", 2 + random_.below(2));
      if (header.empty() && random_.chance(25))
        header = fmt::format("if ((scalar >> {} & 1) == (block & 1)) {{\n", random_.below(8));
      const bool loop = header.starts_with("for");
      if (header.empty()) {
        call_phase(write_phase(), "0", "  ");
        continue;
      }
      device_skeleton_ += "  " + header;
      host_skeleton_ += "    " + header;
      const int inner = 1 + random_.below(2);
      for (int k = 0; k < inner; ++k) call_phase(write_phase(), loop ? "r" : "0", "    ");
      device_skeleton_ += "  }\n";
      host_skeleton_ += "    }\n";
    }
  }

  void write_finish() {
    open(fmt::format("BOTH void finish_{0}(const State_{0}& s, const Context& c)", seed_));
    int slot = 0;
    for (const ScopedName& v : variables_)
      line(fmt::format("c.b.out[c.global * kSlots + {}] = word({});", slot++, v.text));
    line("u64 sum = 0;");
    line("for (int i = 0; i < 8; ++i) sum = sum * 31 + s.local[i];");
    line(fmt::format("c.b.out[c.global * kSlots + {}] = sum;", slot++));
    line(
        fmt::format("c.b.out[c.global * kSlots + {}] = c.shared->longs[c.thread] ^ "
                    "c.shared->words[c.thread] ^ word(c.shared->floats[c.thread]);",
                    slot++));
    line(fmt::format("c.b.out[c.global * kSlots + {}] = c.shared->counters[c.thread & 15] + 1;",
                     slot++));
    close();
    device_skeleton_ += fmt::format("  finish_{}(s, c);\n", seed_);
    host_skeleton_ += fmt::format(
        "    for (u32 t = 0; t < threads; ++t) finish_{}(states[t], contexts[t]);\n", seed_);
  }

  std::string device_setup() const {
    return fmt::format(R"(  __shared__ Shared shared;
  const u32 threads = blockDim.x * blockDim.y, block = blockIdx.x, thread = threadIdx.x + threadIdx.y * blockDim.x;
  const Context c = {{b, &shared, threadIdx.x, threadIdx.y, thread, threads, block, gridDim.x, block * threads + thread, scalar}};
  clear_shared(shared, thread, threads);
  __syncthreads();
  State_{} s = {{}};
)",
                       seed_);
  }
  std::string host_setup() const {
    return fmt::format(R"(  const u32 threads = block_x * block_y;
  static State_{} states[kShared];
  static Context contexts[kShared];
  static Shared shared;
  for (u32 block = 0; block < blocks; ++block) {{
    memset(states, 0, sizeof states);
    clear_shared(shared, 0, 1);
    for (u32 t = 0; t < threads; ++t) {{
      const Context c = {{b, &shared, t % block_x, t / block_x, t, threads, block, blocks, block * threads + t, scalar}};
      contexts[t] = c;
    }}
)",
                       seed_);
  }

  std::uint64_t seed_;
  RandomSource random_;
  Geometry geometry_;
  ExpressionWriter expressions_;
  std::vector<ScopedName> variables_;
  std::string text_;
  std::string device_skeleton_;
  std::string host_skeleton_;
  std::string shared_atomic_ = "atomic_add";
  int indent_ = 0;
  int statements_ = 0;
  int loop_number_ = 0;
  int phases_ = 0;
};

constexpr const char* kClearShared =
    R"(BOTH void clear_shared(Shared& shared, u32 first, u32 step) {
  for (u32 i = first; i < kShared; i += step) {
    shared.words[i] = i * 2654435761u;
    shared.floats[i] = (f32)i * 0.75f;
    shared.longs[i] = i * 0x9e3779b97f4a7c15ull;
    if (i < 16) shared.counters[i] = i;
  }
}
)";

}  // namespace

std::string generate_kernel(std::uint64_t seed) { return KernelWriter(seed).run(); }

std::string generate_program(std::uint64_t first_seed, int count) {
  std::string text = kPrelude;
  text += kClearShared;
  std::string table;
  for (int i = 0; i < count; ++i) {
    KernelWriter writer(first_seed + static_cast<std::uint64_t>(i));
    text += writer.run();
    table += writer.entry();
  }
  text += R"(
struct KernelEntry {
  u64 seed;
  const char* name;
  u32 block_x, block_y, blocks;
  void (*launch)(dim3, dim3, Buffers, u32);
  void (*host)(u32, u32, u32, Buffers, u32);
};
)";
  text += "static const KernelEntry kernels[] = {\n" + table + "};\n";
  return text + kHarness;
}

}  // namespace raddle::random_kernels
