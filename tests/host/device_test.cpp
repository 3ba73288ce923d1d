// The device's description, streams, events and what is not supported.
#include <gtest/gtest.h>

#include <cstring>

#include "host/cuda_api.h"

namespace {

class DeviceApi : public testing::Test {
 protected:
  void SetUp() override { cudaDeviceReset(); }
};

TEST_F(DeviceApi, IsOneDevice) {
  int count = 0;
  EXPECT_EQ(cudaGetDeviceCount(&count), cudaSuccess);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(cudaSetDevice(0), cudaSuccess);
  EXPECT_EQ(cudaSetDevice(1), cudaErrorInvalidDevice);
  int device = -1;
  cudaDeviceProp wish{};
  EXPECT_EQ(cudaChooseDevice(&device, &wish), cudaSuccess);
  EXPECT_EQ(device, 0);
}

TEST_F(DeviceApi, PropertiesDescribeTheSimulatedMachine) {
  cudaDeviceProp properties;
  ASSERT_EQ(cudaGetDeviceProperties(&properties, 0), cudaSuccess);
  EXPECT_NE(std::strstr(properties.name, "Raddle"), nullptr);
  EXPECT_EQ(properties.warpSize, 32);
  EXPECT_EQ(properties.major, 7);
  EXPECT_EQ(properties.maxThreadsPerBlock, 1024);
  EXPECT_EQ(properties.sharedMemPerBlock, 49152u);
  EXPECT_EQ(properties.deviceOverlap, 1);
  EXPECT_EQ(cudaGetDeviceProperties(&properties, 1), cudaErrorInvalidDevice);
}

TEST_F(DeviceApi, AttributesAgreeWithProperties) {
  cudaDeviceProp properties;
  ASSERT_EQ(cudaGetDeviceProperties(&properties, 0), cudaSuccess);
  const auto attribute = [](cudaDeviceAttr name) {
    int value = -1;
    EXPECT_EQ(cudaDeviceGetAttribute(&value, name, 0), cudaSuccess);
    return value;
  };
  EXPECT_EQ(attribute(cudaDevAttrMultiProcessorCount), properties.multiProcessorCount);
  EXPECT_EQ(attribute(cudaDevAttrMaxThreadsPerMultiProcessor),
            properties.maxThreadsPerMultiProcessor);
  EXPECT_EQ(attribute(cudaDevAttrMaxGridDimX), properties.maxGridSize[0]);
  EXPECT_EQ(attribute(cudaDevAttrClockRate), properties.clockRate);
  int value = 0;
  EXPECT_EQ(cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(9999), 0),
            cudaErrorInvalidValue);
}

TEST_F(DeviceApi, LimitsReadBackWhatWasSet) {
  EXPECT_EQ(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 12345), cudaSuccess);
  std::size_t value = 0;
  EXPECT_EQ(cudaDeviceGetLimit(&value, cudaLimitMallocHeapSize), cudaSuccess);
  EXPECT_EQ(value, 12345u);
  EXPECT_EQ(cudaDeviceSetLimit(static_cast<cudaLimit>(77), 1), cudaErrorUnsupportedLimit);
}

TEST_F(DeviceApi, StreamsAreAlwaysIdleAndKnownOnlyWhileTheyLive) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(stream), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaMemsetAsync(nullptr, 0, 0, stream), cudaErrorInvalidResourceHandle);
}

TEST_F(DeviceApi, CallbacksRunAtOnceAndMayCallTheApi) {
  int called = 0;
  const auto callback = [](cudaStream_t, cudaError_t status, void* data) {
    EXPECT_EQ(status, cudaSuccess);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    ++*static_cast<int*>(data);
  };
  EXPECT_EQ(cudaStreamAddCallback(nullptr, callback, &called, 0), cudaSuccess);
  EXPECT_EQ(cudaLaunchHostFunc(
                nullptr, [](void* data) { ++*static_cast<int*>(data); }, &called),
            cudaSuccess);
  EXPECT_EQ(called, 2);
}

TEST_F(DeviceApi, EventsMeasureSimulatedTime) {
  cudaEvent_t start = nullptr, end = nullptr, untimed = nullptr;
  ASSERT_EQ(cudaEventCreate(&start), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&end), cudaSuccess);
  ASSERT_EQ(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming), cudaSuccess);
  float milliseconds = -1;
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, end), cudaErrorInvalidResourceHandle);

  ASSERT_EQ(cudaEventRecord(start, nullptr), cudaSuccess);
  void* device = nullptr;
  ASSERT_EQ(cudaMalloc(&device, 12'000'000), cudaSuccess);
  std::vector<char> host(12'000'000);
  ASSERT_EQ(cudaMemcpy(device, host.data(), host.size(), cudaMemcpyHostToDevice), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(end, nullptr), cudaSuccess);
  ASSERT_EQ(cudaEventSynchronize(end), cudaSuccess);
  ASSERT_EQ(cudaEventElapsedTime(&milliseconds, start, end), cudaSuccess);
  EXPECT_FLOAT_EQ(milliseconds, 1.0F);  // 12 MB at the 12 GB/s of the host link

  ASSERT_EQ(cudaEventRecord(untimed, nullptr), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, untimed), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventDestroy(start), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(start, nullptr), cudaErrorInvalidResourceHandle);
}

TEST_F(DeviceApi, SaysWhatItDoesNotSupport) {
  cudaIpcMemHandle_t handle;
  EXPECT_EQ(cudaIpcGetMemHandle(&handle, nullptr), cudaErrorNotSupported);
  EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaErrorInvalidDevice);
}

TEST_F(DeviceApi, TheDriverInterfaceSharesMemoryWithTheRuntime) {
  ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
  CUdeviceptr device = 0;
  ASSERT_EQ(cuMemAlloc(&device, 16), CUDA_SUCCESS);
  ASSERT_EQ(cuMemsetD32(device, 0xabcdef01, 4), CUDA_SUCCESS);
  unsigned int value = 0;
  ASSERT_EQ(cudaMemcpy(&value, reinterpret_cast<char*>(device) + 12, 4, cudaMemcpyDeviceToHost),
            cudaSuccess);
  EXPECT_EQ(value, 0xabcdef01U);
  EXPECT_EQ(cuMemsetD32(device, 0, 5), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemFree(device), CUDA_SUCCESS);
  CUmodule module = nullptr;
  EXPECT_EQ(cuModuleLoad(&module, "/no/such/file.ptx"), CUDA_ERROR_FILE_NOT_FOUND);
}

}  // namespace
