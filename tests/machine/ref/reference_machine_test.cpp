// What the reference machine promises beyond single instructions: divergence, barriers, calls,
// fairness, counts, checks, watchdogs. Kernels are PTX, so that each test sees exactly the
// instructions it is about.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <numeric>

#include "machine/access_counters.h"
#include "machine/ref/launcher.h"
#include "machine/ref/ptx_module.h"

namespace raddle::machine::ref {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

const MemoryTraffic* level(const LaunchResult& result, std::string_view name) {
  for (const MemoryTraffic& traffic : result.memory) {
    if (traffic.level == name) return &traffic;
  }
  return nullptr;
}

// out[i] = i < limit ? 3*i : 5*i, through a divergent branch.
constexpr std::string_view kDivergent = R"(
.visible .entry diverge(.param .u64 out, .param .u32 limit) {
  .reg .pred %p; .reg .b32 %r<8>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [limit];
  mov.u32 %r2, %tid.x;
  setp.ge.u32 %p, %r2, %r1;
  @%p bra ELSE;
  mul.lo.u32 %r3, %r2, 3;
  bra.uni JOIN;
ELSE:
  mul.lo.u32 %r3, %r2, 5;
JOIN:
  mul.wide.u32 %rd2, %r2, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r3;
  ret;
}
)";

TEST(ReferenceMachine, RunsBothSidesOfADivergentBranchAndRejoins) {
  Launcher launcher(module_of(kDivergent));
  const std::uint64_t out = launcher.buffer(std::vector<std::uint32_t>(32));
  const LaunchResult result = launcher.run("diverge", {1, 1, 1}, {32, 1, 1}, {out, 10});
  const auto values = launcher.read<std::uint32_t>(out, 32);
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(values[i], i < 10 ? 3 * i : 5 * i);
  EXPECT_EQ(result.divergent_branches, 1u);
  // 5 before the branch, 2 + 1 on the sides, 4 after: the sides run apart, the rest together.
  EXPECT_EQ(result.warp_instructions, 5u + 2u + 1u + 4u);
  // A lane that a guard keeps from branching does not execute the branch.
  EXPECT_EQ(result.thread_instructions, 4u * 32 + 22 + 10 * 2 + 22 * 1 + 4 * 32);
}

TEST(ReferenceMachine, CountsAUniformBranchOnce) {
  Launcher launcher(module_of(kDivergent));
  const std::uint64_t out = launcher.buffer(std::vector<std::uint32_t>(32));
  const LaunchResult result = launcher.run("diverge", {1, 1, 1}, {32, 1, 1}, {out, 32});
  EXPECT_EQ(result.divergent_branches, 0u);
  EXPECT_EQ(result.warp_instructions, 5u + 2u + 4u);
}

TEST(ReferenceMachine, CountsSegmentsOfGlobalStores) {
  Launcher launcher(module_of(kDivergent));
  const std::uint64_t out = launcher.buffer(std::vector<std::uint32_t>(64));
  const LaunchResult result = launcher.run("diverge", {1, 1, 1}, {64, 1, 1}, {out, 64});
  const MemoryTraffic* global = level(result, "global");
  ASSERT_NE(global, nullptr);
  EXPECT_EQ(global->store_instructions, 2u);
  EXPECT_EQ(global->store_accesses, 64u);
  EXPECT_EQ(global->bytes_written, 256u);
  EXPECT_EQ(global->segments, 2u);
}

// Each thread writes its slot, waits, and reads the slot at the other end of the block.
constexpr std::string_view kReverse = R"(
.visible .entry reverse(.param .u64 out) {
  .reg .b32 %r<8>; .reg .b64 %rd<4>;
  .shared .align 4 .b8 tile[1024];
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, tile;
  shl.b32 %r4, %r1, 2;
  add.u32 %r5, %r3, %r4;
  st.shared.u32 [%r5], %r1;
  bar.sync 0;
  sub.u32 %r6, %r2, %r1;
  shl.b32 %r6, %r6, 2;
  add.u32 %r6, %r3, %r6;
  ld.shared.u32 %r7, [%r6+-4];
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r7;
  ret;
}
)";

TEST(ReferenceMachine, BarriersOrderSharedMemoryBetweenWarps) {
  Launcher launcher(module_of(kReverse));
  const std::uint64_t out = launcher.buffer(std::vector<std::uint32_t>(200));
  const LaunchResult result = launcher.run("reverse", {1, 1, 1}, {200, 1, 1}, {out});
  const auto values = launcher.read<std::uint32_t>(out, 200);
  for (std::uint32_t i = 0; i < 200; ++i) EXPECT_EQ(values[i], 199 - i);
  EXPECT_EQ(result.barriers, 7u);
  EXPECT_EQ(result.kernel_launch->static_shared_bytes, 1024u);
  EXPECT_EQ(level(result, "shared")->bank_conflicts, 0u);
}

// Block 0 waits for a flag that the last block sets: all must be resident and make progress.
constexpr std::string_view kSpin = R"(
.visible .entry spin(.param .u64 flag) {
  .reg .pred %p; .reg .b32 %r<4>; .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [flag];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %nctaid.x;
  sub.u32 %r2, %r2, 1;
  setp.eq.u32 %p, %r1, %r2;
  @%p bra SET;
LOOP:
  ld.volatile.global.u32 %r3, [%rd1];
  setp.eq.u32 %p, %r3, 0;
  @%p bra LOOP;
  ret;
SET:
  st.volatile.global.u32 [%rd1], 1;
  ret;
}
)";

TEST(ReferenceMachine, BlocksThatWaitForLaterBlocksEnd) {
  Launcher launcher(module_of(kSpin));
  const std::uint64_t flag = launcher.buffer(std::vector<std::uint32_t>{0});
  const LaunchResult result = launcher.run("spin", {24, 1, 1}, {32, 1, 1}, {flag});
  EXPECT_TRUE(result.complete);
}

TEST(ReferenceMachine, StopsAKernelThatNeverEndsAfterMaxCyclesAndSaysWhereItStands) {
  Launcher launcher(module_of(kSpin), {"multiprocessors=1", "max_blocks_per_multiprocessor=1"});
  launcher.options().control = RunControl(Cycle(100'000));
  const std::uint64_t flag = launcher.buffer(std::vector<std::uint32_t>{0});
  const LaunchResult result = launcher.run("spin", {2, 1, 1}, {32, 1, 1}, {flag});
  ASSERT_FALSE(result.complete);
  EXPECT_EQ(result.cycles, 100'000u);
  ASSERT_EQ(result.faults.size(), 1u);
  EXPECT_EQ(result.faults[0].kind, FaultKind::kWatchdogCycles);
  EXPECT_EQ(result.faults[0].message, "stopped after 100000 cycles (--max-cycles)");
  ASSERT_EQ(result.faults[0].details.size(), 1u);
  EXPECT_THAT(result.faults[0].details[0],
              HasSubstr("block (0,0,0) warp 0: 32 of 32 live threads at"));
}

TEST(ReferenceMachine, StopsWhenTheDeadlinePassesOrTheUserInterrupts) {
  Launcher launcher(module_of(kSpin), {"multiprocessors=1", "max_blocks_per_multiprocessor=1"});
  const std::uint64_t flag = launcher.buffer(std::vector<std::uint32_t>{0});
  launcher.options().control = RunControl(
      Cycle(0),
      StopToken(nullptr, std::chrono::steady_clock::now() + std::chrono::milliseconds(20)));
  EXPECT_EQ(launcher.run("spin", {2, 1, 1}, {32, 1, 1}, {flag}).faults.at(0).kind,
            FaultKind::kWatchdogTimeout);
  const std::atomic<bool> interrupted{true};
  launcher.options().control = RunControl(Cycle(0), StopToken(&interrupted));
  EXPECT_EQ(launcher.run("spin", {2, 1, 1}, {32, 1, 1}, {flag}).faults.at(0).kind,
            FaultKind::kInterrupted);
}

// Lanes of one warp take a lock in turn, the naive way that hangs where diverged lanes never yield.
constexpr std::string_view kLock = R"(
.visible .entry lock(.param .u64 lock, .param .u64 sum) {
  .reg .pred %p; .reg .b32 %r<6>; .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [lock];
  ld.param.u64 %rd2, [sum];
TRY:
  atom.global.cas.b32 %r1, [%rd1], 0, 1;
  setp.ne.u32 %p, %r1, 0;
  @%p bra TRY;
  ld.global.u32 %r2, [%rd2];
  add.u32 %r2, %r2, 1;
  st.global.u32 [%rd2], %r2;
  membar.gl;
  st.volatile.global.u32 [%rd1], 0;
  ret;
}
)";

TEST(ReferenceMachine, LanesThatSpinOnALockYieldToTheLaneThatHoldsIt) {
  Launcher launcher(module_of(kLock));
  const std::uint64_t lock = launcher.buffer(std::vector<std::uint32_t>{0});
  const std::uint64_t sum = launcher.buffer(std::vector<std::uint32_t>{0});
  EXPECT_TRUE(launcher.run("lock", {2, 1, 1}, {64, 1, 1}, {lock, sum}).complete);
  EXPECT_EQ(launcher.read<std::uint32_t>(sum, 1)[0], 128u);
}

constexpr std::string_view kFibonacci = R"(
.func (.param .b32 result) fibonacci(.param .b32 n) {
  .reg .pred %p; .reg .b32 %r<8>;
  ld.param.u32 %r1, [n];
  setp.lt.u32 %p, %r1, 2;
  @%p bra BASE;
  sub.u32 %r2, %r1, 1;
  { .param .b32 a; .param .b32 v; st.param.b32 [a], %r2; call.uni (v), fibonacci, (a); ld.param.b32 %r3, [v]; }
  sub.u32 %r4, %r1, 2;
  { .param .b32 a; .param .b32 v; st.param.b32 [a], %r4; call.uni (v), fibonacci, (a); ld.param.b32 %r5, [v]; }
  add.u32 %r6, %r3, %r5;
  st.param.b32 [result], %r6;
  ret;
BASE:
  st.param.b32 [result], %r1;
  ret;
}
.visible .entry recurse(.param .u64 out) {
  .reg .b32 %r<4>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  { .param .b32 a; .param .b32 v; st.param.b32 [a], %r1; call.uni (v), fibonacci, (a); ld.param.b32 %r2, [v]; }
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r2;
  ret;
}
.func forever(.param .b32 n) {
  .reg .b32 %r<2>;
  ld.param.u32 %r1, [n];
  { .param .b32 a; st.param.b32 [a], %r1; call.uni forever, (a); }
  ret;
}
.visible .entry overflow() {
  .reg .b32 %r<2>;
  mov.u32 %r1, 0;
  { .param .b32 a; st.param.b32 [a], %r1; call.uni forever, (a); }
  ret;
}
)";

TEST(ReferenceMachine, RecursesWithAnotherDepthInEveryLane) {
  Launcher launcher(module_of(kFibonacci));
  const std::uint64_t out = launcher.buffer(std::vector<std::uint32_t>(16));
  ASSERT_TRUE(launcher.run("recurse", {1, 1, 1}, {16, 1, 1}, {out}).complete);
  EXPECT_THAT(launcher.read<std::uint32_t>(out, 16),
              ::testing::ElementsAre(0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610));
}

TEST(ReferenceMachine, EndlessRecursionEndsInAStackOverflow) {
  Launcher launcher(module_of(kFibonacci), {"stack_bytes_per_thread=4096"});
  const LaunchResult result = launcher.run("overflow", {1, 1, 1}, {1, 1, 1}, {});
  ASSERT_FALSE(result.complete);
  EXPECT_EQ(result.faults.at(0).kind, FaultKind::kStackOverflow);
  EXPECT_EQ(result.faults[0].message,
            "stack overflow: a call needs more than the 4096 bytes of a thread's stack");
}

// --- faults -------------------------------------------------------------------------------------------------------------

constexpr std::string_view kStoreAt = R"(
.visible .entry store_at(.param .u64 base, .param .u32 stride) {
  .reg .b32 %r<4>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [base];
  ld.param.u32 %r1, [stride];
  mov.u32 %r2, %tid.x;
  mul.wide.u32 %rd2, %r2, %r1;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r2;
  ret;
}
)";

TEST(ReferenceMachine, CheckedModeReportsEveryOutOfBoundsThread) {
  Launcher launcher(module_of(kStoreAt));
  launcher.options().check = true;
  const std::uint64_t out = launcher.buffer(std::vector<std::uint32_t>(24));
  const LaunchResult result = launcher.run("store_at", {1, 1, 1}, {32, 1, 1}, {out, 4});
  EXPECT_TRUE(result.complete);
  EXPECT_EQ(result.fault_count, 8u);
  ASSERT_EQ(result.faults.size(), 8u);
  EXPECT_EQ(result.faults[0].kind, FaultKind::kOutOfBounds);
  EXPECT_EQ(result.faults[0].thread.x, 24u);
  EXPECT_THAT(result.faults[0].message, HasSubstr("out-of-bounds store of 4 bytes at "));
  EXPECT_THAT(result.faults[0].message,
              HasSubstr(", 0 bytes past the end of the 96-byte allocation at "));
  EXPECT_EQ(launcher.read<std::uint32_t>(out, 24)[23], 23u);
}

TEST(ReferenceMachine, PermissiveModeReachesTheMemoryNextDoor) {
  Launcher launcher(module_of(kStoreAt));
  const std::uint64_t out = launcher.buffer(std::vector<std::uint32_t>(24));
  const LaunchResult result = launcher.run("store_at", {1, 1, 1}, {32, 1, 1}, {out, 4});
  EXPECT_TRUE(result.complete);
  EXPECT_EQ(result.fault_count, 0u);
  EXPECT_EQ(launcher.read<std::uint32_t>(out, 32)[31], 31u);
}

TEST(ReferenceMachine, AnAddressOutsideDeviceMemoryEndsTheLaunch) {
  Launcher launcher(module_of(kStoreAt));
  const LaunchResult result = launcher.run("store_at", {1, 1, 1}, {32, 1, 1}, {0x10, 4});
  EXPECT_FALSE(result.complete);
  EXPECT_EQ(result.faults.at(0).message, "out-of-bounds store of 4 bytes at 0x10: a null pointer");
  EXPECT_TRUE(result.faults[0].ends_launch);
}

TEST(ReferenceMachine, ReportsMisalignedAccessesAndUseAfterFree) {
  Launcher launcher(module_of(kStoreAt));
  launcher.options().check = true;
  launcher.memory().keep_released(true);
  const std::uint64_t out = launcher.buffer(std::vector<std::uint32_t>(64));
  const LaunchResult misaligned = launcher.run("store_at", {1, 1, 1}, {2, 1, 1}, {out, 6});
  ASSERT_EQ(misaligned.fault_count, 1u);
  EXPECT_EQ(misaligned.faults[0].kind, FaultKind::kMisaligned);
  EXPECT_EQ(misaligned.faults[0].thread.x, 1u);
  launcher.memory().release(out);
  const LaunchResult freed = launcher.run("store_at", {1, 1, 1}, {1, 1, 1}, {out, 4});
  ASSERT_EQ(freed.fault_count, 1u);
  EXPECT_EQ(freed.faults[0].kind, FaultKind::kUseAfterFree);
  EXPECT_THAT(freed.faults[0].message, HasSubstr("in memory that was freed"));
}

constexpr std::string_view kTwoBarriers = R"(
.visible .entry two_barriers(.param .u32 limit) {
  .reg .pred %p; .reg .b32 %r<4>;
  .loc 1 3 1
  ld.param.u32 %r1, [limit];
  mov.u32 %r2, %tid.x;
  setp.lt.u32 %p, %r2, %r1;
  @%p bra FIRST;
  .loc 1 5 1
  bar.sync 0;
  bra.uni DONE;
FIRST:
  .loc 1 4 1
  bar.sync 0;
DONE:
  ret;
}
.visible .entry half_way() {
  .reg .pred %p; .reg .b32 %r<4>;
  mov.u32 %r2, %tid.x;
  setp.lt.u32 %p, %r2, 32;
  @%p bra FIRST;
  bar.sync 1;
  bra.uni DONE;
FIRST:
  bar.sync 2;
DONE:
  ret;
}
.file 1 "kernel.cu"
)";

TEST(ReferenceMachine, CheckedModeReportsBarrierDivergence) {
  Launcher launcher(module_of(kTwoBarriers));
  launcher.options().check = true;
  const LaunchResult result = launcher.run("two_barriers", {1, 1, 1}, {64, 1, 1}, {16});
  EXPECT_TRUE(result.complete);
  ASSERT_EQ(result.fault_count, 1u);
  EXPECT_EQ(result.faults[0].kind, FaultKind::kBarrierDivergence);
  EXPECT_THAT(result.faults[0].message,
              HasSubstr("barrier divergence: threads of the block wait at different barriers"));
  EXPECT_EQ(launcher.run("two_barriers", {1, 1, 1}, {64, 1, 1}, {64}).fault_count, 0u);
}

TEST(ReferenceMachine, WarpsThatWaitForDifferentBarriersAreADeadlock) {
  Launcher launcher(module_of(kTwoBarriers));
  const LaunchResult result = launcher.run("half_way", {1, 1, 1}, {64, 1, 1}, {});
  ASSERT_FALSE(result.complete);
  EXPECT_EQ(result.faults.at(0).kind, FaultKind::kDeadlock);
  EXPECT_EQ(result.faults[0].details.size(), 2u);
  EXPECT_THAT(result.faults[0].details, Contains(HasSubstr("waiting at barrier 2")));
}

TEST(ReferenceMachine, GivesTheSameResultTwice) {
  Launcher launcher(module_of(kLock));
  const std::uint64_t lock = launcher.buffer(std::vector<std::uint32_t>{0});
  const std::uint64_t sum = launcher.buffer(std::vector<std::uint32_t>{0});
  const LaunchResult first = launcher.run("lock", {3, 1, 1}, {96, 1, 1}, {lock, sum});
  const LaunchResult second = launcher.run("lock", {3, 1, 1}, {96, 1, 1}, {lock, sum});
  EXPECT_EQ(first.warp_instructions, second.warp_instructions);
  EXPECT_EQ(first.thread_instructions_by_class, second.thread_instructions_by_class);
}

// --- bank conflicts and segments ----------------------------------------------------------------------------------------

kernel::exec::MemoryAccess strided(std::uint64_t stride, std::uint32_t bytes) {
  kernel::exec::MemoryAccess access;
  access.mask = kernel::exec::kAllLanes;
  access.bytes = bytes;
  for (std::size_t i = 0; i < access.address.size(); ++i) access.address[i] = i * stride;
  return access;
}

TEST(BankConflicts, FollowFromTheStride) {
  EXPECT_EQ(count_bank_conflicts(strided(4, 4)), 0u);
  EXPECT_EQ(count_bank_conflicts(strided(0, 4)), 0u) << "one word is broadcast";
  EXPECT_EQ(count_bank_conflicts(strided(8, 4)), 1u);
  EXPECT_EQ(count_bank_conflicts(strided(128, 4)), 31u);
  EXPECT_EQ(count_bank_conflicts(strided(132, 4)), 0u) << "a padded row has none";
  EXPECT_EQ(count_bank_conflicts(strided(8, 8)), 0u) << "half warps";
  EXPECT_EQ(count_bank_conflicts(strided(1, 1)), 0u);
}

TEST(Segments, CountDistinctLinesOf128Bytes) {
  EXPECT_EQ(count_segments(strided(4, 4)), 1u);
  EXPECT_EQ(count_segments(strided(8, 4)), 2u);
  EXPECT_EQ(count_segments(strided(128, 4)), 32u);
  EXPECT_EQ(count_segments(strided(0, 4)), 1u);
}

}  // namespace
}  // namespace raddle::machine::ref
