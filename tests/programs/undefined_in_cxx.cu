// What C++ leaves undefined and programs for nvcc count on: docs/cuda-semantics.md.
#include "check.h"

// The idiom of warp-aggregated atomics: the leader fetches, a shuffle hands it out, and the others never set the variable.
__global__ void fetch_once(int* counter, int* out)
{
    const int lane = threadIdx.x % 32;
    int first;
    if (lane == 0) first = atomicAdd(counter, 1);
    first = __shfl_sync(0xffffffffu, first, 0);
    out[lane] = first * 100 + lane;
}

__device__ int count(int* counter)
{
    atomicAdd(counter, 1);
}  // returns nothing

__global__ void ignore_what_it_returns(int* counter, int* out)
{
    count(counter);
    out[threadIdx.x] = 5;
}

// Another type for the same word.
__global__ void other_type(int* word, float* same)
{
    *word = 1;
    *same = 2.0f;
    word[1] = *word;
}

// In a loop, a difference that is stored every time and must be written once: no inline assembly of ours is in the way.
__global__ void differences(float* sum, int n)
{
    for (int i = 0; i < n; ++i) *sum = __fsub_rn(*sum, (float)i);
}

// Never fused, although the product is at hand.
__global__ void kept_apart(float* out, float a, float b, float c, double p)
{
    out[0] = __fsub_rn(a * b, c);
    out[1] = (float)__dsub_rn(p * p, p * p);
    out[2] = __fsub_rz(1.0f, 0x1p-30f);
    out[3] = __fsub_ru(1.0f, 0x1p-30f);
}

int main()
{
    int* d;
    int h[40];
    CUDA_CHECK(cudaMalloc(&d, sizeof(h)));
    CUDA_CHECK(cudaMemset(d, 0, sizeof(h)));
    const auto get = [&] {
        CHECK_LAUNCH();
        CUDA_CHECK(cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost));
    };

    fetch_once<<<1, 32>>>(d, d + 1);
    get();
    CHECK_EQUAL(h[0], 1);
    for (int i = 0; i < 32; ++i) CHECK_EQUAL_AT(i, h[1 + i], i);

    ignore_what_it_returns<<<1, 32>>>(d, d + 1);
    get();
    CHECK_EQUAL(h[0], 33);
    for (int i = 0; i < 32; ++i) CHECK_EQUAL_AT(i, h[1 + i], 5);

    other_type<<<1, 1>>>(d, (float*)d);
    get();
    CHECK_EQUAL(h[1], 0x40000000);

    CUDA_CHECK(cudaMemset(d, 0, sizeof(h)));
    differences<<<1, 1>>>((float*)d, 10);
    get();
    CHECK_EQUAL(((float*)h)[0], -45.0f);

    kept_apart<<<1, 1>>>((float*)d, 1.0f + 0x1p-12f, 1.0f + 0x1p-12f, 1.0f + 0x1p-11f, 1.1);
    get();
    CHECK_EQUAL(((float*)h)[0], 0.0f);  // fused, it would be 2^-24
    CHECK_EQUAL(((float*)h)[1], 0.0f);
    CHECK_EQUAL(((float*)h)[2], 1.0f - 0x1p-24f);
    CHECK_EQUAL(((float*)h)[3], 1.0f);

    puts("ok");
    return 0;
}
