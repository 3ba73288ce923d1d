// libcu++ out of Debian: parts of the standard library in device code, atomics and barriers.
// compiled with: -arch=sm_80
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/functional>
#include <cuda/std/array>
#include <cuda/std/complex>
#include <cuda/std/functional>
#include <cuda/std/limits>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <cuda/std/utility>

#include "../check.h"

__global__ void standard_library(float* out)
{
    const int i = threadIdx.x;
    const cuda::std::array<float, 3> weights = {1, 2, 3};
    const cuda::std::complex<float> z(i, 1);
    const cuda::std::complex<float> square = z * z;
    const auto pair = cuda::std::make_tuple(square.real(), square.imag());
    static_assert(cuda::std::is_same<decltype(square.real()), float>::value, "a part of a complex number");
    float sum = 0;
    for (const float weight : weights) sum += weight;
    out[2 * i] = cuda::std::get<0>(pair) + sum;
    out[2 * i + 1] = cuda::std::get<1>(pair) + (i == 7 ? (float)cuda::std::numeric_limits<short>::max() : 0);
}

// Function objects of libcu++'s later versions.
__global__ void functions(int* out)
{
    out[0] = cuda::maximum<int>()(3, -4);
    out[1] = cuda::minimum<>()(3, -4L);
    int& same = cuda::std::identity()(out[2]);
    same = 7;
}

// Each thread counts, and the last one of all blocks publishes the sum.
__global__ void atomics(unsigned* sum, unsigned* done, unsigned* published)
{
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> total(*sum), ended(*done);
    total.fetch_add(threadIdx.x, cuda::memory_order_relaxed);
    total.fetch_max(5, cuda::memory_order_relaxed);
    if (ended.fetch_add(1, cuda::memory_order_acq_rel) == gridDim.x * blockDim.x - 1)
        *published = total.load(cuda::memory_order_acquire);
    unsigned expected = 0;
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> first(published[1]);
    if (first.compare_exchange_strong(expected, 1u)) atomicAdd(published + 2, 1u);
}

// Halves of a block hand values to each other, step by step.
__global__ void barriers(int* out, int steps)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    __shared__ int values[128];
    if (threadIdx.x == 0) init(&barrier, blockDim.x);
    values[threadIdx.x] = threadIdx.x;
    __syncthreads();
    for (int step = 0; step < steps; ++step) {
        barrier.arrive_and_wait();
        const int next = values[(threadIdx.x + 33) % 128];
        auto token = barrier.arrive();
        barrier.wait(cuda::std::move(token));
        values[threadIdx.x] = next + 1;
    }
    out[threadIdx.x] = values[threadIdx.x];
}

int main()
{
    float *floats, h[64];
    CUDA_CHECK(cudaMalloc(&floats, sizeof h));
    standard_library<<<1, 32>>>(floats);
    CHECK_LAUNCH();
    CUDA_CHECK(cudaMemcpy(h, floats, sizeof h, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; ++i) {
        CHECK_EQUAL_AT(i, h[2 * i], i * i - 1.0f + 6);
        CHECK_EQUAL_AT(i, h[2 * i + 1], 2.0f * i + (i == 7 ? 32767 : 0));
    }

    unsigned *words, w[5];
    CUDA_CHECK(cudaMalloc(&words, sizeof w));
    CUDA_CHECK(cudaMemset(words, 0, sizeof w));
    atomics<<<3, 100>>>(words, words + 1, words + 2);
    CHECK_LAUNCH();
    CUDA_CHECK(cudaMemcpy(w, words, sizeof w, cudaMemcpyDeviceToHost));
    // The sum is 3 · 4950, and more where the maximum with 5 raised it at the start.
    CHECK(w[0] >= 14850 && w[0] <= 14855);
    CHECK_EQUAL(w[1], 300u);
    CHECK_EQUAL(w[2], w[0]);
    CHECK_EQUAL(w[4], 1u);

    int *ints, g[128];
    CUDA_CHECK(cudaMalloc(&ints, sizeof g));
    barriers<<<1, 128>>>(ints, 5);
    CHECK_LAUNCH();
    CUDA_CHECK(cudaMemcpy(g, ints, sizeof g, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 128; ++i) CHECK_EQUAL_AT(i, g[i], (i + 5 * 33) % 128 + 5);

    functions<<<1, 1>>>(ints);
    CHECK_LAUNCH();
    CUDA_CHECK(cudaMemcpy(g, ints, 12, cudaMemcpyDeviceToHost));
    CHECK_EQUAL(g[0], 3);
    CHECK_EQUAL(g[1], -4);
    CHECK_EQUAL(g[2], 7);

    puts("ok");
    return 0;
}
