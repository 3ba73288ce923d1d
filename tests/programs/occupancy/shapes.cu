// Asks the runtime how many blocks of a kernel a multiprocessor holds, for many shapes of blocks, and launches each shape once.
// check_occupancy compares the answers with what the machine says about the launches.
#include <cstdio>
#include <cstdlib>

__global__ void plain(int* out) { out[threadIdx.x] = threadIdx.x; }

__global__ void with_shared(int* out) {
  __shared__ int values[1250];
  extern __shared__ int more[];
  values[threadIdx.x] = threadIdx.x;
  if (threadIdx.x == 0) more[0] = 1;
  __syncthreads();
  out[threadIdx.x] = values[(threadIdx.x + 1) % blockDim.x] + (threadIdx.x == 0 ? 0 : 1);
}

// Many values that are alive together.
__global__ void with_registers(int* out) {
  int values[36];
#pragma unroll
  for (int i = 0; i < 36; ++i) values[i] = out[threadIdx.x + i];
  int sum = 0;
#pragma unroll
  for (int i = 0; i < 36; ++i) sum += values[i] * values[35 - i] + (values[i] ^ sum);
  out[threadIdx.x] = sum;
}

int main(int argc, char** argv) {
  const int step = argc > 1 ? atoi(argv[1]) : 1;
  const int sizes[] = {1,   16,  32,  33,  64,  96,  100, 128, 160, 192, 224, 256,
                       288, 320, 352, 384, 416, 448, 512, 640, 768, 896, 1024};
  const size_t dynamic[] = {4, 1000, 9000};
  using Kernel = void (*)(int*);
  const Kernel kernels[] = {plain, with_shared, with_registers};
  int* out = nullptr;
  if (cudaMalloc(&out, 2048 * sizeof(int)) != cudaSuccess) return 1;
  for (const Kernel kernel : kernels) {
    cudaFuncAttributes attributes;
    if (cudaFuncGetAttributes(&attributes, kernel) != cudaSuccess) return 1;
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i += step) {
      for (const size_t bytes : dynamic) {
        int blocks = -1;
        if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, sizes[i], bytes) != cudaSuccess) return 1;
        kernel<<<1, sizes[i], bytes>>>(out);
        const bool launched = cudaGetLastError() == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess;
        printf("%d threads, %zu bytes: %d blocks, %s\n", sizes[i], bytes, blocks, launched ? "launched" : "refused");
        if (launched != (blocks > 0)) return 1;
        if (launched && sizes[i] > attributes.maxThreadsPerBlock) return 1;
      }
    }
  }
  cudaFree(out);
  return 0;
}
