/* Plain C: device memory is managed here, kernels are launched elsewhere. */
#include <cuda.h>
#include <cuda_runtime.h>
#include <cuda_runtime_api.h>
#include <device_launch_parameters.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <vector_types.h>

#include "project.h"

int main(void)
{
    float host[COUNT], expected[COUNT], *device;
    struct cudaDeviceProp properties;
    cudaError_t error;
    float4 corner = {1, 2, 3, 4};
    dim3 unused = {1, 1, 1};
    int i, wrong = 0;

    if (cudaGetDeviceProperties(&properties, 0) != cudaSuccess || properties.multiProcessorCount < 1) return 1;
    error = cudaMalloc((void **)&device, sizeof host);
    if (error != cudaSuccess) {
        fprintf(stderr, "%s\n", cudaGetErrorString(error));
        return 1;
    }
    for (i = 0; i < COUNT; i++) {
        host[i] = i * 0.25f;
        expected[i] = SCALE * (host[i] * host[i] + 1) + i % 4 * 10 + (unused.x - corner.x);
    }
    cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice);
    run_kernels(device, COUNT);
    cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
    wrong += report("kernels", host, expected, COUNT, 0);

    for (i = 0; i < COUNT; i++) {
        host[i] = 0.01f * (i + 1);
        expected[i] = expf(sinf(host[i])) / (1 + host[i]);
    }
    cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice);
    run_fast(device, COUNT);
    cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
    wrong += report("fast", host, expected, COUNT, 1e-5f);
    cudaFree(device);
    if (wrong == 0) printf("ok\n");
    return wrong != 0;
}
