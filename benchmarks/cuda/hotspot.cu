// One kind of stencil: the temperature of a chip, cell by cell from its four neighbours and its own
// power, step by step. Usage: hotspot [SIZE, a multiple of 16] [STEPS]
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

constexpr int kBlock = 16;

// A cell outside the grid is as warm as the one at the edge.
__host__ __device__ inline float next_temperature(const float* t, const float* power, int x, int y,
                                                  int n) {
  int left = x > 0 ? x - 1 : 0, right = x < n - 1 ? x + 1 : n - 1;
  int up = y > 0 ? y - 1 : 0, down = y < n - 1 ? y + 1 : n - 1;
  float here = t[y * n + x];
  float change = power[y * n + x] + (t[up * n + x] + t[down * n + x] - 2.0f * here) * 0.1f +
                 (t[y * n + left] + t[y * n + right] - 2.0f * here) * 0.1f + (80.0f - here) * 0.01f;
  return here + 0.5f * change;
}

__global__ void hotspot(const float* t, const float* power, float* out, int n) {
  int x = blockIdx.x * kBlock + threadIdx.x, y = blockIdx.y * kBlock + threadIdx.y;
  out[y * n + x] = next_temperature(t, power, x, y, n);
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 512;
  const int steps = argc > 2 ? std::atoi(argv[2]) : 1;
  if (n <= 0 || n % kBlock != 0 || steps < 0) {
    std::fprintf(stderr, "hotspot: the size must be a multiple of %d\n", kBlock);
    return 2;
  }
  const size_t count = static_cast<size_t>(n) * n, bytes = count * sizeof(float);
  std::vector<float> t(count), power(count), result(count);
  for (size_t i = 0; i < count; ++i) {
    t[i] = 60 + static_cast<float>(i * 7 % 41);
    power[i] = static_cast<float>(i * 5 % 11) / 10;
  }

  float *device_t, *device_power, *device_out;
  cudaMalloc(&device_t, bytes);
  cudaMalloc(&device_power, bytes);
  cudaMalloc(&device_out, bytes);
  cudaMemcpy(device_t, t.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(device_power, power.data(), bytes, cudaMemcpyHostToDevice);
  for (int step = 0; step < steps; ++step) {
    hotspot<<<dim3(n / kBlock, n / kBlock), dim3(kBlock, kBlock)>>>(device_t, device_power,
                                                                    device_out, n);
    std::swap(device_t, device_out);
  }
  cudaMemcpy(result.data(), device_t, bytes, cudaMemcpyDeviceToHost);
  if (cudaError_t error = cudaGetLastError()) {
    std::fprintf(stderr, "hotspot: %s\n", cudaGetErrorString(error));
    return 1;
  }

  std::vector<float> next(count);
  for (int step = 0; step < steps; ++step) {
    for (int y = 0; y < n; ++y) {
      for (int x = 0; x < n; ++x)
        next[y * n + x] = next_temperature(t.data(), power.data(), x, y, n);
    }
    std::swap(t, next);
  }
  // The device may fuse multiplications and additions, the host not: a few units in the last place
  // a step.
  int wrong = 0;
  for (size_t i = 0; i < count; ++i) wrong += !(std::fabs(result[i] - t[i]) <= 1e-4f * (steps + 1));
  std::printf("hotspot: %d x %d, %d steps, %d wrong\n", n, n, steps, wrong);
  cudaFree(device_t);
  cudaFree(device_power);
  cudaFree(device_out);
  return wrong != 0;
}
