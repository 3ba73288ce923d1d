// Figures over time add up to those of the launch, and taking them changes nothing.
#include "machine/simt/gpu_sampler.h"

#include <gtest/gtest.h>

#include <numeric>

#include "machine/ref/launcher.h"
#include "machine/ref/ptx_module.h"

namespace raddle::machine::simt {
namespace {

// Every thread loads 16 words, far apart, and stores their sum.
constexpr std::string_view kSums = R"(
.visible .entry sums(.param .u64 data) {
  .reg .pred %p; .reg .b32 %r<8>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [data];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mad.lo.u32 %r1, %r2, %r3, %r1;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd1, %rd1, %rd2;
  mov.u32 %r4, 0;
  mov.u32 %r5, 0;
AGAIN:
  ld.global.u32 %r6, [%rd1];
  add.u32 %r5, %r5, %r6;
  add.s64 %rd1, %rd1, 16384;
  add.u32 %r4, %r4, 1;
  setp.lt.u32 %p, %r4, 16;
  @%p bra AGAIN;
  st.global.u32 [%rd1], %r5;
  ret;
}
)";

class SamplerTest : public testing::Test {
 protected:
  LaunchResult run(std::uint64_t sample_cycles) {
    ref::Launcher launcher(ref::module_of(kSums), {}, "fermi");
    const std::uint64_t data = launcher.buffer(std::vector<std::uint32_t>(1u << 17));
    launcher.options().sample_cycles = Cycle(sample_cycles);
    return launcher.run("sums", {16, 1, 1}, {256, 1, 1}, {data});
  }
  static const SampleSeries& series(const LaunchResult& result, std::string_view name) {
    for (const SampleSeries& one : result.samples) {
      if (one.name == name) return one;
    }
    ADD_FAILURE() << name;
    return result.samples.front();
  }
  // The cycles that a sample stands for: the last one ends with the launch's last quantum.
  std::uint64_t length_of(const LaunchResult& result, std::size_t sample) const {
    double slots = 0;
    for (const Stall& use : result.stalls) slots += use.cycles;
    const auto all = static_cast<std::uint64_t>(slots) / (gpu_.cores * gpu_.core.schedulers);
    return std::min(result.sample_cycles, all - sample * result.sample_cycles);
  }
  double sum_of(const LaunchResult& result, std::string_view name) const {
    const std::vector<double>& values = series(result, name).values;
    double sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i)
      sum += values[i] * static_cast<double>(length_of(result, i));
    return sum;
  }

  GpuParameters gpu_{load_parameters("fermi")};
};

TEST_F(SamplerTest, AddsUpToTheLaunch) {
  for (const std::uint64_t cycles : {1u, 100u, 512u, 1'000'000u}) {
    const LaunchResult result = run(cycles);
    ASSERT_GE(result.sample_cycles, cycles);
    const auto samples = series(result, "IPC").values.size();
    EXPECT_EQ(samples, (result.cycles + result.sample_cycles - 1) / result.sample_cycles);
    EXPECT_NEAR(sum_of(result, "IPC"), static_cast<double>(result.thread_instructions), 1e-3);
    const MemoryTraffic& dram = result.memory.back();
    ASSERT_EQ(dram.level, "DRAM");
    EXPECT_NEAR(sum_of(result, "DRAM traffic") / gpu_.core_clock.count(),
                static_cast<double>(dram.bytes_read + dram.bytes_written), 1e-3);
    for (const Stall& use : result.stalls)
      EXPECT_NEAR(sum_of(result, use.name) * gpu_.cores * gpu_.core.schedulers, use.cycles, 1e-3)
          << use.name;
  }
}

TEST_F(SamplerTest, SharesOfSlotsSumToOneInEverySample) {
  const LaunchResult result = run(200);
  const std::size_t samples = series(result, "IPC").values.size();
  ASSERT_GT(samples, 3u);
  for (std::size_t i = 0; i < samples; ++i) {
    double sum = 0;
    for (const Stall& use : result.stalls) {
      EXPECT_EQ(series(result, use.name).unit, "ratio");
      sum += series(result, use.name).values[i];
    }
    EXPECT_NEAR(sum, 1, 1e-9) << i;
    for (const char* name : {"L1 hit rate", "L2 hit rate", "DRAM share of peak"}) {
      EXPECT_GE(series(result, name).values[i], 0) << name;
      EXPECT_LE(series(result, name).values[i], 1) << name;
    }
    EXPECT_LE(series(result, "resident warps").values[i], gpu_.core.warps);
  }
}

TEST_F(SamplerTest, ChangesNothingElse) {
  const LaunchResult plain = run(0);
  const LaunchResult sampled = run(64);
  EXPECT_TRUE(plain.samples.empty());
  EXPECT_EQ(plain.cycles, sampled.cycles);
  ASSERT_EQ(plain.stats.size(), sampled.stats.size());
  for (std::size_t i = 0; i < plain.stats.size(); ++i)
    EXPECT_EQ(plain.stats[i].value, sampled.stats[i].value) << plain.stats[i].name;
}

}  // namespace
}  // namespace raddle::machine::simt
