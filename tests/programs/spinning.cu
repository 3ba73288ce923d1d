// Programs that wait by spinning: a barrier between all resident blocks, a lock that lanes of the same warp contend for, a
// producer block that a consumer block waits for, whichever of them is started first.
#include "check.h"

__device__ unsigned arrived[64];
__device__ int lock_word = 0;
__device__ int unprotected = 0;
__device__ volatile int flag = 0;
__device__ volatile int message = 0;

// Round after round all blocks meet; the last to come would hang the others if it never ran.
__device__ void block_barrier(int round)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(&arrived[round], 1);
        while (*(volatile unsigned*)&arrived[round] < gridDim.x)
            ;
    }
    __syncthreads();
}

__global__ void diffuse(volatile int* cells, int rounds)
{
    const int n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int r = 0; r < rounds; ++r) {
        const int next = cells[i] + cells[(i + blockDim.x) % n];  // the neighbour is in the next block
        block_barrier(2 * r);
        cells[i] = next % 1000;
        block_barrier(2 * r + 1);
    }
}

// The lock is released inside the loop: the form that also ends on machines of lockstep lanes.
__global__ void count_under_lock()
{
    bool done = false;
    while (!done) {
        if (atomicCAS(&lock_word, 0, 1) == 0) {
            int value = *(volatile int*)&unprotected;
            *(volatile int*)&unprotected = value + 1;
            __threadfence();
            atomicExch(&lock_word, 0);
            done = true;
        }
    }
}

// The naive form: lanes that fail spin while the winner must get on to release. It needs independent progress of lanes.
__global__ void naive_lock()
{
    while (atomicCAS(&lock_word, 0, 1) != 0)
        ;
    unprotected = unprotected + 1;
    __threadfence();
    atomicExch(&lock_word, 0);
}

__global__ void hand_over(int producer, int* out)
{
    if (blockIdx.x == producer) {
        message = 4321;
        __threadfence();
        flag = 1;
    } else {
        while (flag == 0)
            ;
        __threadfence();
        *out = message;
    }
}

static int read_unprotected()
{
    int value;
    CUDA_CHECK(cudaMemcpyFromSymbol(&value, unprotected, sizeof value));
    return value;
}

int main()
{
    const int blocks = 24, threads = 64, n = blocks * threads, rounds = 6;
    int host[n], next[n], *cells;
    for (int i = 0; i < n; ++i) host[i] = i % 97;
    CUDA_CHECK(cudaMalloc((void**)&cells, sizeof host));
    CUDA_CHECK(cudaMemcpy(cells, host, sizeof host, cudaMemcpyHostToDevice));
    diffuse<<<blocks, threads>>>(cells, rounds);
    CHECK_LAUNCH();
    for (int r = 0; r < rounds; ++r) {
        for (int i = 0; i < n; ++i) next[i] = (host[i] + host[(i + threads) % n]) % 1000;
        memcpy(host, next, sizeof host);
    }
    CUDA_CHECK(cudaMemcpy(next, cells, sizeof next, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) CHECK_EQUAL_AT(i, next[i], host[i]);

    count_under_lock<<<2, 64>>>();
    CHECK_LAUNCH();
    CHECK_EQUAL(read_unprotected(), 2 * 64);
    naive_lock<<<2, 64>>>();
    CHECK_LAUNCH();
    CHECK_EQUAL(read_unprotected(), 4 * 64);

    for (int producer = 0; producer < 2; ++producer) {
        int zero = 0, got = 0, *out;
        CUDA_CHECK(cudaMalloc((void**)&out, sizeof(int)));
        CUDA_CHECK(cudaMemcpyToSymbol(flag, &zero, sizeof zero));
        CUDA_CHECK(cudaMemcpyToSymbol(message, &zero, sizeof zero));
        hand_over<<<2, 1>>>(producer, out);
        CHECK_LAUNCH();
        CUDA_CHECK(cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost));
        CHECK_EQUAL(got, 4321);
        CUDA_CHECK(cudaFree(out));
    }
    return all_ok();
}
