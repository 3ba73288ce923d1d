// A polynomial by Horner's scheme, one thread a point: a value that every turn of a loop changes.
//   raddle run examples/cuda/horner.cu -m dmt-cgra
#include <cstdio>
#include <vector>

__global__ void horner(const float* x, float* y, float coefficient, int degree) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float at = x[i], value = 0;
#pragma unroll 1
  for (int k = 0; k <= degree; ++k) value = value * at + coefficient;
  y[i] = value;
}

int main() {
  const int n = 16384, degree = 63;
  std::vector<float> x(n), y(n);
  for (int i = 0; i < n; ++i) x[i] = i % 2 == 0 ? 0.5f : -1.0f;

  float *device_x, *device_y;
  cudaMalloc(&device_x, n * sizeof(float));
  cudaMalloc(&device_y, n * sizeof(float));
  cudaMemcpy(device_x, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  horner<<<n / 256, 256>>>(device_x, device_y, 3.0f, degree);
  cudaMemcpy(y.data(), device_y, n * sizeof(float), cudaMemcpyDeviceToHost);

  // 3 (1 + 1/2 + 1/4 + ...) comes to 6; of 64 terms with alternating signs nothing is left.
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += y[i] != (i % 2 == 0 ? 6.0f : 0.0f);
  std::printf("horner: %d of %d wrong\n", wrong, n);
  return wrong != 0;
}
