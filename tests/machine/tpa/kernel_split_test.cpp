// Splits of a kernel's flow: wherever it can split, it leaves in memory what the reference machine
// leaves; by cost it splits where that takes less time than masks.
#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "machine/ref/launcher.h"
#include "machine/ref/ptx_module.h"

namespace raddle::machine::tpa {
namespace {

using ref::Launcher;
using ref::module_of;
using Words = std::vector<std::uint32_t>;

const char* const kAlways = "kernels.split=always";
const char* const kCost = "kernels.split=cost";
const char* const kNever = "kernels.split=never";

// Kernel k(in, out, n): %r4 is the thread, %r5 its word of `in`; what it leaves in %r20 goes to its
// word of `out`.
std::string kernel(const std::string& body) {
  return R"(
.shared .align 4 .b8 tile[256];
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n) {
  .reg .pred %p<8>; .reg .b32 %r<32>; .reg .b64 %d<16>;
  ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out]; ld.param.u32 %r31, [n];
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3; mul.wide.u32 %d3, %r4, 4;
  add.s64 %d4, %d1, %d3; add.s64 %d5, %d2, %d3;
  ld.global.u32 %r5, [%d4]; mov.u32 %r20, 7;
)" + body +
         "\n  st.global.u32 [%d5], %r20; ret; }\n";
}

// Of a thread's number, all bits.
Words scrambled(std::size_t count) {
  Words words(count);
  for (std::size_t i = 0; i < count; ++i)
    words[i] = static_cast<std::uint32_t>(i * 2654435761u) ^ static_cast<std::uint32_t>(i >> 3);
  return words;
}

struct Outcome {
  LaunchResult result;
  Words memory;
};

Outcome run(const std::string& body, const std::vector<std::string>& settings,
            const std::string& machine = "tpa", std::uint32_t blocks = 64,
            const Words& in = scrambled(4096)) {
  Launcher launcher(module_of(kernel(body)), settings, machine);
  const std::size_t threads = std::size_t{blocks} * 64;
  const std::uint64_t from = launcher.buffer(in);
  const std::uint64_t to = launcher.buffer(Words(threads));
  Outcome outcome;
  outcome.result = launcher.run("k", {blocks, 1, 1}, {64, 1, 1}, {from, to, 3});
  EXPECT_TRUE(outcome.result.complete);
  outcome.memory = launcher.read<std::uint32_t>(to, threads);
  return outcome;
}

double stat(const LaunchResult& result, const std::string& name) {
  for (const auto& one : result.stats)
    if (one.component == "program" && one.name == name) return one.value;
  ADD_FAILURE() << "no " << name;
  return 0;
}
double most_flows(const LaunchResult& result) { return stat(result, "most flows"); }

double slots(const LaunchResult& result, const std::string& cause) {
  for (const Stall& stall : result.stalls)
    if (stall.name == cause) return stall.cycles;
  ADD_FAILURE() << "no " << cause;
  return 0;
}

struct Shape {
  const char* name;
  const char* body;
  int flows;  // at once, at least
};

std::ostream& operator<<(std::ostream& out, const Shape& shape) { return out << shape.name; }

class TpaKernelSplit : public testing::TestWithParam<Shape> {};

TEST_P(TpaKernelSplit, LeavesWhatTheReferenceMachineLeaves) {
  const Outcome expected = run(GetParam().body, {}, "ref");
  for (const char* const policy : {kAlways, kCost, kNever})
    EXPECT_EQ(run(GetParam().body, {policy}).memory, expected.memory) << policy;
  EXPECT_GE(most_flows(run(GetParam().body, {kAlways}).result), GetParam().flows);
  EXPECT_EQ(most_flows(run(GetParam().body, {kNever}).result), 1);
}

// A few threads in a long loop: what a split is for.
const char* const kFewInALoop = R"(
  and.b32 %r7, %r5, 63; setp.ne.u32 %p1, %r7, 5; @%p1 bra DONE;
  mov.u32 %r8, 0;
LOOP:
  mad.lo.u32 %r20, %r20, %r5, %r8; ld.global.u32 %r9, [%d4]; xor.b32 %r20, %r20, %r9;
  add.u32 %r8, %r8, 1; setp.lt.u32 %p2, %r8, 40; @%p2 bra LOOP;
DONE:
)";
const char* const kTwoSides = R"(
  and.b32 %r7, %r5, 1; setp.eq.u32 %p1, %r7, 0; @%p1 bra EVEN;
  ld.global.u32 %r9, [%d1+16]; mad.lo.u32 %r20, %r5, 3, %r9; add.u32 %r10, %r20, 5;
  bra MEET;
EVEN:
  ld.global.u32 %r9, [%d1+20]; mad.lo.u32 %r20, %r5, 5, %r9; add.u32 %r10, %r9, 9;
MEET:
  xor.b32 %r20, %r20, %r10;
)";
// Threads of one side come to the other side's block, and leave from inside of it.
const char* const kShortCircuit = R"(
  and.b32 %r7, %r5, 1; setp.eq.u32 %p1, %r7, 0; @%p1 bra OTHER;
  and.b32 %r8, %r5, 6; setp.eq.u32 %p2, %r8, 2; @%p2 bra OTHER;
  add.u32 %r20, %r20, %r5; setp.eq.u32 %p3, %r8, 4; @%p3 bra MEET;
  xor.b32 %r20, %r20, 77; bra MEET;
OTHER:
  mul.lo.u32 %r20, %r20, %r5; mul.lo.u32 %r20, %r20, %r20;
MEET:
  add.u32 %r20, %r20, %r8;
)";
const char* const kNestedLoops = R"(
  and.b32 %r7, %r5, 15; mov.u32 %r8, 0;
  setp.eq.u32 %p1, %r7, 3; @%p1 bra DONE;
OUTER:
  mov.u32 %r9, 0;
INNER:
  add.u32 %r20, %r20, %r9; add.u32 %r9, %r9, 1;
  setp.lt.u32 %p2, %r9, %r8; @%p2 bra INNER;
  and.b32 %r10, %r20, 1; setp.eq.u32 %p3, %r10, 0; @%p3 bra EVEN;
  mad.lo.u32 %r20, %r20, 3, 1; bra NEXT;
EVEN:
  add.u32 %r20, %r20, %r7;
NEXT:
  add.u32 %r8, %r8, 1; setp.lt.u32 %p4, %r8, %r7; @%p4 bra OUTER;
DONE:
)";
// A loop with a way out in its middle, and one that goes on at once.
const char* const kBreakAndContinue = R"(
  mov.u32 %r8, 0; and.b32 %r7, %r5, 31;
LOOP:
  add.u32 %r8, %r8, 1; setp.gt.u32 %p1, %r8, %r7; @%p1 bra DONE;
  and.b32 %r9, %r8, 3; setp.eq.u32 %p2, %r9, 2; @%p2 bra LOOP;
  mad.lo.u32 %r20, %r20, 5, %r8; setp.eq.u32 %p3, %r20, %r5; @%p3 bra DONE;
  bra LOOP;
DONE:
)";
const char* const kEarlyEnd = R"(
  and.b32 %r7, %r5, 3; setp.eq.u32 %p1, %r7, 1; @%p1 ret;
  setp.eq.u32 %p2, %r7, 2; @!%p2 bra ON;
  st.global.u32 [%d5], %r5; ret;
ON:
  mad.lo.u32 %r20, %r5, %r5, 11;
)";
// A block takes a branch together, with a barrier on it.
const char* const kBarrierOnASide = R"(
  and.b32 %r7, %r1, 3; setp.ne.u32 %p1, %r7, 1; @%p1 bra DONE;
  mul.lo.u32 %r8, %r3, 4; mov.u32 %r9, tile; add.u32 %r9, %r9, %r8;
  st.shared.u32 [%r9], %r5; bar.sync 0;
  xor.b32 %r8, %r8, 252; mov.u32 %r9, tile; add.u32 %r9, %r9, %r8;
  ld.shared.u32 %r20, [%r9];
DONE:
)";
const char* const kAtomicsOnBothSides = R"(
  and.b32 %r7, %r5, 7; mul.wide.u32 %d6, %r7, 4; add.s64 %d7, %d1, %d6;
  setp.lt.u32 %p1, %r7, 3; @%p1 bra LOW;
  atom.global.cas.b32 %r8, [%d7], %r31, %r5; red.global.max.s32 [%d7+64], %r5;
  bra MEET;
LOW:
  red.global.add.u32 [%d7], %r5; red.global.min.s32 [%d7+64], %r5;
MEET:
  bar.sync 0;
)";
const char* const kVotesOnASide = R"(
  and.b32 %r7, %r5, 3; setp.eq.u32 %p1, %r7, 1; @%p1 bra DONE;
  setp.eq.u32 %p2, %r7, 2; activemask.b32 %r8;
  vote.sync.ballot.b32 %r20, %p2, %r8; add.u32 %r20, %r20, %r8;
DONE:
)";
const char* const kFloatSumOnASide = R"(
  and.b32 %r7, %r5, 7; mul.wide.u32 %d6, %r7, 4; add.s64 %d7, %d2, %d6;
  setp.ne.u32 %p1, %r3, 9; @%p1 bra DONE;
  mov.u32 %r20, 0x40000000;
DONE:
)";

INSTANTIATE_TEST_SUITE_P(
    Shapes, TpaKernelSplit,
    testing::Values(Shape{"FewInALoop", kFewInALoop, 2}, Shape{"TwoSides", kTwoSides, 3},
                    Shape{"ShortCircuit", kShortCircuit, 2}, Shape{"NestedLoops", kNestedLoops, 3},
                    Shape{"BreakAndContinue", kBreakAndContinue, 2},
                    Shape{"EarlyEnd", kEarlyEnd, 2}, Shape{"BarrierOnASide", kBarrierOnASide, 2},
                    Shape{"AtomicsOnBothSides", kAtomicsOnBothSides, 2},
                    Shape{"VotesOnASide", kVotesOnASide, 2},
                    Shape{"FloatSumOnASide", kFloatSumOnASide, 2}),
    [](const auto& each) { return std::string(each.param.name); });

TEST(TpaKernelSplit, CostsLessThanMasksWhereFewThreadsGoOn) {
  const LaunchResult masks = run(kFewInALoop, {kNever}, "tpa", 1024, scrambled(65536)).result;
  const LaunchResult split = run(kFewInALoop, {kCost}, "tpa", 1024, scrambled(65536)).result;
  EXPECT_LT(split.cycles * 5, masks.cycles);
  EXPECT_LT(slots(split, "divergence") * 5, slots(masks, "divergence"));
  EXPECT_EQ(slots(masks, "split of a flow"), 0);
  EXPECT_GT(slots(split, "split of a flow"), 0);
}

// The masked slots of a loop reach what the split costs before it is made: both are paid once.
TEST(TpaKernelSplit, IsMadeWhenMaskedFibersHaveCostAsMuch) {
  const char* const loop = R"(
  and.b32 %r7, %r5, 63; mov.u32 %r8, 0;
  setp.eq.u32 %p1, %r7, 5; selp.u32 %r6, 200, 1, %p1;
LOOP:
  mad.lo.u32 %r20, %r20, %r5, %r8; add.u32 %r8, %r8, 1;
  setp.lt.u32 %p2, %r8, %r6; @%p2 bra LOOP;
)";
  const auto at = [&](const char* policy) {
    return run(loop, {policy}, "tpa", 512, scrambled(32768));
  };
  const Outcome cost = at(kCost);
  EXPECT_EQ(cost.memory, at(kNever).memory);
  const double masked = slots(cost.result, "divergence");
  const double moved = slots(cost.result, "split of a flow");
  EXPECT_GT(masked, moved / 2);
  EXPECT_LT(masked, moved * 2);
}

TEST(TpaKernelSplit, IsNotMadeOfAFlowWhoseStepsWouldTakeNoLessTime) {
  // 2048 fibers are fewer than 16 backends with a pipeline of 129 stages hold.
  const LaunchResult thin = run(kFewInALoop, {kCost}, "tpa", 32).result;
  EXPECT_EQ(most_flows(thin), 1);
  EXPECT_EQ(thin.cycles, run(kFewInALoop, {kNever}, "tpa", 32).result.cycles);
}

TEST(TpaKernelSplit, GoesThroughBothSidesAtOnceUnlessThreadsWorkTogether) {
  EXPECT_EQ(most_flows(run(kTwoSides, {kAlways}).result), 3);
  const std::string atomic = std::string(kTwoSides) + "EXTRA: red.global.add.u32 [%d2], 0;";
  EXPECT_EQ(most_flows(run(atomic, {kAlways}).result), 3);  // after they have met
  EXPECT_EQ(most_flows(run(kAtomicsOnBothSides, {kAlways}).result), 2);
}

TEST(TpaKernelSplit, SkipsWhatNoThreadGoesThrough) {
  std::string nobody = "setp.ne.u32 %p1, %r3, 64; @%p1 bra DONE;";
  for (int i = 0; i < 20; ++i)
    nobody += "mul.lo.u32 %r20, %r20, %r5; ld.global.u32 %r9, [%d4]; xor.b32 %r20, %r20, %r9;";
  nobody += "DONE:";
  const LaunchResult result = run(nobody, {kCost}, "tpa", 512, scrambled(40000)).result;
  EXPECT_EQ(slots(result, "divergence"), 0);
  EXPECT_EQ(most_flows(result), 1);
}

TEST(TpaKernelSplit, KeepsMasksWhereMemoryOrFlowsHaveNoRoom) {
  const Outcome expected = run(kNestedLoops, {}, "ref");
  for (const char* const room : {"frontend.flows=1", "frontend.flows=3", "frontend.flows=7"})
    EXPECT_EQ(run(kNestedLoops, {kAlways, room}).memory, expected.memory) << room;
  EXPECT_EQ(most_flows(run(kNestedLoops, {kAlways, "frontend.flows=1"}).result), 1);
  // Enough for buffers and the words of reductions, not for what fibers take along.
  const Outcome tight = run(kTwoSides, {kAlways, "memory.bytes=2228224"});
  EXPECT_EQ(tight.memory, run(kTwoSides, {}, "ref").memory);
  EXPECT_EQ(most_flows(tight.result), 1);
}

TEST(TpaKernelSplit, KeepsAccountOfEveryCycle) {
  for (const char* const body : {kFewInALoop, kTwoSides, kNestedLoops}) {
    const LaunchResult result = run(body, {kAlways}).result;
    double sum = 0;
    for (const Stall& stall : result.stalls) sum += stall.cycles;
    EXPECT_EQ(sum, 16.0 * static_cast<double>(result.cycles));
    EXPECT_EQ(result.cycles, run(body, {kAlways}).result.cycles);
  }
}

TEST(TpaKernelSplit, WorksWithSeveralFrontendsAndOtherNetworks) {
  const Outcome expected = run(kNestedLoops, {}, "ref");
  for (const char* const setting :
       {"frontend.count=4", "network.model=routers", "memory.ideal=true"})
    EXPECT_EQ(run(kNestedLoops, {kAlways, setting}).memory, expected.memory) << setting;
}

}  // namespace
}  // namespace raddle::machine::tpa
