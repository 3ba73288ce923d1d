// Memory in the order of a stream, pools that count it, launches with attributes, places of managed memory.
#include <stdint.h>

#include <vector>

#include "check.h"

constexpr int kCount = 512;

__global__ void fill(int* data, int first) { data[threadIdx.x] = first + threadIdx.x; }
__global__ void scale(double* data, float factor, int count) {
  cudaGridDependencySynchronize();
  cudaTriggerProgrammaticLaunchCompletion();
  if ((int)threadIdx.x < count) data[threadIdx.x] *= factor;
}

static uint64_t number_of(cudaMemPool_t pool, cudaMemPoolAttr attribute) {
  uint64_t value = ~0ull;
  CUDA_CHECK(cudaMemPoolGetAttribute(pool, attribute, &value));
  return value;
}

static void test_pools(cudaStream_t stream) {
  cudaMemPool_t standard, own;
  CUDA_CHECK(cudaDeviceGetDefaultMemPool(&standard, 0));
  uint64_t threshold = UINT64_MAX;
  CUDA_CHECK(cudaMemPoolSetAttribute(standard, cudaMemPoolAttrReleaseThreshold, &threshold));
  CHECK(number_of(standard, cudaMemPoolAttrReleaseThreshold) == UINT64_MAX);

  cudaMemPoolProps properties = {};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  CUDA_CHECK(cudaMemPoolCreate(&own, &properties));
  int *a, *b, *c;
  CUDA_CHECK(cudaMallocAsync(&a, kCount * sizeof(int), stream));
  CUDA_CHECK(cudaMallocAsync(&b, 2 * kCount * sizeof(int), own, stream));
  CUDA_CHECK(cudaMallocFromPoolAsync(&c, kCount * sizeof(int), own, stream));
  CHECK_EQUAL(number_of(standard, cudaMemPoolAttrUsedMemCurrent), kCount * sizeof(int));
  CHECK_EQUAL(number_of(own, cudaMemPoolAttrUsedMemCurrent), 3 * kCount * sizeof(int));
  fill<<<1, kCount, 0, stream>>>(a, 100);
  fill<<<1, kCount, 0, stream>>>(c, 300);
  std::vector<int> got(kCount);
  CUDA_CHECK(cudaMemcpyAsync(got.data(), a, kCount * sizeof(int), cudaMemcpyDeviceToHost, stream));
  CUDA_CHECK(cudaStreamSynchronize(stream));
  for (int i = 0; i < kCount; ++i) CHECK_EQUAL_AT(i, got[i], 100 + i);
  CUDA_CHECK(cudaFreeAsync(b, stream));
  CUDA_CHECK(cudaFree(a));  // the other way works as well
  CHECK_EQUAL(number_of(standard, cudaMemPoolAttrUsedMemCurrent), (uint64_t)0);
  CHECK_EQUAL(number_of(own, cudaMemPoolAttrUsedMemCurrent), kCount * sizeof(int));
  CHECK_EQUAL(number_of(own, cudaMemPoolAttrUsedMemHigh), 3 * kCount * sizeof(int));

  // The device's own allocations come from the pool that is set.
  CUDA_CHECK(cudaDeviceSetMemPool(0, own));
  CUDA_CHECK(cudaMallocAsync(&a, 64, stream));
  CHECK_EQUAL(number_of(own, cudaMemPoolAttrUsedMemCurrent), kCount * sizeof(int) + 64);
  CUDA_CHECK(cudaMemPoolDestroy(own));
  CUDA_CHECK(cudaMemcpy(got.data(), c, kCount * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < kCount; ++i) CHECK_EQUAL_AT(i, got[i], 300 + i);
  CUDA_CHECK(cudaFreeAsync(c, stream));
  CUDA_CHECK(cudaFreeAsync(a, stream));
  EXPECT_ERROR(cudaErrorInvalidValue, cudaMemPoolDestroy(own));

  properties.maxSize = 1024;
  CUDA_CHECK(cudaMemPoolCreate(&own, &properties));
  EXPECT_ERROR(cudaErrorMemoryAllocation, cudaMallocFromPoolAsync(&a, 1025, own, stream));
  properties.handleTypes = cudaMemHandleTypePosixFileDescriptor;
  EXPECT_ERROR(cudaErrorNotSupported, cudaMemPoolCreate(&own, &properties));
  cudaGetLastError();
}

static void test_attributes(cudaStream_t stream) {
  double* data;
  CUDA_CHECK(cudaMallocManaged(&data, kCount * sizeof(double)));
  for (int i = 0; i < kCount; ++i) data[i] = i;
  cudaMemLocation place = {cudaMemLocationTypeDevice, 0};
  CUDA_CHECK(cudaMemAdvise(data, kCount * sizeof(double), cudaMemAdviseSetPreferredLocation, place));
  CUDA_CHECK(cudaMemPrefetchAsync(data, kCount * sizeof(double), place, 0, stream));

  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(1);
  config.blockDim = dim3(kCount);
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  CUDA_CHECK(cudaLaunchKernelEx(&config, scale, data, 2, kCount - 1L));  // an int becomes a float, a long an int
  CUDA_CHECK(cudaStreamSynchronize(stream));
  for (int i = 0; i < kCount; ++i) CHECK_EQUAL_AT(i, data[i], i < kCount - 1 ? 2.0 * i : i);
  place.type = cudaMemLocationTypeHost;
  CUDA_CHECK(cudaMemPrefetchAsync(data, kCount * sizeof(double), place, 0));

  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = 2;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  EXPECT_ERROR(cudaErrorNotSupported, cudaLaunchKernelEx(&config, scale, data, 2.0f, kCount));

  cudaStreamAttrValue set = {}, asked = {};
  set.accessPolicyWindow.base_ptr = data;
  set.accessPolicyWindow.num_bytes = 128;
  CUDA_CHECK(cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &set));
  CUDA_CHECK(cudaStreamGetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &asked));
  CHECK(asked.accessPolicyWindow.base_ptr == data);
  cudaGetLastError();
}

int main() {
  cudaStream_t stream;
  CUDA_CHECK(cudaStreamCreate(&stream));
  test_pools(stream);
  test_attributes(stream);
  return all_ok();
}
