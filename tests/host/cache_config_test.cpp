// What programs prefer of the memory that the L1 and shared memory have in common. Each case runs
// in a process of its own.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>
#include <vector>

#include "experiment/result_json.h"
#include "test_paths.h"
#include "test_program.h"

namespace raddle::host::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::ExitedWithCode;

#define REQUIRE(condition) \
  if (!(condition)) exit(__LINE__ % 200 + 10)

class CacheConfig : public ::testing::Test {
 protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const char* name = ::testing::UnitTest::GetInstance()->current_test_info()->name();
    folder_ = fs::path(test_build_root()) / fmt::format("cache_config_test_{}", name);
    fs::create_directories(folder_);
    setenv("RADDLE_MACHINE", "fermi", 1);
    setenv("RADDLE_JSON", (folder_ / "result.json").c_str(), 1);
  }
  void TearDown() override {
    unsetenv("RADDLE_MACHINE");
    unsetenv("RADDLE_JSON");
    fs::remove_all(folder_);
  }
  // "16/48 none": L1 and shared memory in KB, and what was preferred; by launch.
  std::vector<std::string> splits() const {
    std::vector<std::string> all;
    for (const auto& launch : experiment::read_result_file(folder_ / "result.json").launches)
      all.push_back(fmt::format("{}/{} {}", launch.kernel_launch->l1_split.l1_bytes / 1024,
                                launch.kernel_launch->l1_split.shared_bytes / 1024,
                                launch.kernel_launch->l1_split.preferred));
    return all;
  }

  fs::path folder_;
};

void add_one(cudaStream_t stream = nullptr) {
  static int* numbers = nullptr;
  if (numbers == nullptr) cudaMalloc(reinterpret_cast<void**>(&numbers), 32 * sizeof(int));
  int count = 0;
  void* arguments[] = {&numbers, &count};
  const cudaError_t status =
      cudaLaunchKernel(&program().add_one, dim3(1), dim3(32), arguments, 0, stream);
  REQUIRE(status == cudaSuccess);
}

cudaError_t prefer(cudaFuncCache preference) {
  return cudaFuncSetCacheConfig(&program().add_one, preference);
}

TEST_F(CacheConfig, OfAFunctionGoesBeforeThatOfTheDevice) {
  EXPECT_EXIT(
      {
        add_one();
        REQUIRE(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1) == cudaSuccess);
        add_one();
        REQUIRE(prefer(cudaFuncCachePreferShared) == cudaSuccess);
        add_one();
        REQUIRE(prefer(cudaFuncCachePreferNone) == cudaSuccess);
        add_one();
        cudaFuncCache read = cudaFuncCachePreferNone;
        REQUIRE(cudaDeviceGetCacheConfig(&read) == cudaSuccess && read == cudaFuncCachePreferL1);
        exit(0);
      },
      ExitedWithCode(0), "");
  EXPECT_EQ(splits(),
            (std::vector<std::string>{"16/48 none", "48/16 L1", "16/48 shared", "48/16 L1"}));
}

TEST_F(CacheConfig, OfTheDriverInterfaceIsTheSame) {
  EXPECT_EXIT(
      {
        REQUIRE(cuCtxSetCacheConfig(CU_FUNC_CACHE_PREFER_L1) == CUDA_SUCCESS);
        add_one();
        exit(0);
      },
      ExitedWithCode(0), "");
  EXPECT_EQ(splits(), (std::vector<std::string>{"48/16 L1"}));
}

TEST_F(CacheConfig, IsThatOfTheLaunchThoughItRunsLater) {
  EXPECT_EXIT(
      {
        cudaStream_t stream = nullptr;
        cudaStreamCreate(&stream);
        prefer(cudaFuncCachePreferL1);
        add_one(stream);
        prefer(cudaFuncCachePreferShared);
        add_one(stream);
        exit(0);
      },
      ExitedWithCode(0), "");
  EXPECT_EQ(splits(), (std::vector<std::string>{"48/16 L1", "16/48 shared"}));
}

TEST_F(CacheConfig, IsForgottenWhenTheDeviceIsReset) {
  EXPECT_EXIT(
      {
        prefer(cudaFuncCachePreferL1);
        cudaDeviceSetCacheConfig(cudaFuncCachePreferL1);
        cudaDeviceReset();
        add_one();
        exit(0);
      },
      ExitedWithCode(0), "");
  EXPECT_EQ(splits(), (std::vector<std::string>{"16/48 none"}));
}

TEST_F(CacheConfig, RefusesWhatIsNone) {
  EXPECT_EXIT(
      {
        int no_kernel = 0;
        REQUIRE(prefer(static_cast<cudaFuncCache>(4)) == cudaErrorInvalidValue);
        REQUIRE(cudaDeviceSetCacheConfig(static_cast<cudaFuncCache>(-1)) == cudaErrorInvalidValue);
        REQUIRE(cudaFuncSetCacheConfig(&no_kernel, cudaFuncCachePreferL1) ==
                cudaErrorInvalidDeviceFunction);
        exit(0);
      },
      ExitedWithCode(0), "");
}

TEST_F(CacheConfig, HasNoEffectWhereTheSplitIsFixed) {
  setenv("RADDLE_MACHINE", "fermi-sm", 1);
  EXPECT_EXIT(
      {
        REQUIRE(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1) == cudaSuccess);
        cudaFuncCache read = cudaFuncCachePreferL1;
        REQUIRE(cudaDeviceGetCacheConfig(&read) == cudaSuccess && read == cudaFuncCachePreferNone);
        add_one();
        exit(0);
      },
      ExitedWithCode(0), "");
  EXPECT_EQ(splits(), (std::vector<std::string>{"0/0 "}));
}

}  // namespace
}  // namespace raddle::host::testing
