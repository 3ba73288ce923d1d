// Kernels that go wrong: who, where and why; and the machine works afterwards.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "base/error.h"
#include "machine/simt/gpu_test.h"

namespace raddle::machine::simt {
namespace {

using ::testing::ElementsAre;
using ::testing::IsSupersetOf;

const char* const kGood = R"(
.visible .entry good(.param .u64 buffer, .param .u32 n) {
  .reg .b32 %r<4>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [buffer];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd1, %rd1, %rd2;
  atom.global.add.u32 %r2, [%rd1], %r1;
  ret;
}
)";

// Launches k, which fails, and then another kernel, which does not.
LaunchResult failing(const std::string& body, std::uint32_t blocks = 40, std::uint32_t threads = 64,
                     unsigned host_threads = 1, Cycle max_cycles = Cycle(0)) {
  Fermi gpu(kernel_of(body, kGood));
  gpu.options().host_threads = host_threads;
  gpu.options().control = RunControl(max_cycles);
  const LaunchResult result = gpu.run_k(blocks, threads);
  EXPECT_FALSE(result.complete);
  EXPECT_FALSE(result.faults.empty());
  gpu.options().control = RunControl(Cycle(0));
  const std::uint64_t place = gpu.buffer(std::vector<std::uint32_t>(64, 0));
  const LaunchResult after = gpu.run("good", {30, 1, 1}, {64, 1, 1}, {place, 0});
  EXPECT_TRUE(after.complete);
  EXPECT_TRUE(after.faults.empty());
  for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(gpu.read<std::uint32_t>(place, 64)[i], 30 * i);
  return result;
}

TEST(Faults, OutOfBoundsNamesKernelBlockAndThread) {
  const LaunchResult result = failing(R"(
  setp.ne.u32 %p1, %r3, 777;
  @%p1 bra DONE;
  mov.u64 %rd5, 64;
  ld.global.u32 %r10, [%rd5];
  st.global.u32 [%rd2], %r10;
DONE:
)");
  ASSERT_EQ(result.faults.size(), 1U);
  const Fault& fault = result.faults[0];
  EXPECT_EQ(fault.kind, FaultKind::kOutOfBounds);
  EXPECT_EQ(fault.kernel, "k");
  EXPECT_EQ(fault.block.x, 777U / 64);
  EXPECT_EQ(fault.thread.x, 777U % 64);
  EXPECT_TRUE(fault.ends_launch);
}

TEST(Faults, MisalignedAccessNamesTheThread) {
  const LaunchResult result = failing(R"(
  setp.ne.u32 %p1, %r3, 70;
  @%p1 bra DONE;
  ld.global.u32 %r10, [%rd1+2];
  st.global.u32 [%rd2], %r10;
DONE:
)");
  EXPECT_EQ(result.faults.back().kind, FaultKind::kMisaligned);
  EXPECT_EQ(result.faults.back().block.x, 1U);
  EXPECT_EQ(result.faults.back().thread.x, 6U);
}

TEST(Faults, TrapEndsTheLaunch) {
  for (const unsigned host_threads : {1u, 3u}) {
    const LaunchResult result = failing("trap;", 40, 64, host_threads);
    EXPECT_EQ(result.faults.back().kind, FaultKind::kTrap);
    EXPECT_EQ(result.faults.back().kernel, "k");
  }
}

TEST(Faults, AnAtomicOutOfBoundsIsFoundAtTheEndOfItsQuantum) {
  const LaunchResult result =
      failing("mov.u64 %rd5, 64;\n atom.global.add.u32 %r10, [%rd5], 1;", 3, 32);
  EXPECT_EQ(result.faults.back().kind, FaultKind::kOutOfBounds);
}

// Blocks wait for all blocks of the grid, of which some find no room. Their first warps poll, line
// 8 of the source; the others wait for them, line 10.
constexpr const char* kSource = ".file 1 \"grid.cu\"\n";
const char* const kGridBarrier = R"(
  .loc 1 5 1
  setp.ne.u32 %p1, %r2, 0;
  @%p1 bra JOIN;
  atom.global.add.u32 %r10, [%rd1], 1;
  mov.u32 %r11, %nctaid.x;
AGAIN:
  .loc 1 8 1
  ld.volatile.global.u32 %r12, [%rd1];
  setp.lt.u32 %p2, %r12, %r11;
  @%p2 bra AGAIN;
JOIN:
  .loc 1 10 1
  bar.sync 0;
)";

TEST(Faults, ABlockThatWaitsForOneWithoutRoomIsADeadlock) {
  Fermi gpu(kernel_of(kGridBarrier, kSource));
  const LaunchResult result = gpu.run_k(130, 64);
  EXPECT_FALSE(result.complete);
  ASSERT_FALSE(result.faults.empty());
  const Fault& fault = result.faults.back();
  EXPECT_EQ(fault.kind, FaultKind::kDeadlock);
  EXPECT_EQ(fault.message,
            "deadlock: the 120 resident blocks poll memory that no thread changes, while 10 blocks "
            "wait to become resident");
  EXPECT_EQ(fault.kernel, "k");
  // Of every block: who waits, where, and for what.
  EXPECT_EQ(fault.details.size(), 64U);
  for (const char* block : {"0", "15", "30"}) {
    const std::string name = std::string("block (") + block + ",0,0)";
    EXPECT_THAT(fault.details,
                IsSupersetOf({name + " warp 0: 1 of 32 live threads at grid.cu:8, polling memory",
                              name + " warp 0: 31 of 32 live threads at grid.cu:10, waiting at "
                                     "barrier 0",
                              name + " warp 1: 32 of 32 live threads at grid.cu:10, waiting at "
                                     "barrier 0"}));
  }
}

TEST(Faults, TheSameBlocksEndWhenAllOfThemFindRoom) {
  Fermi gpu(kernel_of(kGridBarrier));
  EXPECT_TRUE(gpu.run_k(120, 64).complete);
  EXPECT_EQ(gpu.words(1)[0], 120U);
}

TEST(Faults, AWordThatNobodySetsIsADeadlockOfAll) {
  const LaunchResult result = failing(R"(
AGAIN:
  ld.volatile.global.u32 %r12, [%rd1];
  setp.eq.u32 %p2, %r12, 0;
  @%p2 bra AGAIN;
)",
                                      2, 32);
  EXPECT_EQ(result.faults.back().message,
            "deadlock: all 2 resident blocks poll memory that no thread changes");
}

TEST(Faults, ALockThatNobodyGivesBackIsADeadlockOfAll) {
  const LaunchResult result = failing(R"(
AGAIN:
  atom.global.cas.b32 %r12, [%rd1], 7, 8;
  setp.ne.u32 %p2, %r12, 7;
  @%p2 bra AGAIN;
)",
                                      2, 32);
  EXPECT_EQ(result.faults.back().message,
            "deadlock: all 2 resident blocks poll memory that no thread changes");
}

TEST(Faults, ABarrierThatSomeNeverReachIsADeadlock) {
  const LaunchResult result = failing(R"(
  setp.lt.u32 %p1, %r2, 32;
  @%p1 bra OTHER;
  bar.sync 1, 64;
  bra DONE;
OTHER:
  bar.sync 2, 64;
DONE:
)",
                                      1, 64);
  EXPECT_EQ(result.faults.back().kind, FaultKind::kDeadlock);
  EXPECT_THAT(
      result.faults.back().details,
      ElementsAre("block (0,0,0) warp 0: 32 of 32 live threads at k, waiting at barrier 2",
                  "block (0,0,0) warp 1: 32 of 32 live threads at k, waiting at barrier 1"));
}

const char* const kEndless = R"(
AGAIN:
  add.u32 %r10, %r10, 1;
  setp.ne.u32 %p1, %r1, 1;
  @%p1 bra AGAIN;
  st.global.u32 [%rd2], %r10;
)";

TEST(Faults, TheWatchdogStopsAKernelAfterItsCycles) {
  const LaunchResult result = failing(kEndless, 2, 32, 1, Cycle(20'000));
  const Fault& fault = result.faults.back();
  EXPECT_EQ(fault.kind, FaultKind::kWatchdogCycles);
  EXPECT_EQ(fault.message, "stopped after 20000 cycles (--max-cycles)");
  EXPECT_EQ(fault.details.size(), 2U) << "a line a warp";
  EXPECT_EQ(result.cycles, 20'000U);
}

TEST(Faults, AnInterruptionStopsAKernel) {
  Fermi gpu(kernel_of(kEndless));
  const std::atomic<bool> interrupted{true};
  gpu.options().control = RunControl(Cycle(0), StopToken(&interrupted));
  const LaunchResult result = gpu.run_k(2, 32);
  EXPECT_FALSE(result.complete);
  EXPECT_EQ(result.faults.back().kind, FaultKind::kInterrupted);
  EXPECT_EQ(result.faults.back().message, "interrupted");
}

TEST(Faults, ADeadlineStopsAKernel) {
  Fermi gpu(kernel_of(kEndless));
  gpu.options().control =
      RunControl(Cycle(0), StopToken(nullptr, std::chrono::steady_clock::now()));
  const LaunchResult result = gpu.run_k(2, 32);
  EXPECT_EQ(result.faults.back().kind, FaultKind::kWatchdogTimeout);
  EXPECT_EQ(result.faults.back().message, "stopped by --timeout");
}

TEST(Faults, ABlockThatFitsNowhereIsRefused) {
  Fermi gpu(kernel_of("st.global.u32 [%rd2], %r2;"), {"core.registers=1024"});
  try {
    gpu.run_k(1, 1024);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.full_text(),
              "kernel 'k' cannot be launched: a block of 1024 threads needs more registers than a "
              "multiprocessor of fermi has\nhint: launch smaller blocks");
  }
}

TEST(Faults, StalledSlotsAreCountedOfAStoppedLaunchToo) {
  const LaunchResult result = failing(kEndless, 2, 32, 1, Cycle(20'000));
  EXPECT_EQ(all_slots(result), static_cast<double>(result.cycles) * 15 * 2);
}

}  // namespace
}  // namespace raddle::machine::simt
