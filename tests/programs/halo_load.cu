// A stencil that fills its tile with one element before and one after the array by design. In permissive mode these loads
// return what lies there and do no harm: results that do not depend on them are right. `--check` names the line.
#include "check.h"

#define BLOCK 128

__global__ void smooth(const float* in, float* out, int n)
{
    __shared__ float tile[BLOCK + 2];
    int i = blockIdx.x * BLOCK + threadIdx.x, t = threadIdx.x + 1;
    tile[t] = in[i];
    if (t == 1) tile[0] = in[i - 1];
    if (t == BLOCK) tile[t + 1] = in[i + 1];
    __syncthreads();
    if (i > 0 && i < n - 1) out[i] = (tile[t - 1] + tile[t] + tile[t + 1]) * 0.5f;
}

// Beyond every allocation and the card's whole memory, as a wrong index may be: an illegal address, as on a card.
__global__ void far_away(int* data, long long distance) { data[distance + threadIdx.x] = 0x55555555; }

static void check_smooth()
{
    const int n = 512;
    float host[n], back[n], *in, *out;
    for (int i = 0; i < n; i++) host[i] = i % 10;
    CUDA_CHECK(cudaMalloc((void**)&in, sizeof host));
    CUDA_CHECK(cudaMalloc((void**)&out, sizeof host));
    CUDA_CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemset(out, 0, sizeof host));
    smooth<<<n / BLOCK, BLOCK>>>(in, out, n);
    CHECK_LAUNCH();
    CUDA_CHECK(cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost));
    for (int i = 1; i < n - 1; i++) CHECK_EQUAL_AT(i, back[i], (host[i - 1] + host[i] + host[i + 1]) * 0.5f);
    CHECK(back[0] == 0 && back[n - 1] == 0);
}

int main()
{
    check_smooth();
    for (int bits = 33; bits < 60; bits += 6) {
        long long distance = 1LL << bits;
        int* data;
        CUDA_CHECK(cudaMalloc((void**)&data, 64 * sizeof(int)));
        far_away<<<1, 32>>>(data, distance);
        EXPECT_ERROR(cudaErrorIllegalAddress, cudaDeviceSynchronize());
        CUDA_CHECK(cudaDeviceReset());
    }
    check_smooth();  // the device is as good as new
    return all_ok();
}
