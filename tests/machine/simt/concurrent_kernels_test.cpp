// Kernels of several streams in flight together: when each runs, what it leaves in memory, and that
// the time and the work of all of them are counted once.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "machine/ref/launcher.h"
#include "machine/ref/ptx_module.h"

namespace raddle::machine::simt {
namespace {

using ref::Launcher;
using ref::module_of;

// work(u32* data, u32 turns): each thread changes its own word that many times.
constexpr std::uint32_t kThreads = 64;
constexpr const char* kWork = R"(
.visible .entry work(.param .u64 data, .param .u32 turns) {
  .reg .u32 %r<8>; .reg .u64 %rd<4>; .reg .pred %p<2>;
  ld.param.u64 %rd1, [data]; ld.param.u32 %r1, [turns];
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;
  mad.lo.u32 %r5, %r2, %r3, %r4;
  mul.wide.u32 %rd2, %r5, 4; add.u64 %rd3, %rd1, %rd2;
  ld.global.u32 %r6, [%rd3];
LOOP:
  mad.lo.u32 %r6, %r6, 3, 7; sub.u32 %r1, %r1, 1;
  setp.ne.u32 %p1, %r1, 0; @%p1 bra LOOP;
  st.global.u32 [%rd3], %r6; ret;
}
.visible .entry stop() { trap; }
)";

std::uint32_t worked(std::uint32_t value, std::uint32_t turns) {
  for (std::uint32_t i = 0; i < turns; ++i) value = value * 3 + 7;
  return value;
}

// Four multiprocessors; a kernel of one block fills less than half of them.
class ConcurrentKernels : public ::testing::Test {
 protected:
  explicit ConcurrentKernels(std::vector<std::string> more = {})
      : gpu_(
            module_of(kWork),
            [&] {
              more.push_back("device.cores=4");
              return more;
            }(),
            "fermi") {}

  std::uint64_t data(std::uint32_t blocks = 1) {
    return gpu_.buffer(std::vector<std::uint32_t>(blocks * kThreads, 5));
  }
  QueuedLaunch work(std::uint32_t stream, std::uint64_t data, std::uint32_t turns,
                    std::uint32_t blocks = 1) {
    return {gpu_.launch_of("work", {blocks}, {kThreads}, {data, turns}), stream};
  }
  void expect_words(std::uint64_t data, std::uint32_t value, std::uint32_t blocks = 1) {
    for (const std::uint32_t word : gpu_.read<std::uint32_t>(data, blocks * kThreads))
      EXPECT_EQ(word, value);
  }

  Launcher gpu_;
};

std::uint64_t end_of(const LaunchResult& result) { return result.start_cycle + result.cycles; }

std::uint64_t added(const std::vector<std::optional<LaunchResult>>& results) {
  std::uint64_t sum = 0;
  for (const auto& result : results) sum += result->added_cycles();
  return sum;
}

double slots_of(const LaunchResult& result) {
  double sum = 0;
  for (const Stall& share : result.stalls) sum += share.cycles;
  return sum;
}

TEST_F(ConcurrentKernels, OfTwoStreamsTakeLessTimeThanOneAfterTheOther) {
  const std::uint64_t a = data(), b = data();
  const auto together = gpu_.run_together({work(1, a, 500), work(2, b, 400)});
  expect_words(a, worked(5, 500));
  expect_words(b, worked(5, 400));
  EXPECT_EQ(together[0]->start_cycle, 0u);
  EXPECT_EQ(together[1]->start_cycle, 0u);
  EXPECT_LT(together[1]->cycles, together[0]->cycles);
  const auto in_turn = gpu_.run_together({work(1, a, 500), work(1, b, 400)});
  EXPECT_LT(added(together), added(in_turn) * 2 / 3);
}

TEST_F(ConcurrentKernels, OfOneStreamDoNotOverlap) {
  const std::uint64_t a = data();
  const auto results = gpu_.run_together({work(3, a, 100), work(3, a, 100), work(3, a, 100)});
  expect_words(a, worked(5, 300));
  for (std::size_t i = 0; i < results.size(); ++i) {
    EXPECT_EQ(results[i]->overlapped_cycles, 0u);
    EXPECT_EQ(results[i]->start_cycle, i == 0 ? 0 : end_of(*results[i - 1]));
  }
}

TEST_F(ConcurrentKernels, WaitForTheirOwnStreamAlone) {
  const std::uint64_t a = data(), b = data(), c = data();
  const auto results = gpu_.run_together({work(1, a, 600), work(1, b, 50), work(2, c, 100)});
  EXPECT_EQ(results[2]->start_cycle, 0u);
  EXPECT_LT(end_of(*results[2]), end_of(*results[0]));
  EXPECT_EQ(results[1]->start_cycle, end_of(*results[0]));
  expect_words(a, worked(5, 600));
  expect_words(b, worked(5, 50));
  expect_words(c, worked(5, 100));
}

TEST_F(ConcurrentKernels, LetTheEarlierOneTakeTheRoomFirst) {
  // 4 multiprocessors with 8 blocks each: the first kernel has two rounds of blocks.
  const std::uint64_t a = data(64), b = data();
  const auto results = gpu_.run_together({work(1, a, 200, 64), work(2, b, 10)});
  expect_words(a, worked(5, 200), 64);
  expect_words(b, worked(5, 10));
  const auto alone = gpu_.run_together({work(2, b, 10)});
  EXPECT_GT(results[1]->cycles, 2 * alone[0]->cycles);
}

TEST_F(ConcurrentKernels, CountTimeAndWorkOnce) {
  const std::uint64_t a = data(), b = data(), c = data();
  const auto results = gpu_.run_together({work(1, a, 300), work(2, b, 200), work(3, c, 200)});
  std::uint64_t end = 0;
  std::uint64_t line_reads = 0;
  for (const auto& result : results) {
    end = std::max(end, end_of(*result));
    // Four multiprocessors with two schedulers each.
    EXPECT_EQ(slots_of(*result), 8.0 * static_cast<double>(result->added_cycles()));
    for (const MemoryTraffic& level : result->memory) {
      if (level.level == "L1") line_reads += level.load_accesses;
    }
  }
  // Two warps that go round a loop of four instructions a hundred times less.
  EXPECT_EQ(results[1]->warp_instructions, results[0]->warp_instructions - 2 * 100 * 4);
  EXPECT_EQ(results[2]->warp_instructions, results[1]->warp_instructions);
  EXPECT_EQ(added(results), end);
  EXPECT_EQ(line_reads, 3u * 2u);  // two warps a kernel, one line each
}

TEST_F(ConcurrentKernels, TakeAsLongAloneAsInABatchOfOne) {
  const std::uint64_t a = data();
  const LaunchResult alone = gpu_.run("work", {1}, {kThreads}, {a, 100});
  EXPECT_EQ(alone.start_cycle, 0u);
  EXPECT_EQ(alone.overlapped_cycles, 0u);
  EXPECT_EQ(slots_of(alone), 8.0 * static_cast<double>(alone.cycles));
}

TEST_F(ConcurrentKernels, AreTheSameForAnyNumberOfHostThreads) {
  std::vector<std::vector<std::uint64_t>> runs;
  for (const unsigned threads : {1u, 2u, 3u}) {
    Launcher gpu(module_of(kWork), {"device.cores=4"}, "fermi");
    gpu.options().host_threads = threads;
    std::vector<QueuedLaunch> launches;
    for (std::uint32_t i = 0; i < 6; ++i) {
      const std::uint64_t buffer = gpu.buffer(std::vector<std::uint32_t>(9 * kThreads, i));
      launches.push_back(
          {gpu.launch_of("work", {3 + i}, {kThreads}, {buffer, 40 + 30 * i}), i % 3});
    }
    std::vector<std::uint64_t>& figures = runs.emplace_back();
    for (const auto& result : gpu.run_together(launches)) {
      figures.insert(figures.end(), {result->start_cycle, result->cycles, result->overlapped_cycles,
                                     result->warp_instructions});
      for (const Stall& share : result->stalls)
        figures.push_back(static_cast<std::uint64_t>(share.cycles));
    }
  }
  EXPECT_EQ(runs[0], runs[1]);
  EXPECT_EQ(runs[0], runs[2]);
}

TEST_F(ConcurrentKernels, KeepTheResultsOfThoseThatEndedBeforeAFault) {
  const std::uint64_t a = data(), b = data(), c = data();
  const auto results = gpu_.run_together({work(1, a, 20),
                                          work(2, b, 100'000),
                                          {gpu_.launch_of("stop", {1}, {1}, {}), 1},
                                          work(1, c, 20)});
  ASSERT_TRUE(results[0] && results[1] && results[2]);
  EXPECT_TRUE(results[0]->complete);
  expect_words(a, worked(5, 20));
  EXPECT_FALSE(results[1]->complete);
  EXPECT_TRUE(results[1]->faults.empty());
  EXPECT_FALSE(results[2]->complete);
  ASSERT_EQ(results[2]->faults.size(), 1u);
  EXPECT_EQ(results[2]->faults[0].kind, FaultKind::kTrap);
  EXPECT_FALSE(results[3]);
  // The next launch finds a GPU in order.
  EXPECT_TRUE(gpu_.run("work", {1}, {kThreads}, {c, 20}).complete);
  expect_words(c, worked(5, 20));
}

TEST_F(ConcurrentKernels, AreStoppedByTheirOwnCycles) {
  gpu_.options().control = RunControl(Cycle(20'000));
  const std::uint64_t a = data(), b = data();
  // The second would be over the limit if it were counted from the start of the first.
  const auto fine = gpu_.run_together({work(1, a, 600), work(1, a, 600)});
  EXPECT_TRUE(fine[1]->complete);
  const auto results = gpu_.run_together({work(1, a, 50), work(2, b, 100'000)});
  EXPECT_TRUE(results[0]->complete);
  ASSERT_EQ(results[1]->faults.size(), 1u);
  EXPECT_EQ(results[1]->faults[0].kind, FaultKind::kWatchdogCycles);
}

TEST_F(ConcurrentKernels, OfThirtyTwoStreamsRunSixteenAtATime) {
  // CUDA C programming guide, compute capability 2.x: 16 concurrent kernels.
  std::vector<std::uint64_t> words;
  std::vector<QueuedLaunch> launches;
  for (std::uint32_t stream = 1; stream <= 32; ++stream) {
    words.push_back(data());
    launches.push_back(work(stream, words.back(), 100));
  }
  const auto results = gpu_.run_together(launches);
  for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(results[i]->start_cycle, 0u) << i;
  std::uint64_t first_end = end_of(*results[0]);
  for (std::size_t i = 1; i < 16; ++i) first_end = std::min(first_end, end_of(*results[i]));
  for (std::size_t i = 16; i < 32; ++i) EXPECT_GE(results[i]->start_cycle, first_end) << i;
  EXPECT_LT(added(results), 3 * results[0]->cycles);  // two waves, not sixteen
  for (const std::uint64_t each : words) expect_words(each, worked(5, 100));
}

class FewConcurrentKernels : public ConcurrentKernels {
 protected:
  FewConcurrentKernels() : ConcurrentKernels({"device.kernels=2", "device.launch_cycles=100"}) {}
};

TEST_F(FewConcurrentKernels, AreNoMoreThanTheDeviceHolds) {
  const std::uint64_t a = data(), b = data(), c = data();
  const auto results = gpu_.run_together({work(1, a, 300), work(2, b, 100), work(3, c, 100)});
  EXPECT_EQ(results[1]->start_cycle, 0u);
  EXPECT_EQ(results[2]->start_cycle, end_of(*results[1]));
  expect_words(c, worked(5, 100));
}

TEST_F(FewConcurrentKernels, TakeTheirTimeToBeLaunched) {
  const std::uint64_t a = data();
  Launcher quick(module_of(kWork), {"device.cores=4"}, "fermi");
  const std::uint64_t b = quick.buffer(std::vector<std::uint32_t>(kThreads, 5));
  const std::uint64_t slow_cycles = gpu_.run("work", {1}, {kThreads}, {a, 100}).cycles;
  EXPECT_NEAR(static_cast<double>(slow_cycles),
              static_cast<double>(quick.run("work", {1}, {kThreads}, {b, 100}).cycles) + 100, 10);
  const auto results = gpu_.run_together({work(1, a, 100), work(1, a, 100), work(2, data(), 500)});
  EXPECT_EQ(results[1]->start_cycle, end_of(*results[0]));
  expect_words(a, worked(5, 3 * 100));
}

}  // namespace
}  // namespace raddle::machine::simt
