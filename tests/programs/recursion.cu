// Functions that call themselves: of divergent depth, mutual, and on arrays.
#include "check.h"

__host__ __device__ __noinline__ unsigned ackermann(unsigned m, unsigned n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}
__host__ __device__ bool is_odd(int n);
__host__ __device__ __noinline__ bool is_even(int n) { return n == 0 ? true : is_odd(n - 1); }
__host__ __device__ __noinline__ bool is_odd(int n) { return n == 0 ? false : is_even(n - 1); }

__device__ void quicksort(int* data, int left, int right) {
  if (left >= right) return;
  const int pivot = data[(left + right) / 2];
  int i = left, j = right;
  while (i <= j) {
    while (data[i] < pivot) ++i;
    while (data[j] > pivot) --j;
    if (i > j) break;
    const int t = data[i];
    data[i++] = data[j];
    data[j--] = t;
  }
  quicksort(data, left, j);
  quicksort(data, i, right);
}

__global__ void recurse(unsigned* out, bool* even, int* data, int width) {
  const int i = threadIdx.x;
  out[i] = ackermann(i % 3, i % 5);
  even[i] = is_even(i);
  quicksort(data + i * width, 0, width - 1);
}

int main() {
  const int n = 40, width = 20;
  unsigned* out;
  bool* even;
  int* data;
  CUDA_CHECK(cudaMallocManaged(&out, n * sizeof(unsigned)));
  CUDA_CHECK(cudaMallocManaged(&even, n * sizeof(bool)));
  CUDA_CHECK(cudaMallocManaged(&data, n * width * sizeof(int)));
  long sum = 0, sorted_sum = 0;
  for (int i = 0; i < n * width; ++i) sum += data[i] = i * 7919 % 1009;
  recurse<<<1, n>>>(out, even, data, width);
  CHECK_LAUNCH();
  for (int i = 0; i < n; ++i) {
    CHECK_EQUAL_AT(i, out[i], ackermann(i % 3, i % 5));
    CHECK_EQUAL_AT(i, even[i], i % 2 == 0);
    for (int k = 1; k < width; ++k) CHECK(data[i * width + k - 1] <= data[i * width + k]);
  }
  for (int i = 0; i < n * width; ++i) sorted_sum += data[i];
  CHECK_EQUAL(sorted_sum, sum);
  return all_ok();
}
