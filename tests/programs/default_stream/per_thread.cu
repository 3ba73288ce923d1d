// Two host threads launch kernels into their default stream. Compiled for a default stream of each thread, the kernels of
// the two run side by side where the machine can; for the legacy one, one after the other. Each thread's own stay in order.
#include <thread>
#include <vector>

#include "../check.h"

const int kThreads = 64, kTurns = 2000;

__global__ void fill(unsigned* data, unsigned first) { data[threadIdx.x] = first + threadIdx.x; }

__global__ void step(unsigned* data, int turns) {
  unsigned value = data[threadIdx.x];
  for (int i = 0; i < turns; ++i) value = value * 1664525u + 1013904223u;
  data[threadIdx.x] = value;
}

static unsigned expected(unsigned value) {
  for (int i = 0; i < 2 * kTurns; ++i) value = value * 1664525u + 1013904223u;
  return value;
}

static void launch_all(unsigned* data, unsigned first) {
  fill<<<1, kThreads>>>(data, first);
  step<<<1, kThreads, 0, 0>>>(data, kTurns);
  void* arguments[] = {&data, (void*)&kTurns};
  CUDA_CHECK(cudaLaunchKernel((const void*)step, dim3(1), dim3(kThreads), arguments, 0, 0));
}

// Simulated time of so many threads' kernels, between two points that all of them lie between.
static float time_of(int threads, unsigned** data) {
  cudaEvent_t start, stop;
  CUDA_CHECK(cudaEventCreate(&start));
  CUDA_CHECK(cudaEventCreate(&stop));
  CUDA_CHECK(cudaEventRecord(start, cudaStreamLegacy));
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i) all.emplace_back(launch_all, data[i], 1000u * i);
  for (std::thread& one : all) one.join();
  CUDA_CHECK(cudaEventRecord(stop, cudaStreamLegacy));
  CUDA_CHECK(cudaEventSynchronize(stop));
  float ms = -1;
  CUDA_CHECK(cudaEventElapsedTime(&ms, start, stop));
  return ms;
}

int main() {
  unsigned* data[2];
  for (unsigned*& one : data) CUDA_CHECK(cudaMalloc(&one, kThreads * sizeof(unsigned)));
  time_of(1, data);  // fetches the instructions
  const float alone = time_of(1, data), both = time_of(2, data);
  printf("%g ms for one thread, %g ms for two\n", alone, both);
  cudaDeviceProp device;
  CUDA_CHECK(cudaGetDeviceProperties(&device, 0));
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
  const bool side_by_side = device.concurrentKernels != 0;
  puts("a stream of each thread");
#else
  const bool side_by_side = false;
  puts("one stream");
#endif
  CHECK(side_by_side ? both < 1.1f * alone : both > 1.9f * alone);
  for (int t = 0; t < 2; ++t) {
    unsigned host[kThreads];
    CUDA_CHECK(cudaMemcpy(host, data[t], sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < kThreads; ++i) CHECK_EQUAL_AT(i, host[i], expected(1000 * t + i));
    CUDA_CHECK(cudaFree(data[t]));
  }
  return all_ok();
}
