// Compiled with -use_fast_math: sinf, expf and the division become their fast forms.
#include "project.h"

// The same name as in device_lib.cu, but static: each file keeps its own.
static __device__ float square(float x) { return x; }

__global__ void fast(float *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] = expf(sinf(square(data[i]))) / (1 + data[i]);
}

extern "C" void run_fast(float *device, int n) { fast<<<(n + 63) / 64, 64>>>(device, n); }
