// 256 bins of bytes: each block counts in shared memory by atomics, where many threads meet in few
// bins, and adds its counts to the whole at the end. Usage: histogram [BYTES]
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int kBins = 256;

__global__ void histogram(const unsigned char* data, unsigned* bins, int n) {
  __shared__ unsigned local[kBins];
  for (int bin = threadIdx.x; bin < kBins; bin += blockDim.x) local[bin] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(&local[data[i]], 1u);
  }
  __syncthreads();
  for (int bin = threadIdx.x; bin < kBins; bin += blockDim.x) atomicAdd(&bins[bin], local[bin]);
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 1 << 20;
  std::vector<unsigned char> data(n);
  std::vector<unsigned> expected(kBins), bins(kBins);
  unsigned state = 1;
  for (unsigned char& byte : data) {
    state = state * 1664525u + 1013904223u;
    // The product of two random numbers: small values are far more common, as in a dark picture.
    byte = static_cast<unsigned char>(((state >> 24) * (state >> 16 & 0xff)) >> 8);
    ++expected[byte];
  }

  unsigned char* device_data;
  unsigned* device_bins;
  cudaMalloc(&device_data, n);
  cudaMalloc(&device_bins, kBins * sizeof(unsigned));
  cudaMemcpy(device_data, data.data(), n, cudaMemcpyHostToDevice);
  cudaMemset(device_bins, 0, kBins * sizeof(unsigned));
  histogram<<<32, 256>>>(device_data, device_bins, n);
  cudaMemcpy(bins.data(), device_bins, kBins * sizeof(unsigned), cudaMemcpyDeviceToHost);
  if (cudaError_t error = cudaGetLastError()) {
    std::fprintf(stderr, "histogram: %s\n", cudaGetErrorString(error));
    return 1;
  }

  int wrong = 0;
  for (int bin = 0; bin < kBins; ++bin) wrong += bins[bin] != expected[bin];
  std::printf("histogram: %d bytes, %d of %d bins wrong\n", n, wrong, kBins);
  cudaFree(device_data);
  cudaFree(device_bins);
  return wrong != 0;
}
