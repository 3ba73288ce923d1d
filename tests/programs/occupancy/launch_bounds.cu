// Registers keep to launch bounds, and the runtime tells the same number as a launch needs: a block of 1024 threads of a kernel that
// would like more than 32 registers can be launched.
#include <cstdio>

constexpr int kValues = 38;

template <int kThreads>
__global__ void __launch_bounds__(kThreads) mix(float* p, int rounds) {
  float a[kValues];
#pragma unroll
  for (int i = 0; i < kValues; ++i) a[i] = p[threadIdx.x * kValues + i];
  for (int j = 0; j < rounds; ++j) {
#pragma unroll
    for (int i = 0; i < kValues; ++i) a[i] = a[i] * a[(i + 5) % kValues] + a[(i + 7) % kValues];
  }
#pragma unroll
  for (int i = 0; i < kValues; ++i) p[threadIdx.x * kValues + i] = a[i];
}

template <int kThreads>
int registers_of() {
  cudaFuncAttributes attributes;
  cudaFuncGetAttributes(&attributes, mix<kThreads>);
  return attributes.numRegs;
}

int main() {
  float* p;
  cudaMalloc(&p, 1024 * kValues * sizeof(float));
  cudaMemset(p, 0, 1024 * kValues * sizeof(float));
  mix<1024><<<1, 1024>>>(p, 3);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  cudaDeviceProp device;
  cudaGetDeviceProperties(&device, 0);
  const int bounded = registers_of<1024>(), free = registers_of<128>();
  if (bounded * 1024 > device.regsPerBlock || bounded > free) {
    std::printf("%d registers with bounds, %d without\n", bounded, free);
    return 1;
  }
  std::printf("%s\nok\n", bounded < free ? "fewer" : "as many");
}
