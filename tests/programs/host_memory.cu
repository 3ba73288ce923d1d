// Memory that both sides see: managed allocations and variables, pinned memory mapped into the device, registered memory,
// and what cudaPointerGetAttributes says about each.
#include "check.h"

struct Node {
  int value;
  Node* next;
};

__managed__ int total = 5;
__managed__ float weights[4] = {1, 2, 3, 4};

// A list built by the host, walked by the device.
__global__ void sum_list(const Node* head) {
  int sum = 0;
  for (; head; head = head->next) sum += head->value;
  total += sum;
}

__global__ void weigh(float* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= weights[i % 4];
}

int main() {
  Node* nodes;
  CUDA_CHECK(cudaMallocManaged(&nodes, 100 * sizeof(Node)));
  int expected = 5;
  for (int i = 0; i < 100; ++i) {  // 37 and 100 have no common factor: the chain visits every node once
    nodes[i * 37 % 100].value = i * i;
    nodes[i * 37 % 100].next = i < 99 ? &nodes[(i + 1) * 37 % 100] : nullptr;
    expected += i * i;
  }
  CUDA_CHECK(cudaMemPrefetchAsync(nodes, 100 * sizeof(Node), 0, 0));
  sum_list<<<1, 1>>>(nodes);
  CHECK_LAUNCH();
  CHECK_EQUAL(total, expected);
  CUDA_CHECK(cudaFree(nodes));

  // Zero copy: the kernel works in the host's pinned memory.
  const int n = 300;
  float *mapped, *device_view;
  CUDA_CHECK(cudaHostAlloc((void**)&mapped, n * sizeof(float), cudaHostAllocMapped | cudaHostAllocWriteCombined));
  CUDA_CHECK(cudaHostGetDevicePointer((void**)&device_view, mapped, 0));
  for (int i = 0; i < n; ++i) mapped[i] = i;
  weights[3] = 10;
  weigh<<<3, 128>>>(device_view, n);
  CHECK_LAUNCH();
  for (int i = 0; i < n; ++i) CHECK_EQUAL_AT(i, mapped[i], i * (i % 4 == 3 ? 10.0f : i % 4 + 1.0f));

  float* registered = (float*)malloc(n * sizeof(float));
  CUDA_CHECK(cudaHostRegister(registered, n * sizeof(float), cudaHostRegisterMapped));
  CUDA_CHECK(cudaHostGetDevicePointer((void**)&device_view, registered, 0));
  for (int i = 0; i < n; ++i) registered[i] = 1;
  weigh<<<3, 128>>>(device_view, n);
  CHECK_LAUNCH();
  for (int i = 0; i < n; ++i) CHECK_EQUAL_AT(i, registered[i], weights[i % 4]);
  CUDA_CHECK(cudaHostUnregister(registered));

  float* device;
  cudaPointerAttributes attributes;
  CUDA_CHECK(cudaMalloc(&device, n * sizeof(float)));
  CUDA_CHECK(cudaPointerGetAttributes(&attributes, device));
  CHECK_EQUAL((int)attributes.type, (int)cudaMemoryTypeDevice);
  CUDA_CHECK(cudaPointerGetAttributes(&attributes, mapped));
  CHECK_EQUAL((int)attributes.type, (int)cudaMemoryTypeHost);
  CUDA_CHECK(cudaPointerGetAttributes(&attributes, &total));
  CHECK_EQUAL((int)attributes.type, (int)cudaMemoryTypeManaged);
  // The direction may be left to the pointers.
  CUDA_CHECK(cudaMemcpy(device, mapped, n * sizeof(float), cudaMemcpyDefault));
  CUDA_CHECK(cudaMemcpy(registered, device, n * sizeof(float), cudaMemcpyDefault));
  for (int i = 0; i < n; ++i) CHECK_EQUAL_AT(i, registered[i], mapped[i]);
  CUDA_CHECK(cudaFreeHost(mapped));
  CUDA_CHECK(cudaFree(device));
  free(registered);

  // Pinned memory is the host's: with half of the device's memory taken, another half is no problem.
  size_t available, total_memory, available_after;
  char *half, *pinned;
  CUDA_CHECK(cudaMemGetInfo(&available, &total_memory));
  CUDA_CHECK(cudaMalloc(&half, total_memory / 2));
  CUDA_CHECK(cudaMemGetInfo(&available, &total_memory));
  CUDA_CHECK(cudaMallocHost(&pinned, total_memory / 2));
  CUDA_CHECK(cudaMemGetInfo(&available_after, &total_memory));
  CHECK_EQUAL(available_after, available);
  pinned[total_memory / 2 - 1] = 9;
  CUDA_CHECK(cudaMemcpy(half + total_memory / 2 - 1, pinned + total_memory / 2 - 1, 1, cudaMemcpyHostToDevice));
  char last = 0;
  CUDA_CHECK(cudaMemcpy(&last, half + total_memory / 2 - 1, 1, cudaMemcpyDeviceToHost));
  CHECK_EQUAL((int)last, 9);
  CUDA_CHECK(cudaFreeHost(pinned));
  CUDA_CHECK(cudaFree(half));
  return all_ok();
}
