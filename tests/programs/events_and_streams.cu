// Events as timers: they report the simulated machine's time, so the same kernel takes the same time each run and ten times
// the work takes longer, whatever the host does. Streams keep order; asynchronous copies, callbacks and waits work.
#include <unistd.h>

#include "check.h"

__global__ void work(unsigned* out, int steps) {
  unsigned x = threadIdx.x + blockIdx.x * blockDim.x;
  unsigned h = x + 1;
  for (int i = 0; i < steps; ++i) h = h * 1664525u + 1013904223u;
  out[x] = h;
}

__global__ void scale(int* data, int factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= factor;
}

__global__ void read_clocks(long long* out) {
  const clock_t early = clock();
  const long long start = clock64();
  unsigned h = threadIdx.x;
  for (int i = 0; i < 100; ++i) h = h * 1664525u + 1013904223u;
  if (h == 12345) out[3] = h;
  out[0] = start;
  out[1] = clock64();
  out[2] = clock() - early;
}

static float timed(unsigned* out, int steps, int host_sleep) {
  cudaEvent_t start, stop;
  float ms = -1;
  CUDA_CHECK(cudaEventCreate(&start));
  CUDA_CHECK(cudaEventCreate(&stop));
  CUDA_CHECK(cudaEventRecord(start, 0));
  work<<<8, 128>>>(out, steps);
  if (host_sleep) usleep(host_sleep);
  CUDA_CHECK(cudaEventRecord(stop, 0));
  CUDA_CHECK(cudaEventSynchronize(stop));
  CUDA_CHECK(cudaEventQuery(stop));
  CUDA_CHECK(cudaEventElapsedTime(&ms, start, stop));
  CUDA_CHECK(cudaEventDestroy(start));
  CUDA_CHECK(cudaEventDestroy(stop));
  return ms;
}

static void CUDART_CB note(cudaStream_t, cudaError_t status, void* data) { *(int*)data = status == cudaSuccess ? 7 : 8; }

int main() {
  unsigned* out;
  CUDA_CHECK(cudaMalloc(&out, 1024 * sizeof(unsigned)));
  const float once = timed(out, 100, 0), again = timed(out, 100, 50000), longer = timed(out, 1000, 0);
  printf("%g ms, %g ms, %g ms\n", once, again, longer);
  CHECK(once > 0);
  CHECK(again > once / 4 && again < once * 4);  // caches may be warm by then
  CHECK(longer > 2 * once && longer < 20 * once);
  CHECK(longer < 50);  // not the host's time: its 50 ms of sleep would show

  cudaEvent_t never, untimed;
  float ms;
  CUDA_CHECK(cudaEventCreate(&never));
  CUDA_CHECK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
  EXPECT_ERROR(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, never, never));
  cudaGetLastError();

  // Two streams, each a copy in, a kernel and a copy out, from pinned memory.
  const int n = 1000;
  int *host[2], *device[2], called = 0;
  cudaStream_t streams[2];
  for (int s = 0; s < 2; ++s) {
    CUDA_CHECK(cudaStreamCreate(&streams[s]));
    CUDA_CHECK(cudaMallocHost((void**)&host[s], n * sizeof(int)));
    CUDA_CHECK(cudaMalloc(&device[s], n * sizeof(int)));
    for (int i = 0; i < n; ++i) host[s][i] = i + s;
  }
  for (int s = 0; s < 2; ++s) {
    CUDA_CHECK(cudaMemcpyAsync(device[s], host[s], n * sizeof(int), cudaMemcpyHostToDevice, streams[s]));
    scale<<<(n + 127) / 128, 128, 0, streams[s]>>>(device[s], 3 + s, n);
    CUDA_CHECK(cudaMemcpyAsync(host[s], device[s], n * sizeof(int), cudaMemcpyDeviceToHost, streams[s]));
  }
  CUDA_CHECK(cudaEventRecord(untimed, streams[0]));
  CUDA_CHECK(cudaStreamWaitEvent(streams[1], untimed, 0));
  CUDA_CHECK(cudaStreamAddCallback(streams[1], note, &called, 0));
  CUDA_CHECK(cudaMemsetAsync(device[0], 0, n * sizeof(int), streams[0]));
  for (int s = 0; s < 2; ++s) {
    CUDA_CHECK(cudaStreamSynchronize(streams[s]));
    CUDA_CHECK(cudaStreamQuery(streams[s]));
    for (int i = 0; i < n; ++i) CHECK_EQUAL_AT(i, host[s][i], (i + s) * (3 + s));
  }
  CHECK_EQUAL(called, 7);
  CUDA_CHECK(cudaMemcpy(host[0], device[0], n * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i) CHECK_EQUAL_AT(i, host[0][i], 0);
  for (int s = 0; s < 2; ++s) {
    CUDA_CHECK(cudaStreamDestroy(streams[s]));
    CUDA_CHECK(cudaFreeHost(host[s]));
    CUDA_CHECK(cudaFree(device[s]));
  }

  long long *device_clocks, clocks[4] = {0, 0, 0, 0};
  CUDA_CHECK(cudaMalloc(&device_clocks, sizeof clocks));
  read_clocks<<<1, 1>>>(device_clocks);
  CUDA_CHECK(cudaMemcpy(clocks, device_clocks, sizeof clocks, cudaMemcpyDeviceToHost));
  CHECK(clocks[1] > clocks[0] && clocks[2] > 0);
  return all_ok();
}
