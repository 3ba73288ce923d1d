#include "machine/cgra/compile/staying_loops.h"

#include <fmt/format.h>

#include <random>

#include "kernel/analysis/graphs.h"
#include "machine/cgra/compile/fabric_kernel.h"
#include "machine/cgra/fabric_machine.h"

namespace raddle::machine::cgra {
namespace {

double stat_of(const LaunchResult& result, const std::string& component, const std::string& name) {
  for (const sim::StatValue& stat : result.stats) {
    if (stat.component == component && stat.name == name) return stat.value;
  }
  ADD_FAILURE() << "no " << component << ", " << name;
  return 0;
}

// With one bank of the live-value cache a loop that leaves the grid in each turn is slow, and all
// that may stay do.
const std::vector<std::string> kStay{"live_values.banks=1"};
const std::vector<std::string> kLeave{"live_values.banks=1", "compiler.loops_stay=false"};

struct Outcome {
  LaunchResult result;
  std::vector<std::uint32_t> words;
};
Outcome run(const std::string& ptx, const std::vector<std::string>& settings, std::uint32_t n,
            std::uint32_t blocks = 2, std::uint32_t threads = 128) {
  FabricMachine machine(ptx, settings, "dmt-cgra");
  LaunchResult result = machine.run_k(blocks, threads, n, 2048);
  EXPECT_TRUE(result.complete);
  EXPECT_TRUE(result.faults.empty());
  return {std::move(result), machine.words(2048)};
}

// What a loop does in n turns with the thread's number and a value that stays the same.
std::string loop_of(const std::string& body) {
  return kernel_of(R"(
  mad.lo.u32 %r30, %r3, 77, 5;
  xor.b32 %r31, %r30, 12345;
  st.global.u32 [%rd2], %r31;
  ld.global.u32 %r32, [%rd2];
  mov.u32 %r10, 0;
again:
)" + body + R"(
  add.u32 %r10, %r10, 1;
  setp.lt.u32 %p1, %r10, %r1;
  @%p1 bra again;
  st.global.u32 [%rd2], %r31;
)");
}
const std::string kSum = loop_of("  mad.lo.u32 %r31, %r31, %r10, %r32;");

std::uint32_t sum_of(std::uint32_t thread, std::uint32_t turns) {
  const std::uint32_t start = (thread * 77 + 5) ^ 12345u;
  std::uint32_t sum = start;
  for (std::uint32_t turn = 0; turn < turns; ++turn) sum = sum * turn + start;
  return sum;
}

TEST(StayingLoops, OnlyFirstTurnsReadTheLiveValueCache) {
  for (const std::uint32_t turns : {1u, 2u, 20u}) {
    const Outcome stays = run(kSum, kStay, turns), leaves = run(kSum, kLeave, turns);
    for (std::uint32_t t = 0; t < 256; ++t) ASSERT_EQ(stays.words[t], sum_of(t, turns)) << t;
    EXPECT_EQ(stays.words, leaves.words);
    const double first = stat_of(run(kSum, kStay, 1).result, "live values", "reads");
    EXPECT_EQ(stat_of(stays.result, "live values", "reads"), first);
    EXPECT_EQ(stat_of(leaves.result, "live values", "reads"), first * turns);
    ASSERT_TRUE(stays.result.fabric);
    EXPECT_EQ(stays.result.fabric->pieces.at(1).threads, 256u * turns) << "every turn passes";
  }
}

TEST(StayingLoops, AreFasterWhereTheCacheLimitsThem) {
  EXPECT_LT(run(kSum, kStay, 20).result.cycles * 2, run(kSum, kLeave, 20).result.cycles);
  const Outcome stays = run(kSum, {}, 200, 16),
                leaves = run(kSum, {"compiler.loops_stay=false"}, 200, 16);
  EXPECT_LT(stays.result.cycles, leaves.result.cycles) << "on the machine as it is";
}

TEST(StayingLoops, ValuesMayChangePlacesAndBeReadAfterwards) {
  const std::string ptx = loop_of(R"(
  mov.u32 %r33, %r31;
  add.u32 %r31, %r31, %r32;
  mov.u32 %r32, %r33;
)");
  const Outcome stays = run(ptx, kStay, 9);
  EXPECT_EQ(stays.words, run(ptx, kLeave, 9).words);
  std::uint32_t a = (3 * 77 + 5) ^ 12345u, b = a;
  for (int turn = 0; turn < 9; ++turn) b = std::exchange(a, a + b);
  EXPECT_EQ(stays.words[3], a);
  EXPECT_LT(stat_of(stays.result, "live values", "reads"), 256 * 3);
}

// Lanes that do not come leave their places in a turn empty.
TEST(StayingLoops, PartsOfAWarpGoRoundAlone) {
  const std::string ptx = kernel_of(R"(
  mov.u32 %r31, %r3;
  mov.u32 %r10, 0;
  and.b32 %r20, %r2, 5;
  setp.ne.u32 %p2, %r20, 0;
  @%p2 bra end;
  ld.global.u32 %r31, [%rd2];
again:
  mad.lo.u32 %r31, %r31, %r10, %r3;
  add.u32 %r10, %r10, 1;
  setp.lt.u32 %p1, %r10, %r1;
  @%p1 bra again;
end:
  st.global.u32 [%rd2], %r31;
)");
  const Outcome stays = run(ptx, kStay, 7);
  for (std::uint32_t t = 0; t < 256; ++t) {
    std::uint32_t expected = (t & 5) != 0 ? t : 0;
    for (std::uint32_t turn = 0; turn < 7 && (t & 5) == 0; ++turn) expected = expected * turn + t;
    ASSERT_EQ(stays.words[t], expected) << t;
  }
  EXPECT_LT(stat_of(stays.result, "live values", "reads"),
            stat_of(run(ptx, kLeave, 7).result, "live values", "reads"));
}

FabricKernel compiled(std::string_view body) {
  CompileOptions options;
  options.units = {32, 32, 12, 32, 16, 16};
  options.graph.block = {64, 1, 1};
  options.loops_stay = true;
  options.live_banks = 1;
  return compile_for_fabric(kernel::function_from(body), {}, options);
}
bool some_stay(std::string_view body) {
  const FabricKernel kernel = compiled(body);
  return std::ranges::any_of(kernel.pieces,
                             [](const Piece& piece) { return piece.graph.graph.stays; });
}
std::string sum_loop(const std::string& in_loop, const std::string& condition = "%b, 9") {
  return "e:\n  %a = ld.global.b32 [4096]\n  %c = ld.global.b32 [%x]\n  %b = mov.b32 0\nl:\n" +
         in_loop + "  %a = add.s32 %a, %c\n  %b = add.s32 %b, 1\n  %p = setp.lt.s32 " + condition +
         "\n  @%p bra l\nx:\n  st.global.b32 [4096], %a\n  ret\n";
}

TEST(StayingLoops, AValueGoesFromItsSumToTheUnitThatReadsItFirst) {
  const FabricKernel kernel = compiled(sum_loop(""));
  const auto piece =
      std::ranges::find_if(kernel.pieces, [](const Piece& p) { return p.graph.graph.stays; });
  ASSERT_NE(piece, kernel.pieces.end());
  const std::vector<Node>& nodes = piece->graph.graph.nodes;
  std::size_t changed = 0, unchanged = 0;
  for (const Node& node : nodes) {
    if (node.kind != NodeKind::kLiveIn) continue;
    EXPECT_EQ(node.loop_shift, 32) << "a warp";
    if (node.inputs.size() == 1) {
      ++unchanged;
      continue;
    }
    ++changed;
    EXPECT_EQ(node.inputs[1].shift, 32);
    EXPECT_EQ(nodes[node.inputs[1].from].label, "add.s32");
  }
  EXPECT_EQ(changed, 1U) << "the sum";
  EXPECT_EQ(unchanged, 1U) << "what is added";
}

TEST(StayingLoops, ThreadsThatLeaveApartLeaveTheGrid) {
  EXPECT_TRUE(some_stay(sum_loop("")));
  EXPECT_FALSE(some_stay(sum_loop("", "%a, 9")));
}

TEST(StayingLoops, TurnsThatMayTouchTheSamePlaceAreNotMixed) {
  EXPECT_TRUE(some_stay(sum_loop("  %d = ld.global.b32 [%y]\n  %c = add.s32 %c, %d\n")));
  EXPECT_TRUE(some_stay(sum_loop("  st.global.b32 [%y], %a\n")));
  EXPECT_TRUE(
      some_stay(sum_loop("  %d = ld.shared.b32 [4]\n  %c = add.s32 %c, %d\n"
                         "  st.global.b32 [%y], %a\n")));
  EXPECT_FALSE(
      some_stay(sum_loop("  %d = ld.global.b32 [%y]\n  %c = add.s32 %c, %d\n"
                         "  st.global.b32 [%z], %a\n")));
  EXPECT_FALSE(
      some_stay(sum_loop("  %d = ld.volatile.global.b32 [%y]\n"
                         "  %c = add.s32 %c, %d\n")));
}

// Loops within loops and conditions, some of whose threads stay away.
class LoopWriter {
 public:
  explicit LoopWriter(std::uint32_t seed) : random_(seed) {}

  std::string kernel() {
    body_ =
        "  add.u64 %rd5, %rd2, 4096;\n  ld.global.u32 %r30, [%rd2];\n"
        "  mad.lo.u32 %r31, %r3, 77, 5;\n  xor.b32 %r32, %r31, %r1;\n  mov.u32 %r33, 3;\n";
    statements(2, 0);
    body_ +=
        "  xor.b32 %r30, %r30, %r31;\n  add.u32 %r30, %r30, %r32;\n"
        "  xor.b32 %r30, %r30, %r33;\n  st.global.u32 [%rd5], %r30;\n";
    return kernel_of(body_);
  }
  std::uint32_t below(std::uint32_t limit) { return random_() % limit; }

 private:
  std::string value() { return fmt::format("%r{}", 30 + below(4)); }

  void statements(int count, int depth) {
    for (int s = 0; s < count; ++s) {
      switch (depth < 3 ? below(4) : 0) {
        case 0:
        case 1:
          body_ += fmt::format("  {} {}, {}, {};\n",
                               std::array{"add.u32", "xor.b32", "sub.u32", "min.u32"}[below(4)],
                               value(), value(), value());
          break;
        case 2: loop(depth); break;
        default: branch(depth);
      }
    }
  }
  void loop(int depth) {
    const std::uint32_t id = labels_++, counter = 40 + depth;
    body_ += fmt::format("  mov.u32 %r{}, 0;\nl{}:\n", counter, id);
    if (below(2) == 0) body_ += fmt::format("  add.u32 {}, {}, %r{};\n", value(), value(), counter);
    if (below(4) == 0) body_ += fmt::format("  ld.global.u32 {}, [%rd2];\n", value());
    if (below(4) == 0) body_ += fmt::format("  st.global.u32 [%rd5], {};\n", value());
    statements(1 + static_cast<int>(below(3)), depth + 1);
    const std::string limit = below(4) == 0 ? "%r2" : std::to_string(1 + below(5));
    body_ += fmt::format(
        "  add.u32 %r{0}, %r{0}, 1;\n  min.u32 %r50, {1}, 6;\n"
        "  setp.lt.u32 %p{2}, %r{0}, %r50;\n  @%p{2} bra l{3};\n",
        counter, limit, depth, id);
  }
  void branch(int depth) {
    const std::uint32_t id = labels_++;
    body_ +=
        fmt::format("  and.b32 %r51, {}, {};\n  setp.eq.u32 %p{}, %r51, 0;\n  @%p{} bra l{};\n",
                    below(2) == 0 ? std::string("%r2") : value(), 1u << below(4), depth, depth, id);
    statements(1 + static_cast<int>(below(2)), depth + 1);
    body_ += fmt::format("l{}:\n", id);
  }

  std::mt19937 random_;
  std::string body_;
  std::uint32_t labels_ = 0;
};

TEST(StayingLoops, RandomLoopsGiveTheSameOnAllMachines) {
  std::uint32_t fewer = 0;
  for (std::uint32_t seed = 1; seed <= 60; ++seed) {
    LoopWriter writer(seed);
    const std::string ptx = writer.kernel();
    const std::uint32_t n = 1 + writer.below(5), threads = 32 * (1 + writer.below(3));
    SCOPED_TRACE(fmt::format("seed {}, {} threads, n {}:\n{}", seed, threads, n, ptx));
    const Outcome stays = run(ptx, kStay, n, 2, threads), leaves = run(ptx, kLeave, n, 2, threads);
    FabricMachine ref(ptx, {}, "ref");
    ASSERT_TRUE(ref.run_k(2, threads, n, 2048).complete);
    ASSERT_EQ(stays.words, ref.words(2048));
    ASSERT_EQ(leaves.words, ref.words(2048));
    if (stat_of(stays.result, "live values", "reads") <
        stat_of(leaves.result, "live values", "reads"))
      ++fewer;
  }
  EXPECT_GE(fewer, 10u) << "seeds with a loop that stays";
}

}  // namespace
}  // namespace raddle::machine::cgra
