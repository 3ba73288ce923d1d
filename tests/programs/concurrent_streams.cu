// Kernels of several streams, small enough to run side by side where a machine can: what each leaves in memory is right
// whatever overlaps, streams keep their order, events order streams among each other, and times fit together.
#include <vector>

#include "check.h"

const int kThreads = 64, kBlocks = 2, kCount = kThreads * kBlocks, kStreams = 4;

__device__ unsigned advance(unsigned value, int steps) {
  for (int i = 0; i < steps; ++i) value = value * 1664525u + 1013904223u;
  return value;
}

static unsigned expected(unsigned value, int steps) {
  for (int i = 0; i < steps; ++i) value = value * 1664525u + 1013904223u;
  return value;
}

__global__ void fill(unsigned* data, unsigned first) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = first + i;
}

__global__ void step(unsigned* data, int steps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = advance(data[i], steps);
}

// Turned around, so that it reads what other threads and blocks wrote.
__global__ void add_turned(unsigned* out, const unsigned* a, const unsigned* b) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  out[i] = a[n - 1 - i] + b[n - 1 - i];
}

__global__ void set_flag(volatile int* flag) { *flag = 1; }

static std::vector<unsigned> copied(const unsigned* device) {
  std::vector<unsigned> host(kCount);
  CUDA_CHECK(cudaMemcpy(host.data(), device, kCount * sizeof(unsigned), cudaMemcpyDeviceToHost));
  return host;
}

static float between(cudaEvent_t start, cudaEvent_t end) {
  float ms = -1;
  CUDA_CHECK(cudaEventElapsedTime(&ms, start, end));
  return ms;
}

// In each stream three kernels, given out in turns; each stream's own result must come of it.
static void order_within_streams(cudaStream_t* streams, unsigned** data) {
  for (int s = 0; s < kStreams; ++s) fill<<<kBlocks, kThreads, 0, streams[s]>>>(data[s], 1000 * s);
  for (int s = 0; s < kStreams; ++s) step<<<kBlocks, kThreads, 0, streams[s]>>>(data[s], 50 + 10 * s);
  for (int s = kStreams; s-- > 0;) step<<<kBlocks, kThreads, 0, streams[s]>>>(data[s], 7);
  CUDA_CHECK(cudaDeviceSynchronize());  // which also waits for streams that the default one does not wait for
  for (int s = 0; s < kStreams; ++s) {
    const std::vector<unsigned> host = copied(data[s]);
    for (int i = 0; i < kCount; ++i) CHECK_EQUAL_AT(i, host[i], expected(1000 * s + i, 57 + 10 * s));
  }
}

// Two streams whose results a third one needs: it waits for their events.
static void order_between_streams(cudaStream_t* streams, unsigned** data) {
  cudaEvent_t ready[2];
  for (int s = 0; s < 2; ++s) {
    CUDA_CHECK(cudaEventCreateWithFlags(&ready[s], cudaEventDisableTiming));
    fill<<<kBlocks, kThreads, 0, streams[s]>>>(data[s], 5 * s);
    step<<<kBlocks, kThreads, 0, streams[s]>>>(data[s], 300 >> s);
    CUDA_CHECK(cudaEventRecord(ready[s], streams[s]));
    CUDA_CHECK(cudaStreamWaitEvent(streams[2], ready[s], 0));
  }
  add_turned<<<kBlocks, kThreads, 0, streams[2]>>>(data[2], data[0], data[1]);
  // The default stream waits for all of them, and they for it.
  step<<<kBlocks, kThreads>>>(data[2], 3);
  step<<<kBlocks, kThreads, 0, streams[1]>>>(data[2], 4);
  const std::vector<unsigned> host = copied(data[2]);
  for (int i = 0; i < kCount; ++i) {
    const unsigned j = kCount - 1 - i;
    CHECK_EQUAL_AT(i, host[i], expected(expected(j, 300) + expected(5 + j, 150), 7));
  }
  for (int s = 0; s < 2; ++s) CUDA_CHECK(cudaEventDestroy(ready[s]));
}

// How long kernels take in one stream and in several; what an event of a stream says is that stream's time.
static void times(cudaStream_t* streams, unsigned** data) {
  const int steps = 2000;
  cudaEvent_t start, stop, ends[kStreams];
  CUDA_CHECK(cudaEventCreate(&start));
  CUDA_CHECK(cudaEventCreate(&stop));
  for (int s = 0; s < kStreams; ++s) CUDA_CHECK(cudaEventCreate(&ends[s]));

  CUDA_CHECK(cudaEventRecord(start, 0));
  for (int s = 0; s < kStreams; ++s) step<<<kBlocks, kThreads, 0, streams[0]>>>(data[s], steps);
  CUDA_CHECK(cudaEventRecord(stop, 0));
  const float in_turn = between(start, stop);

  CUDA_CHECK(cudaEventRecord(start, 0));
  for (int s = 0; s < kStreams; ++s) {
    step<<<kBlocks, kThreads, 0, streams[s]>>>(data[s], steps / (s + 1));
    CUDA_CHECK(cudaEventRecord(ends[s], streams[s]));
  }
  CUDA_CHECK(cudaEventRecord(stop, 0));
  const float all = between(start, stop);
  float last = 0;
  for (int s = 0; s < kStreams; ++s) {
    const float one = between(start, ends[s]);
    CHECK(one > 0 && one <= all * 1.0001f);
    last = one > last ? one : last;
  }
  CHECK(last > all * 0.9999f);  // the last to end ends it all

  CUDA_CHECK(cudaEventRecord(start, 0));
  for (int s = 0; s < kStreams; ++s) step<<<kBlocks, kThreads, 0, streams[s]>>>(data[s], steps);
  CUDA_CHECK(cudaEventRecord(stop, 0));
  const float together = between(start, stop);
  cudaDeviceProp device;
  CUDA_CHECK(cudaGetDeviceProperties(&device, 0));
  printf("%g ms in one stream, %g ms in %d\n", in_turn, together, kStreams);
  if (device.concurrentKernels) CHECK(together < in_turn / 2);
  else CHECK(together > in_turn * 0.9f && together < in_turn * 1.1f);
  for (int s = 0; s < kStreams; ++s) CUDA_CHECK(cudaEventDestroy(ends[s]));
  CUDA_CHECK(cudaEventDestroy(start));
  CUDA_CHECK(cudaEventDestroy(stop));
}

int main() {
  cudaStream_t streams[kStreams];
  unsigned* data[kStreams];
  for (int s = 0; s < kStreams; ++s) {
    if (s % 2 == 0) CUDA_CHECK(cudaStreamCreate(&streams[s]));
    else CUDA_CHECK(cudaStreamCreateWithFlags(&streams[s], cudaStreamNonBlocking));
    CUDA_CHECK(cudaMalloc(&data[s], kCount * sizeof(unsigned)));
  }
  order_within_streams(streams, data);
  for (int s = 0; s < kStreams; ++s) {
    CUDA_CHECK(cudaStreamDestroy(streams[s]));
    CUDA_CHECK(cudaStreamCreate(&streams[s]));
  }
  order_between_streams(streams, data);
  times(streams, data);

  // A stream of this thread's own, managed memory after a synchronisation, and memory that the host watches meanwhile.
  unsigned* managed;
  CUDA_CHECK(cudaMallocManaged((void**)&managed, kCount * sizeof(unsigned)));
  fill<<<kBlocks, kThreads, 0, cudaStreamPerThread>>>(managed, 9);
  step<<<kBlocks, kThreads, 0, cudaStreamPerThread>>>(managed, 2);
  CUDA_CHECK(cudaStreamSynchronize(cudaStreamPerThread));
  for (int i = 0; i < kCount; ++i) CHECK_EQUAL_AT(i, managed[i], expected(9 + i, 2));
  volatile int* flag;
  CUDA_CHECK(cudaHostAlloc((void**)&flag, sizeof(int), cudaHostAllocMapped));
  *flag = 0;
  set_flag<<<1, 1, 0, streams[1]>>>(flag);
  while (*flag == 0) {
  }
  CUDA_CHECK(cudaDeviceSynchronize());
  for (int s = 0; s < kStreams; ++s) {
    CUDA_CHECK(cudaStreamDestroy(streams[s]));
    CUDA_CHECK(cudaFree(data[s]));
  }
  return all_ok();
}
