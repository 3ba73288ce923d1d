// The kernel; its functions and tables are in device_lib.cu.
#include <stdio.h>
#include <stdlib.h>

#include "project.h"
#include "scaling.h"

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

static __device__ int hidden = 50;

static __global__ void scale_all(float *data)
{
    const Scaling<float> twice = {2};
    data[threadIdx.x] = offset_by(twice.apply(data[threadIdx.x])) + hidden + offset<float>;
    atomicAdd(&uses, 50);
}

__global__ void negate_all(float *data);  // defined in scaling.cu

// Templates that another file instantiates, and variables that both files define.
static void run_scaling()
{
    float *device, host[2];
    cudaMalloc(&device, sizeof host);
    for (int round = 0; round < 2; ++round) {
        const float start[2] = {10, 20};
        cudaMemcpy(device, start, sizeof start, cudaMemcpyHostToDevice);
        scale_all<<<1, 2>>>(device);
        cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
        const float added = 50 + 3 + 2 * (round == 0 ? 5 : 7);
        const int uses_now = scaling_uses();
        if (host[0] != 20 + added || host[1] != 40 + added || uses_now != 102 * (round + 1)) {
            fprintf(stderr, "scaling: %g and %g, used %d times\n", host[0], host[1], uses_now);
            exit(1);
        }
    }
    negate_all<<<1, 2>>>(device);
    float negated[2];
    cudaMemcpy(negated, device, sizeof negated, cudaMemcpyDeviceToHost);
    if (negated[0] != -host[0] || negated[1] != -host[1]) {
        fprintf(stderr, "a kernel of another file: %g and %g\n", negated[0], negated[1]);
        exit(1);
    }
    cudaFree(device);
}

extern "C" int calls_made(void);
extern "C" void fill_table(void);

extern "C" void run_kernels(float *device, int n)
{
    int before = 0, after = 0;
    run_scaling();
    fill_table();
    cudaMemcpyFromSymbol(&before, calls, sizeof before);
    transform_all<<<(n + 63) / 64, 64>>>(device, n);
    after = calls_made();
    if (cudaDeviceSynchronize() != cudaSuccess || before != 100 || after != 100 + n) {
        fprintf(stderr, "kernels: %s, %d calls, then %d\n", cudaGetErrorString(cudaGetLastError()), before, after);
        exit(1);
    }
}
