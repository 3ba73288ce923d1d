// A kernel that launches a kernel: refused when it is compiled, with this file's line.
#include <cstdio>

__global__ void child(int* out) { out[threadIdx.x] = threadIdx.x; }

__global__ void parent(int* out) {
  child<<<1, 32>>>(out);
}

int main() {
  int* out;
  cudaMalloc(&out, 32 * sizeof(int));
  parent<<<1, 1>>>(out);
  return cudaDeviceSynchronize();
}
