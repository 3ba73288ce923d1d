// One of the kernels whose counts on GPGPU-Sim 4.2 are known; the others are among the slow tests.
#include <gtest/gtest.h>

#include "machine/simt/calibration.h"

namespace raddle::machine::simt {
namespace {

TEST(Calibration, OfHotspotIsWithinTheGoals) {
  const LaunchResult result = run_calibration("hotspot", 512);
  EXPECT_NEAR(static_cast<double>(result.thread_instructions), 16'252'928, 0.02 * 16'252'928);
  EXPECT_NEAR(static_cast<double>(result.cycles), 41'355, 0.2 * 41'355);
}

}  // namespace
}  // namespace raddle::machine::simt
