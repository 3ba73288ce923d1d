// Divergent control flow: switch with fall-through and many cases, nested loops with break and continue, early return, goto,
// pointers chosen at run time (also between address spaces), local arrays indexed at run time, volatile variables.
#include "check.h"

__host__ __device__ int dispatch(int op, int a, int b) {
  switch (op) {
    case 0: return a + b;
    case 1: return a - b;
    case 2: a *= 3;  // falls through
    case 3: return a * b;
    case 4: return b ? a / b : -1;
    case 7: case 8: case 9: return a << (b & 7);
    case 100: return ~a;
    case -5: return 12345;
    default: return op ^ a;
  }
}

__host__ __device__ int collatz(int n, int limit) {
  int steps = 0;
  for (;;) {
    if (n == 1) break;
    if (steps >= limit) return -steps;
    ++steps;
    if (n % 2 == 0) {
      n /= 2;
      continue;
    }
    n = 3 * n + 1;
  }
  return steps;
}

__host__ __device__ int search(const int* table, int rows, int columns, int wanted) {
  int r, c;
  for (r = 0; r < rows; ++r)
    for (c = 0; c < columns; ++c)
      if (table[r * columns + c] == wanted) goto found;
  return -1;
found:
  do {
    ++c;
  } while (c < columns && table[r * columns + c] != wanted);
  return r * 100 + c;
}

// A local array that cannot live in registers: insertion sort with run-time indices.
__host__ __device__ int median(const int* in, int n) {
  int sorted[15];
  for (int i = 0; i < n; ++i) {
    int j = i;
    for (; j > 0 && sorted[j - 1] > in[i]; --j) sorted[j] = sorted[j - 1];
    sorted[j] = in[i];
  }
  return sorted[n / 2];
}

__global__ void run(const int* ops, const int* table, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = dispatch(ops[i], i, i % 5);
  out[n + i] = collatz(i + 1, 60);
  out[2 * n + i] = search(table, 6, 8, i % 23);
  out[3 * n + i] = median(table + i % 33, 15);
}

__constant__ int constants[4] = {1000, 2000, 3000, 4000};

__device__ __noinline__ void bump(int* p, int by) { *p += by; }

// One pointer, four address spaces: the access must find out at run time which it is.
__global__ void generic(int* global, int* out) {
  __shared__ int shared[64];
  int local[4] = {10, 20, 30, 40};
  const int t = threadIdx.x;
  shared[t] = t;
  int* p = t % 3 == 0 ? &global[t] : t % 3 == 1 ? &shared[t] : &local[t % 4];
  bump(p, 7);
  const int* q = t % 2 ? &constants[t % 4] : p;
  __syncthreads();
  out[t] = *p * 10000 + *q + __isShared(p) * 1000000000 + shared[t];
  local[t % 4] += out[t];
}

__global__ void counted(volatile int* cell, int* out) {
  volatile int local = 0;
  for (int i = 0; i < 10; ++i) local = local + *cell + i;
  *out = local;
}

// Half of each warp leaves before the barrier that the rest passes.
__global__ void early_exit(int* out) {
  __shared__ int s[128];
  const int t = threadIdx.x;
  s[t] = t;
  __syncthreads();
  if (t % 2) return;
  s[t] += s[t + 1];
  __syncthreads();
  out[t] = s[(t + 2) % 128];
}

int main() {
  const int n = 200;
  int *ops, *table, *out;
  CUDA_CHECK(cudaMallocManaged(&ops, n * sizeof(int)));
  CUDA_CHECK(cudaMallocManaged(&table, 48 * sizeof(int)));
  CUDA_CHECK(cudaMallocManaged(&out, 4 * n * sizeof(int)));
  const int kinds[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 100, -5, 33};
  for (int i = 0; i < n; ++i) ops[i] = kinds[i * 7 % 12];
  for (int i = 0; i < 48; ++i) table[i] = i * 11 % 19;
  run<<<4, 64>>>(ops, table, out, n);
  CHECK_LAUNCH();
  for (int i = 0; i < n; ++i) {
    CHECK_EQUAL_AT(i, out[i], dispatch(ops[i], i, i % 5));
    CHECK_EQUAL_AT(i, out[n + i], collatz(i + 1, 60));
    CHECK_EQUAL_AT(i, out[2 * n + i], search(table, 6, 8, i % 23));
    CHECK_EQUAL_AT(i, out[3 * n + i], median(table + i % 33, 15));
  }

  for (int i = 0; i < 64; ++i) ops[i] = 500 + i;
  generic<<<1, 64>>>(ops, out);
  CHECK_LAUNCH();
  for (int t = 0; t < 64; ++t) {
    const int p = (t % 3 == 0 ? 500 + t : t % 3 == 1 ? t : t % 4 * 10 + 10) + 7;
    const int q = t % 2 ? 1000 * (t % 4 + 1) : p;
    const int shared = t % 3 == 1 ? t + 7 : t;
    CHECK_EQUAL_AT(t, out[t], p * 10000 + q + (t % 3 == 1) * 1000000000 + shared);
    CHECK_EQUAL_AT(t, ops[t], t % 3 == 0 ? 507 + t : 500 + t);
  }
  ops[0] = 3;
  counted<<<1, 1>>>(ops, out);
  CHECK_LAUNCH();
  CHECK_EQUAL(out[0], 75);
  early_exit<<<1, 128>>>(out);
  CHECK_LAUNCH();
  for (int t = 0; t < 128; t += 2) CHECK_EQUAL_AT(t, out[t], 2 * ((t + 2) % 128) + 1);
  return all_ok();
}
