// Allocation, copies and fills: what is refused, and that a refused call writes nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <numeric>
#include <vector>

#include "host/cuda_api.h"

namespace {

using testing::Each;
using testing::ElementsAre;

class Memory : public testing::Test {
 protected:
  void SetUp() override { cudaDeviceReset(); }

  static void* allocate(std::size_t bytes) {
    void* pointer = nullptr;
    EXPECT_EQ(cudaMalloc(&pointer, bytes), cudaSuccess);
    return pointer;
  }
  static std::vector<int> counting(std::size_t count) {
    std::vector<int> values(count);
    std::iota(values.begin(), values.end(), 0);
    return values;
  }
};

TEST_F(Memory, ComesBackAsItWasCopied) {
  const std::vector<int> sent = counting(1000);
  void* device = allocate(4000);
  void* other = allocate(4000);
  ASSERT_EQ(cudaMemcpy(device, sent.data(), 4000, cudaMemcpyHostToDevice), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(other, device, 4000, cudaMemcpyDeviceToDevice), cudaSuccess);
  std::vector<int> received(1000, -1);
  ASSERT_EQ(cudaMemcpy(received.data(), other, 4000, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(received, sent);
}

TEST_F(Memory, OfNoBytesIsANullPointer) {
  void* pointer = &pointer;
  EXPECT_EQ(cudaMalloc(&pointer, 0), cudaSuccess);
  EXPECT_EQ(pointer, nullptr);
  EXPECT_EQ(cudaFree(nullptr), cudaSuccess);
}

TEST_F(Memory, BeyondTheMachinesIsRefusedAndTheDeviceGoesOn) {
  void* pointer = nullptr;
  EXPECT_EQ(cudaMalloc(&pointer, std::size_t{1} << 50), cudaErrorMemoryAllocation);
  EXPECT_EQ(pointer, nullptr);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaMalloc(&pointer, 16), cudaSuccess);
  std::size_t pitch = 0;
  EXPECT_EQ(cudaMallocPitch(&pointer, &pitch, SIZE_MAX / 2, 16), cudaErrorMemoryAllocation);
}

TEST_F(Memory, CopyBeyondAnAllocationIsRefusedAndWritesNothing) {
  void* device = allocate(16);
  ASSERT_EQ(cudaMemset(device, 0x11, 16), cudaSuccess);
  std::array<unsigned char, 32> host{};
  EXPECT_EQ(cudaMemcpy(device, host.data(), 17, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  std::array<unsigned char, 16> content{};
  ASSERT_EQ(cudaMemcpy(content.data(), device, 16, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_THAT(content, Each(0x11));

  host.fill(0x22);
  EXPECT_EQ(cudaMemcpy(host.data(), static_cast<char*>(device) + 8, 9, cudaMemcpyDeviceToHost),
            cudaErrorInvalidValue);
  EXPECT_THAT(host, Each(0x22));
  EXPECT_EQ(cudaMemset(device, 0, 17), cudaErrorInvalidValue);
}

TEST_F(Memory, CopyInTheWrongDirectionIsRefused) {
  void* device = allocate(16);
  int host[4] = {};
  EXPECT_EQ(cudaMemcpy(host, device, 16, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(device, host, 16, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(device, host, 16, static_cast<cudaMemcpyKind>(9)),
            cudaErrorInvalidMemcpyDirection);
}

TEST_F(Memory, IsFreedOnce) {
  void* device = allocate(16);
  EXPECT_EQ(cudaFree(static_cast<char*>(device) + 4), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(device), cudaSuccess);
  EXPECT_EQ(cudaFree(device), cudaErrorInvalidValue);
  int host = 0;
  EXPECT_EQ(cudaFree(&host), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFreeHost(allocate(16)), cudaErrorInvalidValue);
}

TEST_F(Memory, FreeBytesShrinkAndGrowAgain) {
  std::size_t before = 0, total = 0, now = 0;
  ASSERT_EQ(cudaMemGetInfo(&before, &total), cudaSuccess);
  EXPECT_LE(before, total);
  void* device = allocate(1 << 20);
  ASSERT_EQ(cudaMemGetInfo(&now, &total), cudaSuccess);
  EXPECT_EQ(now, before - (1 << 20));
  cudaFree(device);
  ASSERT_EQ(cudaMemGetInfo(&now, &total), cudaSuccess);
  EXPECT_EQ(now, before);
}

TEST_F(Memory, RowsOfAPitchedCopyLandWhereTheyShould) {
  void* device = nullptr;
  std::size_t pitch = 0;
  ASSERT_EQ(cudaMallocPitch(&device, &pitch, 12, 3), cudaSuccess);
  EXPECT_EQ(pitch % 512, 0u);
  const std::vector<int> sent = counting(9);
  ASSERT_EQ(cudaMemcpy2D(device, pitch, sent.data(), 12, 12, 3, cudaMemcpyHostToDevice),
            cudaSuccess);
  std::vector<int> second_row(3);
  ASSERT_EQ(
      cudaMemcpy(second_row.data(), static_cast<char*>(device) + pitch, 12, cudaMemcpyDeviceToHost),
      cudaSuccess);
  EXPECT_THAT(second_row, ElementsAre(3, 4, 5));
  EXPECT_EQ(cudaMemcpy2D(device, 8, sent.data(), 12, 12, 3, cudaMemcpyHostToDevice),
            cudaErrorInvalidPitchValue);
  EXPECT_EQ(cudaMemcpy2D(device, pitch, sent.data(), 12, 12, 4, cudaMemcpyHostToDevice),
            cudaErrorInvalidValue);

  ASSERT_EQ(cudaMemset2D(device, pitch, 0xff, 8, 2), cudaSuccess);
  std::vector<int> all(9);
  ASSERT_EQ(cudaMemcpy2D(all.data(), 12, device, pitch, 12, 3, cudaMemcpyDeviceToHost),
            cudaSuccess);
  EXPECT_THAT(all, ElementsAre(-1, -1, 2, -1, -1, 5, 6, 7, 8));
  EXPECT_EQ(cudaMemset2D(device, 8, 0xff, 9, 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset2D(device, 8, 0xff, 9, 2), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset3D({device, 8, 8, 2}, 0, {9, 1, 1}), cudaErrorInvalidValue);
}

TEST_F(Memory, BoxOfA3DCopyLandsWhereItShould) {
  cudaPitchedPtr device{};
  ASSERT_EQ(cudaMalloc3D(&device, {8, 2, 2}), cudaSuccess);
  std::vector<int> sent = counting(8);
  cudaMemcpy3DParms parameters{};
  parameters.srcPtr = {sent.data(), 8, 8, 2};
  parameters.dstPtr = device;
  parameters.extent = {8, 2, 2};
  parameters.kind = cudaMemcpyHostToDevice;
  ASSERT_EQ(cudaMemcpy3D(&parameters), cudaSuccess);
  int value = 0;
  const char* last = static_cast<char*>(device.ptr) + 3 * device.pitch + 4;
  ASSERT_EQ(cudaMemcpy(&value, last, 4, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(value, 7);
  parameters.dstArray = nullptr;
  parameters.dstPtr.ptr = nullptr;
  EXPECT_EQ(cudaMemcpy3D(&parameters), cudaErrorInvalidValue);
}

TEST_F(Memory, ManagedAndPinnedMemoryIsReadByTheHostAtItsOwnAddress) {
  void* managed = nullptr;
  ASSERT_EQ(cudaMallocManaged(&managed, 64), cudaSuccess);
  static_cast<int*>(managed)[3] = 42;
  int value = 0;
  ASSERT_EQ(cudaMemcpy(&value, static_cast<int*>(managed) + 3, 4, cudaMemcpyDeviceToHost),
            cudaSuccess);
  EXPECT_EQ(value, 42);

  void* pinned = nullptr;
  ASSERT_EQ(cudaHostAlloc(&pinned, 64, cudaHostAllocMapped), cudaSuccess);
  std::memset(pinned, 1, 64);
  void* device = nullptr;
  ASSERT_EQ(cudaHostGetDevicePointer(&device, pinned, 0), cudaSuccess);
  cudaPointerAttributes attributes{};
  ASSERT_EQ(cudaPointerGetAttributes(&attributes, pinned), cudaSuccess);
  EXPECT_EQ(attributes.type, cudaMemoryTypeHost);
  ASSERT_EQ(cudaPointerGetAttributes(&attributes, managed), cudaSuccess);
  EXPECT_EQ(attributes.type, cudaMemoryTypeManaged);
  ASSERT_EQ(cudaPointerGetAttributes(&attributes, &value), cudaSuccess);
  EXPECT_EQ(attributes.type, cudaMemoryTypeUnregistered);
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
  EXPECT_EQ(cudaFree(managed), cudaSuccess);
}

TEST_F(Memory, ArraysTakeAndGiveTheirRows) {
  const cudaChannelFormatDesc desc =
      cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindSigned);
  cudaArray_t array = nullptr;
  ASSERT_EQ(cudaMallocArray(&array, &desc, 5, 3, 0), cudaSuccess);
  const std::vector<int> sent = counting(15);
  ASSERT_EQ(cudaMemcpyToArray(array, 0, 0, sent.data(), 60, cudaMemcpyHostToDevice), cudaSuccess);
  std::vector<int> column(3);
  ASSERT_EQ(cudaMemcpy2DFromArray(column.data(), 4, array, 8, 0, 4, 3, cudaMemcpyDeviceToHost),
            cudaSuccess);
  EXPECT_THAT(column, ElementsAre(2, 7, 12));
  EXPECT_EQ(cudaMemcpyToArray(array, 0, 0, sent.data(), 64, cudaMemcpyHostToDevice),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy2DFromArray(column.data(), 4, array, 20, 0, 4, 3, cudaMemcpyDeviceToHost),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaFreeArray(array), cudaSuccess);
  EXPECT_EQ(cudaFreeArray(array), cudaErrorInvalidValue);
  const cudaChannelFormatDesc odd = cudaCreateChannelDesc(24, 0, 0, 0, cudaChannelFormatKindFloat);
  EXPECT_EQ(cudaMallocArray(&array, &odd, 5, 3, 0), cudaErrorInvalidChannelDescriptor);
}

TEST_F(Memory, ResetTakesEverythingBack) {
  void* device = allocate(16);
  ASSERT_EQ(cudaDeviceReset(), cudaSuccess);
  int host[4] = {};
  EXPECT_EQ(cudaMemcpy(host, device, 16, cudaMemcpyDefault), cudaErrorInvalidValue);
}

}  // namespace
