// Lanes that call a function one after the other wait for each other inside it.
#include "check.h"

__device__ __noinline__ unsigned exchange(unsigned value)
{
    return __shfl_xor_sync(0xffffffffu, value, 1) + __ballot_sync(0xffffffffu, value % 4 == 0);
}

__global__ void late_caller(volatile int* flag, volatile int* sink, unsigned* out)
{
    const unsigned lane = threadIdx.x % 32;
    if (threadIdx.x >= 32) {
        for (int i = 0; i < 5000; ++i) *sink = i;
        *flag = 1;
        return;
    }
    if (lane == 0) {
        while (*flag == 0)
            ;
    }
    out[lane] = exchange(lane);
}

int main()
{
    int* flags;
    unsigned* d;
    unsigned h[32];
    CUDA_CHECK(cudaMalloc(&flags, 2 * sizeof(int)));
    CUDA_CHECK(cudaMemset(flags, 0, 2 * sizeof(int)));
    CUDA_CHECK(cudaMalloc(&d, sizeof(h)));
    late_caller<<<1, 64>>>(flags, flags + 1, d);
    CHECK_LAUNCH();
    CUDA_CHECK(cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost));
    for (unsigned lane = 0; lane < 32; ++lane) CHECK_EQUAL_AT(lane, h[lane], (lane ^ 1) + 0x11111111u);
    puts("ok");
    return 0;
}
