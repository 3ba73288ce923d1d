// Barriers of a block: several at once, used by different warps, and what checked mode says of
// threads that do not come.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "machine/ref/launcher.h"
#include "machine/ref/ptx_module.h"

namespace raddle::machine::ref {
namespace {

// Two pairs of warps exchange words over a barrier of their own, the one pair 3 times, the other 5
// times; then all four warps meet.
constexpr std::string_view kPairs = R"(
.visible .entry pairs(.param .u64 out) {
  .reg .pred %p; .reg .b32 %r<16>; .reg .b64 %rd<4>;
  .shared .align 4 .b8 cells[512];
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  shr.u32 %r2, %r1, 6;         // the pair
  add.u32 %r3, %r2, 1;         // its barrier
  shl.b32 %r4, %r2, 1;
  add.u32 %r4, %r4, 3;         // its rounds
  mov.u32 %r5, cells;
  shl.b32 %r6, %r1, 2;
  add.u32 %r6, %r5, %r6;       // my word
  xor.b32 %r7, %r1, 32;
  shl.b32 %r7, %r7, 2;
  add.u32 %r7, %r5, %r7;       // my partner's
  mov.u32 %r8, %r1;
ROUND:
  st.shared.u32 [%r6], %r8;
  bar.sync %r3, 64;
  ld.shared.u32 %r9, [%r7];
  bar.sync %r3, 64;
  mad.lo.u32 %r8, %r9, 3, %r8;
  sub.u32 %r4, %r4, 1;
  setp.ne.u32 %p, %r4, 0;
  @%p bra ROUND;
  st.shared.u32 [%r6], %r8;
  bar.sync 0;
  xor.b32 %r10, %r1, 64;
  shl.b32 %r10, %r10, 2;
  add.u32 %r10, %r5, %r10;
  ld.shared.u32 %r11, [%r10];
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r11;
  ret;
}
)";

TEST(Barriers, PairsOfWarpsUseOneEachAtTheirOwnPace) {
  Launcher launcher(module_of(kPairs));
  for (const bool check : {false, true}) {
    launcher.options().check = check;
    const std::uint64_t out = launcher.buffer(std::vector<std::uint32_t>(128));
    const LaunchResult result = launcher.run("pairs", {1, 1, 1}, {128, 1, 1}, {out});
    EXPECT_EQ(result.fault_count, 0u);
    // Two warps, two barriers a round; then all four once.
    EXPECT_EQ(result.barriers, 2u * 2 * 3 + 2u * 2 * 5 + 4);

    std::array<std::uint32_t, 128> word{};
    for (std::uint32_t i = 0; i < 128; ++i) word[i] = i;
    for (std::uint32_t round = 0; round < 5; ++round) {
      const std::array<std::uint32_t, 128> before = word;
      for (std::uint32_t i = round < 3 ? 0 : 64; i < 128; ++i) word[i] += 3 * before[i ^ 32];
    }
    const auto values = launcher.read<std::uint32_t>(out, 128);
    for (std::uint32_t i = 0; i < 128; ++i) EXPECT_EQ(values[i], word[i ^ 64]) << i;
  }
}

// Warp 0 fills the cells 4 times, warp 1 adds them up: `full` and `empty` are barriers that one
// side only arrives at.
constexpr std::string_view kHandOver = R"(
.visible .entry hand_over(.param .u64 out) {
  .reg .pred %p; .reg .b32 %r<16>; .reg .b64 %rd<4>;
  .shared .align 4 .b8 cells[128];
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %laneid;
  mov.u32 %r2, cells;
  shl.b32 %r3, %r1, 2;
  add.u32 %r3, %r2, %r3;
  mov.u32 %r4, 0;              // round
  mov.u32 %r5, 0;              // sum
  mov.u32 %r6, %tid.x;
  setp.ge.u32 %p, %r6, 32;
  @%p bra CONSUME;
PRODUCE:
  bar.sync 2, 64;              // empty
  mad.lo.u32 %r7, %r4, 100, %r1;
  st.shared.u32 [%r3], %r7;
  bar.arrive 1, 64;            // full
  add.u32 %r4, %r4, 1;
  setp.lt.u32 %p, %r4, 4;
  @%p bra PRODUCE;
  ret;
CONSUME:
  bar.arrive 2, 64;
  bar.sync 1, 64;
  ld.shared.u32 %r7, [%r3];
  add.u32 %r5, %r5, %r7;
  add.u32 %r4, %r4, 1;
  setp.lt.u32 %p, %r4, 4;
  @%p bra CONSUME;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r5;
  ret;
}
)";

TEST(Barriers, AProducerArrivesWhereAConsumerWaits) {
  Launcher launcher(module_of(kHandOver));
  for (const bool check : {false, true}) {
    launcher.options().check = check;
    const std::uint64_t out = launcher.buffer(std::vector<std::uint32_t>(32));
    const LaunchResult result = launcher.run("hand_over", {1, 1, 1}, {64, 1, 1}, {out});
    EXPECT_TRUE(result.complete);
    EXPECT_EQ(result.fault_count, 0u);
    const auto sums = launcher.read<std::uint32_t>(out, 32);
    for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(sums[i], 4 * i + 600) << i;
  }
}

// --- threads that do not come

// Threads below `limit` wait at a barrier; every thread then writes its word.
constexpr std::string_view kSomeWait = R"(
.visible .entry some_wait(.param .u64 out, .param .u32 limit) {
  .reg .pred %p; .reg .b32 %r<4>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [limit];
  mov.u32 %r2, %tid.x;
  setp.ge.u32 %p, %r2, %r1;
  @%p bra PAST;
  .loc 1 7 1
  bar.sync 0;
PAST:
  mul.wide.u32 %rd2, %r2, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], 1;
  ret;
}
.visible .entry some_leave(.param .u64 out, .param .u32 limit) {
  .reg .pred %p; .reg .b32 %r<4>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [limit];
  mov.u32 %r2, %tid.x;
  setp.ge.u32 %p, %r2, %r1;
  @%p bra OUT;
  bar.sync 0;
  mul.wide.u32 %rd2, %r2, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], 1;
OUT:
  ret;
}
.file 1 "kernel.cu"
)";

LaunchResult run_limited(const char* kernel, std::uint64_t threads, std::uint32_t limit,
                         bool check) {
  Launcher launcher(module_of(kSomeWait));
  launcher.options().check = check;
  const std::uint64_t out = launcher.buffer(std::vector<std::uint32_t>(threads));
  return launcher.run(kernel, {1, 1, 1}, {static_cast<std::uint32_t>(threads), 1, 1}, {out, limit});
}

TEST(BarrierChecks, LanesThatPassABarrierByAreReportedOnce) {
  const LaunchResult result = run_limited("some_wait", 32, 16, true);
  EXPECT_TRUE(result.complete);
  ASSERT_EQ(result.fault_count, 1u);
  EXPECT_EQ(result.faults[0].kind, FaultKind::kBarrierDivergence);
  EXPECT_EQ(
      result.faults[0].message,
      "barrier divergence: this thread did not reach the barrier at which others of its warp wait");
  EXPECT_EQ(result.faults[0].location, "kernel.cu:7");
  EXPECT_EQ(result.faults[0].thread.x, 16u);
}

TEST(BarrierChecks, LanesOfALaterWarpAreReportedToo) {
  const LaunchResult result = run_limited("some_wait", 96, 70, true);
  ASSERT_EQ(result.fault_count, 1u);
  EXPECT_EQ(result.faults[0].thread.x, 70u);
}

TEST(BarrierChecks, AreForCheckedModeAlone) {
  EXPECT_EQ(run_limited("some_wait", 32, 16, false).fault_count, 0u);
}

TEST(BarrierChecks, ThreadsThatAllComeAreRight) {
  EXPECT_EQ(run_limited("some_wait", 96, 96, true).fault_count, 0u);
  EXPECT_EQ(run_limited("some_leave", 96, 96, true).fault_count, 0u);
}

TEST(BarrierChecks, LanesThatReturnEarlyAreNotWaitedFor) {
  for (const std::uint32_t limit : {1u, 16u, 31u, 33u, 64u, 95u}) {
    EXPECT_EQ(run_limited("some_leave", 96, limit, true).fault_count, 0u) << limit;
  }
}

// As on a card: threads that have ended are not waited for, whether they left early or went on
// without the barrier.
TEST(BarrierChecks, WholeWarpsThatEndWithoutComingAreNotReported) {
  const LaunchResult result = run_limited("some_wait", 64, 32, true);
  EXPECT_TRUE(result.complete);
  EXPECT_EQ(result.fault_count, 0u);
}

}  // namespace
}  // namespace raddle::machine::ref
