// cuda::pipeline: tiles that a block copies in two stages, and copies of one thread.
// compiled with: -arch=sm_80
#include <cooperative_groups.h>

#include <cuda/pipeline>

#include "../check.h"

namespace cg = cooperative_groups;
const int kThreads = 128, kTiles = 4;

__global__ void staged(const int* in, int* out) {
  __shared__ int tile[2][kThreads];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  const auto block = cg::this_thread_block();
  auto pipeline = cuda::make_pipeline(block, &state);
  for (int t = 0; t < kTiles; ++t) {
    pipeline.producer_acquire();
    cuda::memcpy_async(block, tile[t % 2], in + t * kThreads, sizeof(int) * kThreads, pipeline);
    pipeline.producer_commit();
    pipeline.consumer_wait();
    out[t * kThreads + threadIdx.x] = tile[t % 2][kThreads - 1 - threadIdx.x];
    pipeline.consumer_release();
  }
}

__global__ void alone(const int* in, int* out) {
  __shared__ int tile[kThreads];
  auto pipeline = cuda::make_pipeline();
  pipeline.producer_acquire();
  cuda::memcpy_async(&tile[threadIdx.x], in + threadIdx.x, sizeof(int), pipeline);
  pipeline.producer_commit();
  cuda::pipeline_consumer_wait_prior<0>(pipeline);
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x ^ 1];
  pipeline.consumer_release();
}

int main() {
  int *in, *out;
  CUDA_CHECK(cudaMallocManaged(&in, kThreads * kTiles * sizeof(int)));
  CUDA_CHECK(cudaMallocManaged(&out, kThreads * kTiles * sizeof(int)));
  for (int i = 0; i < kThreads * kTiles; ++i) in[i] = i * i % 1009;
  staged<<<1, kThreads>>>(in, out);
  CHECK_LAUNCH();
  for (int i = 0; i < kThreads * kTiles; ++i) CHECK_EQUAL_AT(i, out[i], in[i / kThreads * kThreads + kThreads - 1 - i % kThreads]);
  alone<<<1, kThreads>>>(in, out);
  CHECK_LAUNCH();
  for (int i = 0; i < kThreads; ++i) CHECK_EQUAL_AT(i, out[i], in[i ^ 1]);
  return all_ok();
}
