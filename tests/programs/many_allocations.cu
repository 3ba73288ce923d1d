// Programs that allocate without end: hundreds of thousands of small pieces, device memory many times over, and malloc in
// every thread of a kernel.
#include "check.h"
#include <vector>

__global__ void touch(int* data, int value) { data[threadIdx.x] = value; }

__global__ void take(int** places)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    places[i] = (int*)malloc(16);
    if (places[i] != 0) *places[i] = i;
}

__global__ void give_back(int** places, int* wrong)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (places[i] == 0 || *places[i] != i) atomicAdd(wrong, 1);
    free(places[i]);
}

static void check_small_pieces()
{
    size_t before, after, total;
    CUDA_CHECK(cudaMemGetInfo(&before, &total));
    std::vector<void*> pieces(200000);
    for (size_t i = 0; i < pieces.size(); ++i) CUDA_CHECK(cudaMalloc(&pieces[i], 300));
    for (size_t i = 0; i < pieces.size(); i += 2) CUDA_CHECK(cudaFree(pieces[i]));
    for (size_t i = 0; i < pieces.size(); i += 2) CUDA_CHECK(cudaMalloc(&pieces[i], 500));
    for (size_t i = 0; i < pieces.size(); ++i) CUDA_CHECK(cudaFree(pieces[i]));
    CUDA_CHECK(cudaMemGetInfo(&after, &total));
    CHECK_EQUAL(after, before);
}

// Twelve times a quarter of the memory: whoever keeps what was freed has to let go of it.
static void check_large_pieces()
{
    size_t unused, total;
    CUDA_CHECK(cudaMemGetInfo(&unused, &total));
    for (int i = 0; i < 12; ++i) {
        int *data, host[32];
        CUDA_CHECK(cudaMalloc((void**)&data, total / 4));
        touch<<<1, 32>>>(data, i);
        CHECK_LAUNCH();
        CUDA_CHECK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
        CHECK_EQUAL(host[31], i);
        CUDA_CHECK(cudaFree(data));
    }
}

static void check_device_heap()
{
    const int blocks = 128, threads = 256;
    int **places, *wrong, host = -1;
    CUDA_CHECK(cudaMalloc((void**)&places, blocks * threads * sizeof(int*)));
    CUDA_CHECK(cudaMalloc((void**)&wrong, sizeof(int)));
    CUDA_CHECK(cudaMemset(wrong, 0, sizeof(int)));
    take<<<blocks, threads>>>(places);
    give_back<<<blocks, threads>>>(places, wrong);
    CHECK_LAUNCH();
    CUDA_CHECK(cudaMemcpy(&host, wrong, sizeof host, cudaMemcpyDeviceToHost));
    CHECK_EQUAL(host, 0);
}

int main()
{
    check_small_pieces();
    check_large_pieces();
    check_device_heap();
    return all_ok();
}
