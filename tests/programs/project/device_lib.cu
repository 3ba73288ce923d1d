// Device code and variables for other files: they meet when the program is linked.
#include "project.h"

__device__ int calls = 100;
__constant__ float table[4];
extern __device__ int scale;

__device__ __noinline__ float square(float x) { return x * x; }

__device__ float transform(float x) { return scale * (square(x) + 1); }

extern "C" void fill_table(void)
{
    const float values[4] = {0, 10, 20, 30};
    cudaMemcpyToSymbol(table, values, sizeof values);
}

extern "C" int calls_made(void)
{
    int value = -1;
    cudaMemcpyFromSymbol(&value, calls, sizeof value);
    return value;
}
