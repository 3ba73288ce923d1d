// A program in C++20, with what tells it apart on both sides: concepts, designated initialisers, lambdas with template
// parameters, std::span on the host.
// compiled with: -std=c++20
#include <concepts>
#include <numeric>
#include <span>
#include <vector>

#include "check.h"

template <class T>
concept Number = std::integral<T> || std::floating_point<T>;

struct Line {
  float slope = 1, offset = 0;
};

template <Number T>
__global__ void apply(T* values, int n, Line line) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const auto at = []<Number X>(X x, const Line& l) { return max(l.slope * x + l.offset, X(0)); };
  if (i < n) values[i] = at(values[i], line);
  if (i == 0) printf("first %d\n", (int)values[0]);
}

static void check(std::span<const float> values, Line line) {
  for (std::size_t i = 0; i < values.size(); ++i)
    CHECK_EQUAL_AT(i, values[i], max(line.slope * i + line.offset, 0.0f));
}

int main() {
  const Line line{.offset = -3};
  std::vector<float> values(100);
  std::iota(values.begin(), values.end(), 0.0f);
  float* device;
  CUDA_CHECK(cudaMalloc(&device, values.size() * sizeof(float)));
  CUDA_CHECK(cudaMemcpy(device, values.data(), values.size() * sizeof(float), cudaMemcpyDefault));
  apply<<<4, 32>>>(device, (int)values.size(), line);
  CHECK_LAUNCH();
  CUDA_CHECK(cudaMemcpy(values.data(), device, values.size() * sizeof(float), cudaMemcpyDefault));
  check(values, line);
  return all_ok();
}
