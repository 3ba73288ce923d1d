// Integer atomics, 32 and 64 bits wide, on global and shared memory: the totals, and where the order is free, that the
// returned old values are a possible history. A histogram in the old style on top.
#include "check.h"

#define THREADS 160
#define BLOCKS 6
#define TOTAL (THREADS * BLOCKS)

template <class T>
struct Cells {
    T add, sub, min, max, exch, cas, band, bor, bxor;
};

template <class T>
__device__ void use(Cells<T>* c, int i, T* seen)
{
    seen[i] = atomicAdd(&c->add, (T)1);
    atomicMin(&c->min, (T)((i * 37) % TOTAL - 100));
    atomicMax(&c->max, (T)((i * 53) % TOTAL));
    atomicAnd(&c->band, ~((T)1 << (i % 24)));
    atomicOr(&c->bor, (T)1 << (i % (sizeof(T) * 8)));
    atomicXor(&c->bxor, (T)i << 3);
    seen[TOTAL + i] = atomicExch(&c->exch, (T)(i + 1));
    T old = c->cas, assumed;  // multiplies modulo a prime, which only CAS can do
    do {
        assumed = old;
        old = atomicCAS(&c->cas, assumed, (T)(assumed * (i % 7 + 1) % 10007));
    } while (old != assumed);
}

__global__ void global32(Cells<int>* c, int* seen)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    use(c, i, seen);
    atomicSub(&c->sub, i % 3);
}

__global__ void global32u(Cells<unsigned>* c, unsigned* seen)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    use(c, i, seen);
    atomicSub(&c->sub, 2u);
}

__global__ void global64(Cells<unsigned long long>* c, unsigned long long* seen)
{
    use(c, blockIdx.x * blockDim.x + threadIdx.x, seen);
}

template <class T>
void check_cells(const Cells<T>& c, const Cells<T>& start, const T* seen)
{
    CHECK_EQUAL(c.add, (T)(start.add + TOTAL));
    static bool found[TOTAL];
    memset(found, 0, sizeof found);
    for (int i = 0; i < TOTAL; i++) {  // each old value of the counter was handed out once
        T ticket = seen[i] - start.add;
        CHECK(ticket >= 0 && ticket < TOTAL && !found[(int)ticket]);
        found[(int)ticket] = true;
    }
    T low = start.min, high = start.max, all = start.band, any = start.bor, odd = start.bxor, product = start.cas;
    T left = 0, handed = 0;
    for (int i = 0; i < TOTAL; i++) {
        T a = (T)((i * 37) % TOTAL - 100), b = (T)((i * 53) % TOTAL);
        low = a < low ? a : low;
        high = b > high ? b : high;
        all &= ~((T)1 << (i % 24));
        any |= (T)1 << (i % (sizeof(T) * 8));
        odd ^= (T)i << 3;
        product = product * (i % 7 + 1) % 10007;
        left += i + 1;
        handed += seen[TOTAL + i];
    }
    CHECK_EQUAL(c.min, low);
    CHECK_EQUAL(c.max, high);
    CHECK_EQUAL(c.band, all);
    CHECK_EQUAL(c.bor, any);
    CHECK_EQUAL(c.bxor, odd);
    CHECK_EQUAL(c.cas, product);
    // What went in by exchange came out, but for the last; what came out first was there before.
    CHECK_EQUAL(handed + c.exch, left + start.exch);
}

template <class T>
Cells<T> run(void (*kernel)(Cells<T>*, T*))
{
    Cells<T>* cells;
    T* seen;
    CUDA_CHECK(cudaMallocManaged(&cells, sizeof(Cells<T>)));
    CUDA_CHECK(cudaMallocManaged(&seen, 2 * TOTAL * sizeof(T)));
    Cells<T> start = {5, 1000000, 500, 3, 77, 1, (T)-1, 0, 9};
    *cells = start;
    kernel<<<BLOCKS, THREADS>>>(cells, seen);
    CHECK_LAUNCH();
    check_cells(*cells, start, seen);
    return *cells;
}

// Wrapping counters, and the same operations in shared memory.
__global__ void wrapping(unsigned* inc, unsigned* dec, unsigned long long* sum, const unsigned char* data, int* histogram, int n)
{
    __shared__ int bins[64];
    __shared__ unsigned ring;
    __shared__ unsigned long long wide;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x < 64) bins[threadIdx.x] = 0;
    if (threadIdx.x == 0) ring = 0, wide = 0;
    __syncthreads();
    atomicInc(inc, 9);
    atomicDec(dec, 9);
    atomicInc(&ring, 6);
    atomicAdd(&wide, 1ull << 33);
    if (i < n) atomicAdd(&bins[data[i] >> 2], 1);
    __syncthreads();
    if (threadIdx.x < 64) atomicAdd(&histogram[threadIdx.x], bins[threadIdx.x]);
    if (threadIdx.x == 0) atomicAdd(sum, wide + ring);
}

int main()
{
    Cells<int> c = run<int>(global32);
    int sub = 1000000;
    for (int i = 0; i < TOTAL; i++) sub -= i % 3;
    CHECK_EQUAL(c.sub, sub);
    CHECK_EQUAL(run<unsigned>(global32u).sub, 1000000u - 2 * TOTAL);
    run<unsigned long long>(global64);

    unsigned *inc, *dec;
    unsigned long long* sum;
    unsigned char* data;
    int* histogram;
    CUDA_CHECK(cudaMallocManaged(&inc, 4));
    CUDA_CHECK(cudaMallocManaged(&dec, 4));
    CUDA_CHECK(cudaMallocManaged(&sum, 8));
    CUDA_CHECK(cudaMallocManaged(&data, TOTAL));
    CUDA_CHECK(cudaMallocManaged(&histogram, 64 * sizeof(int)));
    *inc = 4, *dec = 50, *sum = 0;
    int expected[64] = {0};
    for (int i = 0; i < TOTAL; i++) {
        data[i] = (unsigned char)(i * i * 7);
        if (i < 900) expected[data[i] >> 2]++;
    }
    memset(histogram, 0, 64 * sizeof(int));
    wrapping<<<BLOCKS, THREADS>>>(inc, dec, sum, data, histogram, 900);
    CHECK_LAUNCH();
    CHECK_EQUAL(*inc, (4u + TOTAL) % 10);
    CHECK_EQUAL(*dec, 9u - (TOTAL - 1) % 10);  // the first decrement of 50 wraps to 9
    CHECK_EQUAL(*sum, BLOCKS * ((unsigned long long)THREADS << 33) + BLOCKS * (THREADS % 7));
    for (int b = 0; b < 64; b++) CHECK_EQUAL_AT(b, histogram[b], expected[b]);
    return all_ok();
}
