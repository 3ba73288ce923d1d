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

// How often the larger launch takes the time of the smaller one. The smaller one is repeated until
// it has taken as long, side by side with the larger, so that whatever else runs here slows both.
double growth(std::uint32_t smaller, std::uint32_t larger) {
  std::vector<double> ratios;
  for (int round = 0; round < 5; ++round) {
    double small_seconds = 0;
    for (std::uint32_t i = 0; i < larger / smaller; ++i)
      small_seconds += time_calibration("vecadd", smaller).cpu_seconds;
    const double large_seconds = time_calibration("vecadd", larger).cpu_seconds;
    ratios.push_back(large_seconds / small_seconds * (larger / smaller));
  }
  std::nth_element(ratios.begin(), ratios.begin() + 2, ratios.end());
  return ratios[2];
}

TEST(Cost, OfSixteenTimesTheBlocksIsSixteenTimesTheTime) {
  calibration_ptx();  // compiled before; the smaller one does not fit the L2 either
  EXPECT_NEAR(growth(1 << 17, 1 << 21), 16.0, 0.15 * 16);
}

}  // namespace
}  // namespace raddle::machine::simt
