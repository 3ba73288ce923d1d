// What a program can ask about the device and its kernels: count, properties, attributes, limits, free memory, function
// attributes, occupancy. What the properties claim is tried: the largest block runs, one thread more does not.
#include "check.h"

__global__ void fill(int* out) { out[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x; }

__global__ void __launch_bounds__(64) small_blocks(float* out) {
  __shared__ float tile[300];
  tile[threadIdx.x] = out[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

static void check_properties(const cudaDeviceProp& p) {
  printf("%s: compute %d.%d, %d multiprocessors, %zu bytes\n", p.name, p.major, p.minor, p.multiProcessorCount,
         p.totalGlobalMem);
  CHECK(p.name[0] != '\0' && strlen(p.name) < sizeof p.name);
  CHECK(p.major * 10 + p.minor >= 20);
  CHECK(p.totalGlobalMem >= (64u << 20));
  CHECK(p.multiProcessorCount > 0 && p.clockRate > 0);
  CHECK_EQUAL(p.warpSize, 32);
  CHECK(p.sharedMemPerBlock >= 16384 && p.regsPerBlock >= 8192);
  CHECK(p.maxThreadsPerBlock >= 512 && p.maxThreadsPerMultiProcessor >= p.maxThreadsPerBlock);
  CHECK(p.maxThreadsDim[0] >= 512 && p.maxThreadsDim[2] >= 64);
  CHECK(p.maxGridSize[0] >= 65535 && p.maxGridSize[1] >= 65535 && p.maxGridSize[2] >= 1);
  CHECK(p.totalConstMem >= 65536 && p.memPitch > 0 && p.textureAlignment > 0);
  CHECK(p.deviceOverlap != 0);  // some hosts give up when it is 0
  CHECK(p.unifiedAddressing && p.canMapHostMemory);
}

static void check_kernels(const cudaDeviceProp& p) {
  cudaFuncAttributes attributes;
  CUDA_CHECK(cudaFuncGetAttributes(&attributes, small_blocks));
  CHECK_EQUAL(attributes.sharedSizeBytes, 300 * sizeof(float));
  CHECK_EQUAL(attributes.maxThreadsPerBlock, 64);
  CHECK(attributes.numRegs > 0 && attributes.numRegs < 256);
  CUDA_CHECK(cudaFuncGetAttributes(&attributes, fill));
  CHECK_EQUAL(attributes.sharedSizeBytes, 0u);
  CUDA_CHECK(cudaFuncSetCacheConfig(fill, cudaFuncCachePreferL1));
  CUDA_CHECK(cudaFuncSetCacheConfig(small_blocks, cudaFuncCachePreferShared));
  CUDA_CHECK(cudaDeviceSetCacheConfig(cudaFuncCachePreferEqual));

  int blocks = 0, fewer = 0, grid = 0, block = 0;
  CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fill, 128, 0));
  CHECK(blocks >= 1 && blocks * 128 <= p.maxThreadsPerMultiProcessor);
  const size_t most = p.sharedMemPerBlock;
  CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fewer, fill, 128, most));
  CHECK(fewer >= 1 && fewer < blocks);
  CUDA_CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, fill, 0, 0));
  CHECK(block >= 32 && block <= p.maxThreadsPerBlock && grid >= p.multiProcessorCount);
}

int main() {
  int count = 0, device = -1;
  CUDA_CHECK(cudaGetDeviceCount(&count));
  CHECK(count >= 1);
  cudaDeviceProp p;
  CUDA_CHECK(cudaGetDeviceProperties(&p, 0));
  check_properties(p);
  cudaDeviceProp wanted;
  memset(&wanted, 0, sizeof wanted);
  wanted.major = 1;
  CUDA_CHECK(cudaChooseDevice(&device, &wanted));
  CHECK_EQUAL(device, 0);
  CUDA_CHECK(cudaSetDevice(device));
  device = -1;
  CUDA_CHECK(cudaGetDevice(&device));
  CHECK_EQUAL(device, 0);
  EXPECT_ERROR(cudaErrorInvalidDevice, cudaSetDevice(count));
  EXPECT_ERROR(cudaErrorInvalidDevice, cudaGetDeviceProperties(&p, -1));
  cudaGetLastError();
  CUDA_CHECK(cudaGetDeviceProperties(&p, 0));

  int value = 0, runtime = 0, driver = 0;
  CUDA_CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMaxThreadsPerBlock, 0));
  CHECK_EQUAL(value, p.maxThreadsPerBlock);
  CUDA_CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
  CHECK_EQUAL(value, p.multiProcessorCount);
  CUDA_CHECK(cudaRuntimeGetVersion(&runtime));
  CUDA_CHECK(cudaDriverGetVersion(&driver));
  CHECK(runtime == CUDART_VERSION && driver >= runtime);

  size_t free_before = 0, free_after = 0, total = 0;
  void* chunk = 0;
  CUDA_CHECK(cudaMemGetInfo(&free_before, &total));
  CHECK(total == p.totalGlobalMem && free_before <= total);
  CUDA_CHECK(cudaMalloc(&chunk, 32 << 20));
  CUDA_CHECK(cudaMemGetInfo(&free_after, &total));
  CHECK(free_after + (32 << 20) <= free_before);
  CUDA_CHECK(cudaFree(chunk));
  CUDA_CHECK(cudaMemGetInfo(&free_after, &total));
  CHECK_EQUAL(free_after, free_before);

  check_kernels(p);
  const int n = p.maxThreadsPerBlock;
  int *out, *host = (int*)malloc(n * sizeof(int));
  CUDA_CHECK(cudaMalloc(&out, n * sizeof(int)));
  fill<<<1, n>>>(out);
  CUDA_CHECK(cudaMemcpy(host, out, n * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i) CHECK_EQUAL_AT(i, host[i], i);
  fill<<<1, n + 1>>>(out);
  EXPECT_ERROR(cudaErrorInvalidConfiguration, cudaGetLastError());
  return all_ok();
}
