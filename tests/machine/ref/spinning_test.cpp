// Kernels that wait by polling memory: they end after few instructions, and loops that only look
// like waiting keep their lanes together.
#include <gtest/gtest.h>

#include <cctype>
#include <string>
#include <utility>
#include <vector>

#include "machine/ref/launcher.h"
#include "machine/ref/ptx_module.h"

namespace raddle::machine::ref {
namespace {

// The naive lock: whoever fails tries again at once.
constexpr std::string_view kLock = R"(
.visible .entry lock(.param .u64 lock, .param .u64 sum) {
  .reg .pred %p; .reg .b32 %r<4>; .reg .b64 %rd<3>;
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

// Warp instructions that one thread needs to get the lock, use it and give it back while the other
// lanes of its warp wait: some tens of polls to see that they do, not thousands.
constexpr std::uint64_t kPerLock = 100;
// What each warp that waits takes of its turn.
constexpr std::uint64_t kPerWaitingWarp = 60;

std::uint64_t cycles_of_lock(std::uint32_t blocks, std::uint32_t threads,
                             std::vector<std::string> settings = {}) {
  Launcher launcher(module_of(kLock), std::move(settings));
  const std::uint64_t lock = launcher.buffer(std::vector<std::uint32_t>{0});
  const std::uint64_t sum = launcher.buffer(std::vector<std::uint32_t>{0});
  launcher.options().control = RunControl(Cycle(100'000'000));
  const LaunchResult result = launcher.run("lock", {blocks, 1, 1}, {threads, 1, 1}, {lock, sum});
  EXPECT_TRUE(result.complete);
  EXPECT_EQ(launcher.read<std::uint32_t>(sum, 1)[0], blocks * threads);
  return result.cycles;
}

TEST(Spinning, ALockOfAllLanesOfAWarpTakesFewInstructions) {
  EXPECT_LT(cycles_of_lock(1, 32), 32 * kPerLock);
}

TEST(Spinning, ALockOfSeveralWarpsAndBlocksTakesFewInstructions) {
  EXPECT_LT(cycles_of_lock(1, 256), 256 * kPerLock);
  EXPECT_LT(cycles_of_lock(16, 64), 16 * 64 * kPerLock);
}

TEST(Spinning, BlocksThatAreStoppedWhileTheyHoldALockCostTheOthersOneTurnEach) {
  constexpr std::uint64_t kWarps = 16 * 2;
  EXPECT_LT(cycles_of_lock(16, 64, {"slice_warp_instructions=100"}),
            16 * 64 * kWarps * kPerWaitingWarp);
}

// Rounds of a barrier between all blocks: the first thread of each counts itself and polls.
constexpr std::string_view kGridBarrier = R"(
.visible .entry grid_barrier(.param .u64 arrived, .param .u32 rounds) {
  .reg .pred %p, %q; .reg .b32 %r<8>; .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [arrived];
  ld.param.u32 %r1, [rounds];
  mov.u32 %r2, %tid.x;
  mov.u32 %r3, %nctaid.x;
  mov.u32 %r4, 0;              // arrivals to wait for
  setp.ne.u32 %q, %r2, 0;
ROUND:
  bar.sync 0;
  add.u32 %r4, %r4, %r3;
  @%q bra WAITED;
  atom.global.add.u32 %r5, [%rd1], 1;
POLL:
  ld.volatile.global.u32 %r5, [%rd1];
  setp.lt.u32 %p, %r5, %r4;
  @%p bra POLL;
WAITED:
  bar.sync 0;
  sub.u32 %r1, %r1, 1;
  setp.ne.u32 %p, %r1, 0;
  @%p bra ROUND;
  ret;
}
)";

TEST(Spinning, ABarrierOf64BlocksTakesFewInstructions) {
  constexpr std::uint64_t kBlocks = 64;
  constexpr std::uint64_t kRounds = 50;
  constexpr std::uint64_t kWarps = 4;
  Launcher launcher(module_of(kGridBarrier));
  launcher.options().control = RunControl(Cycle(100'000'000));
  const std::uint64_t arrived = launcher.buffer(std::vector<std::uint32_t>{0});
  const LaunchResult result =
      launcher.run("grid_barrier", {kBlocks, 1, 1}, {32 * kWarps, 1, 1}, {arrived, kRounds});
  ASSERT_TRUE(result.complete);
  EXPECT_EQ(launcher.read<std::uint32_t>(arrived, 1)[0], kBlocks * kRounds);
  // A round: some ten instructions a warp, and a block that waits sees so after 17 polls of 3.
  EXPECT_LT(result.cycles, kBlocks * kRounds * (kWarps * 12 + 4 * kPerWaitingWarp));
}

// --- loops that poll and get on

// Half of the warp reads `count` words in a loop before it meets the other half again.
std::string loop_of(std::string_view body) {
  return module_of(R"(
.visible .entry loop(.param .u64 words, .param .u32 count, .param .u64 out) {
  .reg .pred %p, %q; .reg .b32 %r<8>; .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [words];
  ld.param.u32 %r1, [count];
  ld.param.u64 %rd2, [out];
  mov.u32 %r2, %tid.x;
  mov.u32 %r3, 0;
  setp.ge.u32 %q, %r2, 16;
  @%q bra MEET;
LOOP:
)" + std::string(body) +
                   R"(
  sub.u32 %r1, %r1, 1;
  setp.ne.u32 %p, %r1, 0;
  @%p bra LOOP;
MEET:
  mul.wide.u32 %rd3, %r2, 4;
  add.s64 %rd4, %rd2, %rd3;
  st.global.u32 [%rd4], %r3;
  ret;
}
)");
}

struct Loop {
  const char* name;
  const char* body;
  std::uint64_t instructions;  // of the body
};

constexpr Loop kReadsOn{"volatile loads that move on", R"(
  ld.volatile.global.u32 %r4, [%rd1];
  add.u32 %r3, %r3, %r4;
  add.s64 %rd1, %rd1, 4;
)",
                        3};
constexpr Loop kCounts{"atomics whose values change", R"(
  atom.global.add.u32 %r4, [%rd1], 1;
  add.u32 %r3, %r3, 1;
)",
                       2};
constexpr Loop kStoresOn{"a poll of one word, and stores that move on", R"(
  ld.volatile.global.u32 %r4, [%rd2];
  add.s64 %rd1, %rd1, 4;
  st.global.u32 [%rd1], 1;
  add.u32 %r3, %r3, 1;
)",
                         4};

class PollingLoops : public ::testing::TestWithParam<Loop> {};

TEST_P(PollingLoops, KeepTheirLanesTogether) {
  constexpr std::uint64_t kRounds = 1000;
  Launcher launcher(loop_of(GetParam().body));
  const std::uint64_t words = launcher.buffer(std::vector<std::uint32_t>(2 * kRounds, 1));
  const std::uint64_t out = launcher.buffer(std::vector<std::uint32_t>(32));
  const LaunchResult result = launcher.run("loop", {1, 1, 1}, {32, 1, 1}, {words, kRounds, out});
  // One divergent branch; the half that does not loop waits, and both end together.
  EXPECT_EQ(result.divergent_branches, 1u);
  EXPECT_EQ(result.branches, 1u + kRounds);
  EXPECT_EQ(result.warp_instructions, 7u + kRounds * (GetParam().instructions + 3) + 4u);
  const auto values = launcher.read<std::uint32_t>(out, 32);
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(values[i], i < 16 ? kRounds : 0u);
}

INSTANTIATE_TEST_SUITE_P(Spinning, PollingLoops, ::testing::Values(kReadsOn, kCounts, kStoresOn),
                         [](const auto& test) {
                           std::string name = test.param.name;
                           for (char& c : name) c = std::isalnum(c) != 0 ? c : '_';
                           return name;
                         });

}  // namespace
}  // namespace raddle::machine::ref
