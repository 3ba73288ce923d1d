// Floating-point atomics: float and double addition on global and shared memory, exchange, the CAS loops that programs write
// for what the hardware lacks, packed and half additions, and the scoped forms.
#include <cuda_fp16.h>

#include "check.h"

constexpr int kThreads = 192, kBlocks = 5, kTotal = kThreads * kBlocks;

__device__ double atomic_add_by_cas(double* address, double value) {
  unsigned long long* word = (unsigned long long*)address;
  unsigned long long old = *word, assumed;
  do {
    assumed = old;
    old = atomicCAS(word, assumed, __double_as_longlong(value + __longlong_as_double(assumed)));
  } while (assumed != old);
  return __longlong_as_double(old);
}

__device__ float atomic_max_float(float* address, float value) {
  int* word = (int*)address;
  int old = *word, assumed;
  do {
    assumed = old;
    if (__int_as_float(assumed) >= value) break;
    old = atomicCAS(word, assumed, __float_as_int(value));
  } while (assumed != old);
  return __int_as_float(old);
}

struct Sums {
  float single, exchanged, maximum, scoped;
  double twice, by_cas, block_sum;
  __half2 pair;
  __half half;
};

__global__ void accumulate(Sums* s, float* seen) {
  __shared__ float partial;
  __shared__ double wide;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) partial = 0, wide = 0;
  __syncthreads();
  seen[i] = atomicAdd(&s->single, 0.5f);
  atomicAdd(&s->twice, (double)i);
  atomic_add_by_cas(&s->by_cas, i * 0.25);
  atomic_max_float(&s->maximum, (float)(i * 77 % kTotal));
  atomicAdd_system(&s->scoped, 2.0f);
  atomicAdd_block(&partial, 1.0f);
  atomicAdd(&wide, 0.125);
  seen[kTotal + i] = atomicExch(&s->exchanged, (float)(i + 1));
  if (i < 64) {
    atomicAdd(&s->pair, __floats2half2_rn(1.0f, 0.5f));
    atomicAdd(&s->half, __float2half(0.25f));
  }
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(&s->block_sum, wide + partial);
}

int main() {
  Sums* s;
  float* seen;
  CUDA_CHECK(cudaMallocManaged(&s, sizeof(Sums)));
  CUDA_CHECK(cudaMallocManaged(&seen, 2 * kTotal * sizeof(float)));
  memset(s, 0, sizeof(Sums));
  s->exchanged = 1e6f;
  s->maximum = -5;
  accumulate<<<kBlocks, kThreads>>>(s, seen);
  CHECK_LAUNCH();
  // Every partial sum is exact, so the order does not show.
  CHECK_EQUAL(s->single, kTotal * 0.5f);
  CHECK_EQUAL(s->twice, kTotal * (kTotal - 1) / 2.0);
  CHECK_EQUAL(s->by_cas, kTotal * (kTotal - 1) / 2 * 0.25);
  CHECK_EQUAL(s->maximum, kTotal - 1.0f);
  CHECK_EQUAL(s->scoped, 2.0f * kTotal);
  CHECK_EQUAL(s->block_sum, kBlocks * (kThreads * 1.125));
  CHECK_EQUAL(__low2float(s->pair), 64.0f);
  CHECK_EQUAL(__high2float(s->pair), 32.0f);
  CHECK_EQUAL(__half2float(s->half), 16.0f);
  static bool found[kTotal];
  double out = s->exchanged, in = 1e6;
  for (int i = 0; i < kTotal; ++i) {
    const int ticket = (int)(seen[i] * 2);
    CHECK(ticket >= 0 && ticket < kTotal && !found[ticket]);
    found[ticket] = true;
    out += seen[kTotal + i];
    in += i + 1;
  }
  CHECK_EQUAL(out, in);
  return all_ok();
}
