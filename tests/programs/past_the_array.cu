// Warp-synchronous code that reads past the end of its shared array: the upper lanes add what lies there to sums that nobody
// uses. A card gives shared memory to blocks in units, so there is something; only `--check` minds. More static memory than
// a block can have is refused instead.
#include "check.h"

__global__ void reduce(const int* in, int* out)
{
    __shared__ volatile int s[32];
    const int t = threadIdx.x;
    s[t] = in[blockIdx.x * 32 + t];
    s[t] += s[t + 16];
    s[t] += s[t + 8];
    s[t] += s[t + 4];
    s[t] += s[t + 2];
    s[t] += s[t + 1];
    if (t == 0) out[blockIdx.x] = s[0];
}

__global__ void too_large(int* out)
{
    __shared__ int s[20000];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    *out = s[blockDim.x - 1 - threadIdx.x];
}

int main()
{
    const int blocks = 40, n = blocks * 32;
    int host[n], sums[blocks], *in, *out;
    for (int i = 0; i < n; ++i) host[i] = i * 7 % 101;
    CUDA_CHECK(cudaMalloc((void**)&in, sizeof host));
    CUDA_CHECK(cudaMalloc((void**)&out, sizeof sums));
    CUDA_CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    reduce<<<blocks, 32>>>(in, out);
    CHECK_LAUNCH();
    CUDA_CHECK(cudaMemcpy(sums, out, sizeof sums, cudaMemcpyDeviceToHost));
    for (int b = 0; b < blocks; ++b) {
        int expected = 0;
        for (int i = 0; i < 32; ++i) expected += host[b * 32 + i];
        CHECK_EQUAL_AT(b, sums[b], expected);
    }

    too_large<<<1, 32>>>(out);
    EXPECT_ERROR(cudaErrorInvalidValue, cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
    return all_ok();
}
