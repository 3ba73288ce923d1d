// Barriers and fences: __syncthreads in loops and branches that the whole block takes, the counting and voting barriers,
// named barriers between parts of a block, the last block that finishes the others' work, and blocks of odd sizes.
#include "check.h"

__global__ void odd_even_sort(int* data, int n) {
  extern __shared__ int s[];
  const int t = threadIdx.x;
  if (t < n) s[t] = data[t];
  for (int round = 0; round < n; ++round) {
    __syncthreads();
    if (t % 2 == round % 2 && t + 1 < n && s[t] > s[t + 1]) {
      const int swapped = s[t];
      s[t] = s[t + 1];
      s[t + 1] = swapped;
    }
  }
  __syncthreads();
  if (t < n) data[t] = s[t];
}

__global__ void votes(int* out) {
  const int t = threadIdx.x;
  const int count = __syncthreads_count(t % 3 == 0);
  const int all = __syncthreads_and(t < 100);
  const int any = __syncthreads_or(t == 99);
  out[t] = count * 100 + all * 10 + any;
}

// Two warps produce, two consume; barrier 1 says full, barrier 2 says empty.
__global__ void pipeline(int* out, int rounds) {
  __shared__ int buffer[64];
  const int t = threadIdx.x;
  int sum = 0;
  for (int r = 0; r < rounds; ++r) {
    if (t < 64) {
      buffer[t] = r * 64 + t;
      asm volatile("bar.arrive 1, 128;" ::: "memory");
      asm volatile("bar.sync 2, 128;" ::: "memory");
    } else {
      asm volatile("bar.sync 1, 128;" ::: "memory");
      sum += buffer[127 - t];
      asm volatile("bar.sync 2, 128;" ::: "memory");
    }
  }
  if (t >= 64) out[t - 64] = sum;
}

// Threads of a warp come to different barriers of the program: whoever comes is counted. Some have ended before the last ones.
__global__ void apart(int* out, int rounds) {
  __shared__ int s[96];
  const int t = threadIdx.x;
  s[t] = t;
  int got;
  if (t % 3 == 0) {
    s[t] += 100;
    __syncthreads();
    got = s[(t + 1) % 96];
  } else {
    __syncthreads();
    got = 2 * s[(t + 2) % 96];
  }
  out[t] = got;
  if (t >= 80) return;
  for (int r = 0; r < rounds; ++r) {
    if ((t + r) % 2) {
      __syncthreads();
      out[t] += s[(t + 1) % 80] % 100;
    } else {
      __syncthreads();
    }
  }
}

__device__ unsigned finished = 0;

__global__ void last_block_sums(const int* in, int* partial, int* total, int n) {
  __shared__ int s[64];
  __shared__ bool last;
  const int t = threadIdx.x;
  s[t] = 0;
  for (int i = blockIdx.x * 64 + t; i < n; i += gridDim.x * 64) s[t] += in[i];
  for (int half = 32; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) s[t] += s[t + half];
  }
  if (t == 0) {
    partial[blockIdx.x] = s[0];
    __threadfence();
    last = atomicInc(&finished, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && t == 0) {
    int sum = 0;
    for (unsigned b = 0; b < gridDim.x; ++b) sum += ((volatile int*)partial)[b];
    *total = sum;
    __threadfence_block();
    __threadfence_system();
  }
}

int main() {
  const int n = 77;
  int *data, *out;
  CUDA_CHECK(cudaMallocManaged(&data, 1000 * sizeof(int)));
  CUDA_CHECK(cudaMallocManaged(&out, 200 * sizeof(int)));
  for (int i = 0; i < n; ++i) data[i] = i * 31 % n;
  odd_even_sort<<<1, n, n * sizeof(int)>>>(data, n);
  CHECK_LAUNCH();
  for (int i = 0; i < n; ++i) CHECK_EQUAL_AT(i, data[i], i);

  votes<<<1, 100>>>(out);
  CHECK_LAUNCH();
  for (int i = 0; i < 100; ++i) CHECK_EQUAL_AT(i, out[i], 3411);
  votes<<<1, 101>>>(out);
  CHECK_LAUNCH();
  for (int i = 0; i < 101; ++i) CHECK_EQUAL_AT(i, out[i], 3401);

  pipeline<<<1, 128>>>(out, 5);
  CHECK_LAUNCH();
  for (int i = 0; i < 64; ++i) CHECK_EQUAL_AT(i, out[i], 5 * (63 - i) + 64 * 10);

  apart<<<1, 96>>>(out, 4);
  CHECK_LAUNCH();
  for (int i = 0; i < 96; ++i) {
    const int from = (i + (i % 3 ? 2 : 1)) % 96;
    const int got = (from + (from % 3 ? 0 : 100)) * (i % 3 ? 2 : 1);
    CHECK_EQUAL_AT(i, out[i], got + (i < 80 ? 2 * ((i + 1) % 80) : 0));
  }

  int expected = 0;
  for (int i = 0; i < 1000; ++i) expected += data[i] = i % 19 - 7;
  for (int launch = 0; launch < 2; ++launch) {
    out[100] = 0;
    last_block_sums<<<13, 64>>>(data, out, out + 100, 1000);
    CHECK_LAUNCH();
    CHECK_EQUAL(out[100], expected);
    CUDA_CHECK(cudaMemset(out, 0, 13 * sizeof(int)));
    const unsigned zero = 0;
    CUDA_CHECK(cudaMemcpyToSymbol(finished, &zero, sizeof zero));
  }
  return all_ok();
}
