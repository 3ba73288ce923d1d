#include "lang/cuda/gpu_architecture.h"

#include <gtest/gtest.h>

namespace raddle::cuda {
namespace {

TEST(GpuArchitecture, ReadsNvccNames) {
  EXPECT_EQ(architecture_number("sm_20"), 20);
  EXPECT_EQ(architecture_number("compute_75"), 75);
  EXPECT_EQ(architecture_number("sm_90a"), 90);
  EXPECT_EQ(architecture_number("sm_120"), 120);
  EXPECT_EQ(architecture_number("native"), kDefaultArchitecture);
  EXPECT_EQ(architecture_number("fermi"), std::nullopt);
  EXPECT_EQ(architecture_number("sm_x"), std::nullopt);
  EXPECT_EQ(architecture_number("sm_7b"), std::nullopt);
  EXPECT_EQ(architecture_number("sm_"), std::nullopt);
}

TEST(GpuArchitecture, MapsToOnesThatClangKnows) {
  EXPECT_EQ(supported_architecture(13), 35);
  EXPECT_EQ(supported_architecture(30), 35);
  EXPECT_EQ(supported_architecture(70), 70);
  EXPECT_EQ(supported_architecture(71), 70);
  EXPECT_EQ(supported_architecture(88), 87);
  EXPECT_EQ(supported_architecture(120), 90);
}

TEST(GpuArchitecture, PrefersTheNewestThatTheDeviceRuns) {
  EXPECT_EQ(preferred_architecture({}), 70);
  EXPECT_EQ(preferred_architecture({35, 60, 80}), 60);
  EXPECT_EQ(preferred_architecture({80, 60, 35}), 60);
  EXPECT_EQ(preferred_architecture({90, 80}), 80);
  EXPECT_EQ(preferred_architecture({20}), 20);
}

}  // namespace
}  // namespace raddle::cuda
