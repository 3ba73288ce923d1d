// __constant__ and __device__ variables: initialisers, copies with offsets in both directions, addresses and sizes, pointers
// kept in variables, and the old way to name a symbol by a string, which must fail without writing.
#include "check.h"

struct Body {
  float position[3];
  int id;
  double mass;
};

__constant__ float coefficients[16];
__constant__ int table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
__constant__ Body sun;
__device__ int counter = 41;
__device__ short series[5] = {1, -2, 3, -4, 5};
__device__ float* buffer;
__device__ int* address_of_counter = &counter;
static __device__ double hidden = 0.125;

template <int N>
struct Powers {
  static __device__ int values[N];
};
template <int N>
__device__ int Powers<N>::values[N];

// Instantiated explicitly, and written by the host alone.
template <typename T>
__device__ T threshold = T(4);
template __device__ int threshold<int>;

__global__ void read_threshold(int* out) { *out = threshold<int>; }

__global__ void use(float* out, int n) {
  const int i = threadIdx.x;
  if (i >= n) return;
  out[i] = coefficients[i % 16] * table[i % 8] + sun.position[i % 3] + sun.id;
  buffer[i] = series[i % 5];
  Powers<4>::values[i % 4] = 1 << (i % 4);
  if (i == 0) {
    *address_of_counter += 1;
    hidden += sun.mass;
  }
}

int main() {
  const int n = 48;
  float host_coefficients[16], *out, *kept, host[n], host_kept[n];
  for (int i = 0; i < 16; ++i) host_coefficients[i] = 0.25f * (i + 1);
  const Body body = {{1.5f, 2.5f, 3.5f}, 7, 1e30};
  CUDA_CHECK(cudaMalloc(&out, sizeof host));
  CUDA_CHECK(cudaMalloc(&kept, sizeof host_kept));
  CUDA_CHECK(cudaMemcpyToSymbol(coefficients, host_coefficients, 8 * sizeof(float)));
  CUDA_CHECK(cudaMemcpyToSymbol(coefficients, host_coefficients + 8, 8 * sizeof(float), 8 * sizeof(float),
                                cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpyToSymbol(sun, &body, sizeof body));
  CUDA_CHECK(cudaMemcpyToSymbol(buffer, &kept, sizeof kept));
  use<<<1, 64>>>(out, n);
  CHECK_LAUNCH();
  CUDA_CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaMemcpy(host_kept, kept, sizeof host_kept, cudaMemcpyDeviceToHost));
  const int digits[8] = {3, 1, 4, 1, 5, 9, 2, 6}, sequence[5] = {1, -2, 3, -4, 5};
  for (int i = 0; i < n; ++i) {
    CHECK_EQUAL_AT(i, host[i], host_coefficients[i % 16] * digits[i % 8] + body.position[i % 3] + 7);
    CHECK_EQUAL_AT(i, host_kept[i], (float)sequence[i % 5]);
  }

  int count = 0, powers[4] = {};
  double mass = 0;
  short middle[2] = {};
  CUDA_CHECK(cudaMemcpyFromSymbol(&count, counter, sizeof count));
  CHECK_EQUAL(count, 42);
  CUDA_CHECK(cudaMemcpyFromSymbol(&mass, hidden, sizeof mass, 0, cudaMemcpyDeviceToHost));
  CHECK_EQUAL(mass, 0.125 + 1e30);
  CUDA_CHECK(cudaMemcpyFromSymbol(middle, series, sizeof middle, 2 * sizeof(short)));
  CHECK(middle[0] == 3 && middle[1] == -4);
  CUDA_CHECK(cudaMemcpyFromSymbol(powers, Powers<4>::values, sizeof powers));
  for (int i = 0; i < 4; ++i) CHECK_EQUAL_AT(i, powers[i], 1 << i);

  const int raised = 13;
  CUDA_CHECK(cudaMemcpyToSymbol(threshold<int>, &raised, sizeof raised));
  read_threshold<<<1, 1>>>((int*)out);
  CUDA_CHECK(cudaMemcpy(&count, out, sizeof count, cudaMemcpyDeviceToHost));
  CHECK_EQUAL(count, 13);

  void* address = 0;
  size_t size = 0;
  const int replaced = 1000;
  CUDA_CHECK(cudaGetSymbolAddress(&address, counter));
  CUDA_CHECK(cudaGetSymbolSize(&size, series));
  CHECK_EQUAL(size, 5 * sizeof(short));
  CUDA_CHECK(cudaMemcpy(address, &replaced, sizeof replaced, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpyFromSymbol(&count, counter, sizeof count));
  CHECK_EQUAL(count, 1000);

  // Beyond the symbol, and by name: errors that change nothing.
  const int other = -1;
  EXPECT_ERROR(cudaErrorInvalidValue, cudaMemcpyToSymbol(counter, &other, sizeof other, 4));
  EXPECT_ERROR(cudaErrorInvalidSymbol, cudaMemcpyToSymbol("counter", &other, sizeof other));
  EXPECT_ERROR(cudaErrorInvalidSymbol, cudaMemcpyFromSymbol(&count, "counter", sizeof count));
  EXPECT_ERROR(cudaErrorInvalidSymbol, cudaGetLastError());
  CHECK_EQUAL(count, 1000);
  CUDA_CHECK(cudaMemcpyFromSymbol(&count, counter, sizeof count));
  CHECK_EQUAL(count, 1000);
  return all_ok();
}
