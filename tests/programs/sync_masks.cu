// A .sync operation waits for every live lane of its mask: lanes that come late because they poll, lanes on other paths,
// lanes that have ended and lanes that never come.
// compiled with: -arch=sm_80
#include <cooperative_groups.h>

#include "check.h"

namespace cg = cooperative_groups;

constexpr unsigned kAll = 0xffffffffu;
constexpr int kRounds = 3000;

// No lane spins: one reads a volatile word in a branch of its own, in each of many rounds.
__global__ void votes_after_polls(volatile int* word, int* partial)
{
    for (int i = 0; i < kRounds; ++i) {
        if (threadIdx.x == 0) {
            const int x = *word;
            if (x != -1) *word = x + 1;
        }
        if (__ballot_sync(kAll, 1) != kAll) atomicAdd(partial, 1);
    }
}

// The first lane of a warp spins until another warp sets the flag; the others wait for it at each kind of operation.
__global__ void lanes_wait_for_one_that_spins(int kind, volatile int* flag, volatile int* sink, unsigned* out)
{
    const int lane = threadIdx.x % 32;
    if (threadIdx.x >= 32) {
        for (int i = 0; i < 5000; ++i) *sink = i;
        *flag = 1;
        return;
    }
    __shared__ int handed[32];
    int fetched = 0;
    if (lane == 0) {
        while (*flag == 0)
            ;
        fetched = 7;
        handed[5] = 11;
    }
    switch (kind) {
        case 0: out[lane] = __ballot_sync(kAll, fetched == 0); break;
        case 1: out[32 + lane] = __shfl_sync(kAll, fetched, 0); break;
        case 2: out[64 + lane] = __match_any_sync(kAll, fetched); break;
        case 3: out[96 + lane] = __reduce_add_sync(kAll, (unsigned)fetched + 1); break;
        default: {
            __syncwarp();
            out[128 + lane] = ((volatile int*)handed)[5];
        }
    }
}

// The halves of a warp have masks of their own; one lane of the second half is late.
__global__ void masks_of_halves(volatile int* flag, unsigned* out)
{
    const int lane = threadIdx.x;
    const unsigned mask = lane < 16 ? 0xffffu : 0xffff0000u;
    if (lane == 31) {
        while (*flag == 0)
            ;
    }
    out[lane] = __ballot_sync(mask, 1);
    if (lane == 3) *flag = 1;  // the late lane waits for the other half alone
}

// The same mask on two paths, and a lane that then waits for one on the other path.
__global__ void two_paths(volatile int* flag, unsigned* out)
{
    if (threadIdx.x == 0) {
        __syncwarp();
        while (*flag == 0)
            ;
    } else {
        __syncwarp();
        if (threadIdx.x == 9) *flag = 1;
    }
    out[threadIdx.x] = __ballot_sync(kAll, 1);
}

// The guard keeps some lanes out of an operation that names them.
__global__ void guarded(unsigned* out)
{
    const int lane = threadIdx.x;
    asm volatile("{.reg .pred p; setp.lt.u32 p, %0, 7; @p bar.warp.sync 0xffffffff;}" ::"r"(lane) : "memory");
    out[lane] = lane + 1;
}

// Lanes leave a loop one after the other although its shuffles name them all: those left exchange among themselves.
__global__ void lanes_that_never_come(unsigned* out)
{
    const int lane = threadIdx.x;
    unsigned sum = 0;
    for (int i = lane; i < 48; i += 16) sum += __shfl_sync(kAll, i, lane);
    out[lane] = sum;
    out[32 + lane] = __ballot_sync(kAll, 1);
}

__global__ void lanes_that_have_ended(unsigned* out)
{
    if (threadIdx.x % 2 == 1) return;
    out[threadIdx.x] = __ballot_sync(kAll, 1);
}

// Half of the warp waits for all threads of the block while the other half names the whole warp.
__global__ void lanes_at_a_barrier(unsigned* out)
{
    if (threadIdx.x % 32 < 16) out[threadIdx.x] = __any_sync(kAll, 1);
    __syncthreads();
    if (threadIdx.x % 32 >= 16) out[threadIdx.x] = out[threadIdx.x - 16] + 1;
}

// Whoever is together in a branch stays a group, however the lanes come back to it.
__global__ void coalesced_groups(volatile int* flag, unsigned* out)
{
    const int lane = threadIdx.x;
    if (lane % 3 == 0) {
        cg::coalesced_group group = cg::coalesced_threads();
        const unsigned size = group.size();
        if (group.thread_rank() == 0) *flag = 5;
        group.sync();
        out[lane] = size * 100 + *flag + group.shfl(lane, 2);
    }
}

unsigned* fresh(int words)
{
    unsigned* memory;
    CUDA_CHECK(cudaMalloc(&memory, words * sizeof(unsigned)));
    CUDA_CHECK(cudaMemset(memory, 0, words * sizeof(unsigned)));
    return memory;
}

int main()
{
    unsigned h[160];
    unsigned* d = fresh(160);
    int* flags = (int*)fresh(2);
    const auto clear = [&] { CUDA_CHECK(cudaMemset(flags, 0, 2 * sizeof(int))); };
    const auto get = [&](int words) {
        CHECK_LAUNCH();
        CUDA_CHECK(cudaMemcpy(h, d, words * sizeof(unsigned), cudaMemcpyDeviceToHost));
    };

    votes_after_polls<<<1, 32>>>(flags, (int*)d);
    get(1);
    CHECK_EQUAL(h[0], 0u);

    for (int kind = 0; kind < 5; ++kind) {
        clear();
        lanes_wait_for_one_that_spins<<<1, 64>>>(kind, flags, flags + 1, d);
        get(160);
    }
    for (int lane = 0; lane < 32; ++lane) {
        CHECK_EQUAL_AT(lane, h[lane], 0xfffffffeu);
        CHECK_EQUAL_AT(lane, h[32 + lane], 7u);
        CHECK_EQUAL_AT(lane, h[64 + lane], lane == 0 ? 1u : 0xfffffffeu);
        CHECK_EQUAL_AT(lane, h[96 + lane], 39u);
        CHECK_EQUAL_AT(lane, h[128 + lane], 11u);
    }

    clear();
    masks_of_halves<<<1, 32>>>(flags, d);
    get(32);
    for (int lane = 0; lane < 32; ++lane) CHECK_EQUAL_AT(lane, h[lane], lane < 16 ? 0xffffu : 0xffff0000u);

    clear();
    two_paths<<<1, 32>>>(flags, d);
    get(32);
    for (int lane = 0; lane < 32; ++lane) CHECK_EQUAL_AT(lane, h[lane], kAll);

    guarded<<<1, 32>>>(d);
    get(32);
    for (int lane = 0; lane < 32; ++lane) CHECK_EQUAL_AT(lane, h[lane], lane + 1u);

    lanes_that_never_come<<<1, 32>>>(d);
    get(64);
    for (int lane = 0; lane < 32; ++lane) {
        unsigned sum = 0;
        for (int i = lane; i < 48; i += 16) sum += i;
        CHECK_EQUAL_AT(lane, h[lane], sum);
        CHECK_EQUAL_AT(lane, h[32 + lane], kAll);
    }

    lanes_that_have_ended<<<1, 32>>>(d);
    get(32);
    for (int lane = 0; lane < 32; lane += 2) CHECK_EQUAL_AT(lane, h[lane], 0x55555555u);

    lanes_at_a_barrier<<<1, 64>>>(d);
    get(64);
    for (int i = 0; i < 64; ++i) CHECK_EQUAL_AT(i, h[i], i % 32 < 16 ? 1u : 2u);

    clear();
    coalesced_groups<<<1, 32>>>(flags, d);
    get(32);
    for (int lane = 0; lane < 32; lane += 3) CHECK_EQUAL_AT(lane, h[lane], 1100u + 5 + 6);

    puts("ok");
    return 0;
}
