// The kernels whose counts on GPGPU-Sim 4.2 are known, and that the cost of a simulation grows with
// what is simulated.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "machine/simt/calibration.h"

namespace raddle::machine::simt {
namespace {

TEST(Calibration, OfVecaddIsWithinTheGoals) {
  const LaunchResult result = run_calibration("vecadd", 1 << 20);
  EXPECT_NEAR(static_cast<double>(result.thread_instructions), 22'020'096, 0.02 * 22'020'096);
  EXPECT_NEAR(static_cast<double>(result.cycles), 85'737, 0.2 * 85'737);
}

TEST(Calibration, OfMatmulIsWithinTheGoals) {
  const LaunchResult result = run_calibration("matmul", 256);
  EXPECT_NEAR(static_cast<double>(result.thread_instructions), 68'681'728, 0.02 * 68'681'728);
  EXPECT_NEAR(static_cast<double>(result.cycles), 137'919, 0.2 * 137'919);
}

constexpr std::uint32_t kTimes = 16;
constexpr std::uint32_t kSmaller = 1 << 18;  // whose arrays are too large for the L2 already
constexpr std::uint32_t kLarger = kTimes * kSmaller;

TEST(Cost, OfSixteenTimesTheBlocksIsSixteenTimesTheTime) {
  calibration_ptx();  // compiled before
  // The smaller launch is repeated until it has taken as long, side by side with the larger one, so
  // that whatever else runs on this host slows both.
  std::vector<double> growth;
  for (int round = 0; round < 5; ++round) {
    std::uint64_t smaller_cycles = 0;
    double smaller_seconds = 0;
    for (std::uint32_t i = 0; i < kTimes; ++i) {
      const CalibrationRun run = time_calibration("vecadd", kSmaller);
      smaller_cycles += run.result.cycles;
      smaller_seconds += run.cpu_seconds;
    }
    const CalibrationRun larger = time_calibration("vecadd", kLarger);
    ASSERT_NEAR(static_cast<double>(larger.result.cycles), static_cast<double>(smaller_cycles),
                0.02 * static_cast<double>(smaller_cycles))
        << "what is simulated must grow as well";
    growth.push_back(kTimes * larger.cpu_seconds / smaller_seconds);
  }
  std::nth_element(growth.begin(), growth.begin() + 2, growth.end());
  EXPECT_NEAR(growth[2], kTimes, 0.15 * kTimes);
}

}  // namespace
}  // namespace raddle::machine::simt
