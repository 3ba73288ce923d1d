// The kernel; its functions and tables are in device_lib.cu.
#include <stdio.h>
#include <stdlib.h>

#include "project.h"

extern __device__ float transform(float x);
extern __device__ float quarter(float x);  // out of a library
extern __device__ int calls;
extern __constant__ float table[4];
__device__ int scale = SCALE;

__global__ void transform_all(float *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        data[i] = transform(data[i]) + table[i % 4] + quarter(4.0f) - 1;
        atomicAdd(&calls, 1);
    }
}

extern "C" int calls_made(void);
extern "C" void fill_table(void);

extern "C" void run_kernels(float *device, int n)
{
    int before = 0, after = 0;
    fill_table();
    cudaMemcpyFromSymbol(&before, calls, sizeof before);
    transform_all<<<(n + 63) / 64, 64>>>(device, n);
    after = calls_made();
    if (cudaDeviceSynchronize() != cudaSuccess || before != 100 || after != 100 + n) {
        fprintf(stderr, "kernels: %s, %d calls, then %d\n", cudaGetErrorString(cudaGetLastError()), before, after);
        exit(1);
    }
}
