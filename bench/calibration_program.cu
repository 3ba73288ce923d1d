// Runs one of the three calibration kernels as bench/calibration.h does, for scripts that want the
// result document of a program: calibration_program vecadd|matmul|hotspot.
#include <cstdio>
#include <cstring>
#include <vector>

#include "calibration_kernels.cu"

int main(int count, char** arguments) {
  const char* const kernel = count > 1 ? arguments[1] : "vecadd";
  const bool linear = std::strcmp(kernel, "vecadd") == 0;
  const int side = linear ? 1 << 20 : std::strcmp(kernel, "matmul") == 0 ? 256 : 512;
  const std::size_t elements = linear ? side : static_cast<std::size_t>(side) * side;
  std::vector<float> values(elements);
  float* arrays[3];
  for (std::size_t array = 0; array < 3; ++array) {
    cudaMalloc(&arrays[array], elements * sizeof(float));
    for (std::size_t i = 0; i < elements; ++i)
      values[i] = static_cast<float>(i * (7 + array) % 13) - 6.0f;
    // The third is written by the kernel alone.
    if (array < 2)
      cudaMemcpy(arrays[array], values.data(), elements * sizeof(float), cudaMemcpyHostToDevice);
  }
  const dim3 grid = linear ? dim3(side / 256) : dim3(side / 16, side / 16);
  const dim3 block = linear ? dim3(256) : dim3(16, 16);
  if (linear) vecadd<<<grid, block>>>(arrays[0], arrays[1], arrays[2], side);
  if (std::strcmp(kernel, "matmul") == 0)
    matmul<<<grid, block>>>(arrays[0], arrays[1], arrays[2], side);
  if (std::strcmp(kernel, "hotspot") == 0)
    hotspot<<<grid, block>>>(arrays[0], arrays[1], arrays[2], side);
  cudaMemcpy(values.data(), arrays[2], elements * sizeof(float), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (const float value : values) sum += value;
  std::printf("%s %.9g\n", kernel, sum);
}
