// The kernels whose counts on GPGPU-Sim 4.2 are known, and that the cost of a simulation grows with
// what is simulated.
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>

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

double best_cpu_seconds(std::uint32_t elements) {
  double best = 1e9;
  for (int i = 0; i < 3; ++i) {
    const std::clock_t start = std::clock();
    EXPECT_TRUE(run_calibration("vecadd", elements).complete);
    best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return best;
}

TEST(Cost, OfSixteenTimesTheBlocksIsSixteenTimesTheTime) {
  calibration_ptx();  // compiled before; the smaller one does not fit the L2 either
  EXPECT_NEAR(best_cpu_seconds(1 << 21) / best_cpu_seconds(1 << 17), 16.0, 0.25 * 16);
}

}  // namespace
}  // namespace raddle::machine::simt
