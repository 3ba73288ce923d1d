// The reduction of the SDK's early years: dynamic shared memory as extern arrays of several types, a volatile pointer and no
// barrier in the last warp, which only works where 32 lanes move together; a scan of the same kind in static memory.
#include "check.h"

template <class T>
struct SharedMemory {
    __device__ operator T*()
    {
        extern __shared__ int __smem[];
        return (T*)__smem;
    }
};

template <class T, unsigned int blockSize>
__global__ void reduce(T* g_idata, T* g_odata, unsigned int n)
{
    T* sdata = SharedMemory<T>();

    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockSize * 2 + threadIdx.x;
    unsigned int gridSize = blockSize * 2 * gridDim.x;
    T mySum = 0;
    while (i < n) {
        mySum += g_idata[i];
        if (i + blockSize < n) mySum += g_idata[i + blockSize];
        i += gridSize;
    }
    sdata[tid] = mySum;
    __syncthreads();

    if (blockSize >= 256) { if (tid < 128) { sdata[tid] = mySum = mySum + sdata[tid + 128]; } __syncthreads(); }
    if (blockSize >= 128) { if (tid < 64) { sdata[tid] = mySum = mySum + sdata[tid + 64]; } __syncthreads(); }
    if (tid < 32) {
        // now that we are using warp-synchronous programming (below) we need to declare our shared memory volatile
        volatile T* smem = sdata;
        if (blockSize >= 64) smem[tid] = mySum = mySum + smem[tid + 32];
        if (blockSize >= 32) smem[tid] = mySum = mySum + smem[tid + 16];
        if (blockSize >= 16) smem[tid] = mySum = mySum + smem[tid + 8];
        if (blockSize >= 8) smem[tid] = mySum = mySum + smem[tid + 4];
        if (blockSize >= 4) smem[tid] = mySum = mySum + smem[tid + 2];
        if (blockSize >= 2) smem[tid] = mySum = mySum + smem[tid + 1];
    }
    if (tid == 0) g_odata[blockIdx.x] = sdata[0];
}

// Warp-synchronous inclusive scan: each step reads what the lanes before wrote in the step before.
__global__ void warp_scan(int* data)
{
    volatile __shared__ int s[8][48];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    s[warp][lane] = 0;
    volatile int* mine = &s[warp][16 + lane];
    *mine = data[blockIdx.x * blockDim.x + threadIdx.x];
    int x = *mine;
    *mine = x = x + mine[-1];
    *mine = x = x + mine[-2];
    *mine = x = x + mine[-4];
    *mine = x = x + mine[-8];
    *mine = x = x + mine[-16];
    data[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

// Three arrays of different types share one dynamic allocation.
__global__ void carve(double* out, int n)
{
    extern __shared__ __align__(8) unsigned char raw[];
    double* d = (double*)raw;
    int* i = (int*)&d[n];
    char* c = (char*)&i[n];
    const int t = threadIdx.x;
    d[t] = t * 0.5;
    i[t] = t * 3;
    c[t] = (char)(t - 64);
    __syncthreads();
    out[t] = d[n - 1 - t] + i[n - 1 - t] + c[n - 1 - t];
}

template <class T, unsigned int threads>
void check_reduction(int n)
{
    const int blocks = 7;
    T *host = new T[n], *d_in, *d_out, partial[blocks], expected = 0, sum = 0;
    for (int i = 0; i < n; i++) expected += host[i] = (T)((i * 31) % 17 - 5);
    CUDA_CHECK(cudaMalloc((void**)&d_in, n * sizeof(T)));
    CUDA_CHECK(cudaMalloc((void**)&d_out, blocks * sizeof(T)));
    CUDA_CHECK(cudaMemcpy(d_in, host, n * sizeof(T), cudaMemcpyHostToDevice));
    int smemSize = (threads <= 32) ? 2 * threads * sizeof(T) : threads * sizeof(T);
    reduce<T, threads><<<blocks, threads, smemSize>>>(d_in, d_out, n);
    CHECK_LAUNCH();
    CUDA_CHECK(cudaMemcpy(partial, d_out, blocks * sizeof(T), cudaMemcpyDeviceToHost));
    for (int i = 0; i < blocks; i++) sum += partial[i];
    CHECK_EQUAL(sum, expected);
    CUDA_CHECK(cudaFree(d_in));
    CUDA_CHECK(cudaFree(d_out));
    delete[] host;
}

int main(int argc, char** argv)
{
    check_reduction<int, 256>(10000);
    check_reduction<float, 128>(10007);
    check_reduction<double, 64>(5000);
    check_reduction<int, 32>(100);

    int host[512], in[512], *d_data;
    for (int i = 0; i < 512; i++) in[i] = host[i] = (i * 7) % 13 - 4;
    CUDA_CHECK(cudaMalloc((void**)&d_data, sizeof host));
    CUDA_CHECK(cudaMemcpy(d_data, in, sizeof in, cudaMemcpyHostToDevice));
    warp_scan<<<2, 256>>>(d_data);
    CHECK_LAUNCH();
    CUDA_CHECK(cudaMemcpy(host, d_data, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0, sum = 0; i < 512; i++) {
        sum = (i % 32 ? sum : 0) + in[i];
        CHECK_EQUAL_AT(i, host[i], sum);
    }

    const int n = 128;
    double out[n], *d_out;
    CUDA_CHECK(cudaMalloc((void**)&d_out, sizeof out));
    carve<<<1, n, n * (sizeof(double) + sizeof(int) + sizeof(char))>>>(d_out, n);
    CHECK_LAUNCH();
    CUDA_CHECK(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
    for (int t = 0; t < n; t++) {
        int r = n - 1 - t;
        CHECK_EQUAL_AT(t, out[t], r * 0.5 + r * 3 + (char)(r - 64));
    }
    return all_ok();
}
