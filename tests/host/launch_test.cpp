// Kernels launched through the runtime on the reference machine: arguments, refused launches, and
// what the program hears when a kernel fails.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "test_program.h"

namespace raddle::host::testing {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

class Launches : public ::testing::Test {
 protected:
  void SetUp() override {
    cudaDeviceReset();
    program();
  }

  static int* device_ints(std::size_t count) {
    void* pointer = nullptr;
    EXPECT_EQ(cudaMalloc(&pointer, count * sizeof(int)), cudaSuccess);
    EXPECT_EQ(cudaMemset(pointer, 0, count * sizeof(int)), cudaSuccess);
    return static_cast<int*>(pointer);
  }
  static std::vector<int> read(const int* device, std::size_t count) {
    std::vector<int> host(count, -1);
    EXPECT_EQ(cudaMemcpy(host.data(), device, count * sizeof(int), cudaMemcpyDeviceToHost),
              cudaSuccess);
    return host;
  }
  static cudaError_t launch(const char& kernel, dim3 grid, dim3 block, std::vector<void*> arguments,
                            std::size_t shared_bytes = 0) {
    return cudaLaunchKernel(&kernel, grid, block, arguments.data(), shared_bytes, nullptr);
  }
  static cudaError_t add_one(int* data, int count, dim3 grid, dim3 block) {
    return launch(program().add_one, grid, block, {&data, &count});
  }
};

TEST_F(Launches, RunTheKernelWithItsArguments) {
  int* data = device_ints(100);
  ASSERT_EQ(add_one(data, 90, dim3(2), dim3(64)), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  std::vector<int> expected(100, 0);
  std::fill_n(expected.begin(), 90, 1);
  EXPECT_EQ(read(data, 100), expected);
}

TEST_F(Launches, PassStructuresByValue) {
  struct Pair {
    float a;
    double b;
  } factors{2.5F, -3.0};
  float* a = reinterpret_cast<float*>(device_ints(1));
  double* b = reinterpret_cast<double*>(device_ints(2));
  const float four = 4.0F;
  const double five = 5.0;
  ASSERT_EQ(cudaMemcpy(a, &four, 4, cudaMemcpyHostToDevice), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(b, &five, 8, cudaMemcpyHostToDevice), cudaSuccess);
  ASSERT_EQ(launch(program().scale_pair, dim3(1), dim3(1), {&factors, &a, &b}), cudaSuccess);
  float scaled_a = 0;
  double scaled_b = 0;
  ASSERT_EQ(cudaMemcpy(&scaled_a, a, 4, cudaMemcpyDeviceToHost), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(&scaled_b, b, 8, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(scaled_a, 10.0F);
  EXPECT_EQ(scaled_b, -15.0);
}

TEST_F(Launches, TakeTheOldThreeCallsToo) {
  int* data = device_ints(4);
  const int count = 4;
  ASSERT_EQ(cudaConfigureCall(dim3(1), dim3(4), 0, nullptr), cudaSuccess);
  ASSERT_EQ(cudaSetupArgument(&data, sizeof(data), 0), cudaSuccess);
  ASSERT_EQ(cudaSetupArgument(&count, sizeof(count), 8), cudaSuccess);
  ASSERT_EQ(cudaLaunch(&program().add_one), cudaSuccess);
  EXPECT_THAT(read(data, 4), Each(1));
  EXPECT_EQ(cudaLaunch(&program().add_one), cudaErrorMissingConfiguration);
}

TEST_F(Launches, WithZeroOrTooManyThreadsAreRefusedWithCudasError) {
  int* data = device_ints(4);
  EXPECT_EQ(add_one(data, 4, dim3(0), dim3(4)), cudaErrorInvalidConfiguration);
  EXPECT_EQ(add_one(data, 4, dim3(1), dim3(0)), cudaErrorInvalidConfiguration);
  EXPECT_EQ(add_one(data, 4, dim3(1), dim3(1025)), cudaErrorInvalidConfiguration);
  EXPECT_EQ(add_one(data, 4, dim3(1), dim3(1, 1, 65)), cudaErrorInvalidConfiguration);
  EXPECT_EQ(add_one(data, 4, dim3(1, 65536), dim3(1)), cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
  EXPECT_THAT(read(data, 4), Each(0));
  EXPECT_EQ(add_one(data, 4, dim3(1), dim3(4)), cudaSuccess);
}

TEST_F(Launches, BeyondLaunchBoundsOrSharedMemoryAreRefused) {
  EXPECT_EQ(launch(program().bounded, dim3(1), dim3(64), {}), cudaSuccess);
  EXPECT_EQ(launch(program().bounded, dim3(1), dim3(65), {}), cudaErrorInvalidValue);
  int* data = device_ints(1);
  EXPECT_EQ(launch(program().shares, dim3(1), dim3(1), {&data}, 9152), cudaSuccess);
  EXPECT_EQ(launch(program().shares, dim3(1), dim3(1), {&data}, 9153), cudaErrorInvalidValue);
  ASSERT_EQ(
      cudaFuncSetAttribute(&program().shares, cudaFuncAttributeMaxDynamicSharedMemorySize, 20000),
      cudaSuccess);
  EXPECT_EQ(launch(program().shares, dim3(1), dim3(1), {&data}, 20000), cudaSuccess);
  EXPECT_EQ(launch(program().shares, dim3(1), dim3(1), {&data}, 20001), cudaErrorInvalidValue);
  EXPECT_EQ(
      cudaFuncSetAttribute(&program().shares, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20),
      cudaErrorInvalidValue);
}

TEST_F(Launches, OfAnotherShapeThanTheKernelRequiresAreRefused) {
  EXPECT_EQ(launch(program().shaped, dim3(1), dim3(32, 2), {}), cudaSuccess);
  EXPECT_EQ(launch(program().shaped, dim3(1), dim3(64), {}), cudaErrorInvalidConfiguration);
  EXPECT_EQ(launch(program().shaped, dim3(1), dim3(32, 4), {}), cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

TEST_F(Launches, WithMoreStaticSharedMemoryThanABlockHasAreRefused) {
  EXPECT_EQ(launch(program().shares_more, dim3(1), dim3(1), {}), cudaErrorInvalidValue);
  ASSERT_EQ(cudaFuncSetAttribute(&program().shares_more,
                                 cudaFuncAttributeMaxDynamicSharedMemorySize, 1024),
            cudaSuccess);
  EXPECT_EQ(launch(program().shares_more, dim3(1), dim3(1), {}), cudaErrorInvalidValue)
      << "what is static cannot opt in";
}

TEST_F(Launches, OfWhatIsNoKernelAreRefused) {
  const char stranger = 0;
  EXPECT_EQ(launch(stranger, dim3(1), dim3(1), {}), cudaErrorInvalidDeviceFunction);
  EXPECT_EQ(launch(program().missing, dim3(1), dim3(1), {}), cudaErrorInvalidDeviceFunction);
}

TEST_F(Launches, ThatAreCooperativeMustBeResidentTogether) {
  int* data = device_ints(4);
  int count = 4;
  void* arguments[] = {&data, &count};
  EXPECT_EQ(
      cudaLaunchCooperativeKernel(&program().add_one, dim3(16), dim3(1024), arguments, 0, nullptr),
      cudaSuccess);
  EXPECT_EQ(cudaLaunchCooperativeKernel(&program().add_one, dim3(1000), dim3(1024), arguments, 0,
                                        nullptr),
            cudaErrorCooperativeLaunchTooLarge);
}

TEST_F(Launches, ThatTrapLeaveAnErrorUntilTheDeviceIsReset) {
  int* data = device_ints(4);
  EXPECT_EQ(launch(program().trap, dim3(1), dim3(1), {}), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
  EXPECT_EQ(cudaGetLastError(), cudaErrorLaunchFailure);
  EXPECT_EQ(cudaGetLastError(), cudaErrorLaunchFailure);
  EXPECT_EQ(cudaMemset(data, 0, 4), cudaErrorLaunchFailure);
  EXPECT_EQ(add_one(data, 4, dim3(1), dim3(4)), cudaErrorLaunchFailure);
  ASSERT_EQ(cudaDeviceReset(), cudaSuccess);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(add_one(device_ints(4), 4, dim3(1), dim3(4)), cudaSuccess);
}

TEST_F(Launches, ThatStoreToNoMemoryAtAllAreIllegal) {
  void* nowhere = reinterpret_cast<void*>(std::uintptr_t{0x123450});
  EXPECT_EQ(launch(program().store_at, dim3(1), dim3(1), {&nowhere}), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
}

TEST_F(Launches, TellWhatAKernelNeeds) {
  cudaFuncAttributes attributes{};
  ASSERT_EQ(cudaFuncGetAttributes(&attributes, &program().shares), cudaSuccess);
  EXPECT_EQ(attributes.sharedSizeBytes, 40000u);
  EXPECT_GT(attributes.numRegs, 0);
  ASSERT_EQ(cudaFuncGetAttributes(&attributes, &program().bounded), cudaSuccess);
  EXPECT_EQ(attributes.maxThreadsPerBlock, 64);
  int blocks = -1;
  ASSERT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &program().shares, 64, 0),
            cudaSuccess);
  EXPECT_EQ(blocks, 2);  // 98,304 bytes of shared memory hold two blocks of 40,000
  ASSERT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &program().add_one, 1024, 0),
            cudaSuccess);
  EXPECT_EQ(blocks, 2);  // 2,048 threads
}

TEST_F(Launches, SeeHostMemoryThatWasRegistered) {
  std::array<int, 8> host{};
  ASSERT_EQ(cudaHostRegister(host.data(), sizeof(host), cudaHostRegisterMapped), cudaSuccess);
  EXPECT_EQ(cudaHostRegister(host.data(), sizeof(host), 0), cudaErrorHostMemoryAlreadyRegistered);
  void* device = nullptr;
  ASSERT_EQ(cudaHostGetDevicePointer(&device, host.data(), 0), cudaSuccess);
  host.fill(5);
  ASSERT_EQ(add_one(static_cast<int*>(device), 8, dim3(1), dim3(8)), cudaSuccess);
  EXPECT_THAT(host, Each(6));
  EXPECT_EQ(cudaHostUnregister(host.data()), cudaSuccess);
  EXPECT_EQ(cudaHostUnregister(host.data()), cudaErrorHostMemoryNotRegistered);
}

TEST_F(Launches, CanBeMadeThroughTheDriverInterface) {
  constexpr const char* kPtx = R"(
.version 7.5
.target sm_70
.address_size 64
.visible .global .align 4 .u32 answer = 42;
.visible .entry give(.param .u64 give_0)
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [give_0];
  ld.global.u32 %r1, [answer];
  st.global.u32 [%rd1], %r1;
  ret;
}
)";
  CUmodule module = nullptr;
  ASSERT_EQ(cuModuleLoadData(&module, kPtx), CUDA_SUCCESS);
  CUfunction function = nullptr;
  EXPECT_EQ(cuModuleGetFunction(&function, module, "take"), CUDA_ERROR_NOT_FOUND);
  ASSERT_EQ(cuModuleGetFunction(&function, module, "give"), CUDA_SUCCESS);
  int* data = device_ints(1);
  void* arguments[] = {&data};
  ASSERT_EQ(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr),
            CUDA_SUCCESS);
  EXPECT_THAT(read(data, 1), ElementsAre(42));
  EXPECT_EQ(cuModuleLoadData(&module, "this is not PTX"), CUDA_ERROR_INVALID_PTX);
}

}  // namespace
}  // namespace raddle::host::testing
