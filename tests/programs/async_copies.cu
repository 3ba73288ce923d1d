// Copies to shared memory that a thread waits for later (cp.async through cuda_pipeline.h and cooperative groups), and barriers in shared memory
// (mbarrier) that arriving and waiting are two steps of.
// compiled with: -arch=sm_80
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_awbarrier.h>
#include <cuda_pipeline.h>

#include "check.h"

namespace cg = cooperative_groups;
const int kThreads = 128, kTiles = 8;

template <class T>
T* managed(int n) {
  T* p;
  CUDA_CHECK(cudaMallocManaged(&p, n * sizeof(T)));
  return p;
}

// Two tiles are under way while one is added up; the last 4 bytes of each thread's 16 are not read but 0.
__global__ void pipelined(const int4* in, int* out) {
  __shared__ alignas(alignof(int4)) int4 tile[3][kThreads];
  const int i = threadIdx.x;
  for (int t = 0; t < 2; ++t) {
    __pipeline_memcpy_async(&tile[t][i], &in[t * kThreads + i], 16, 4);
    __pipeline_commit();
  }
  int sum = 0;
  for (int t = 0; t < kTiles; ++t) {
    if (t + 2 < kTiles) __pipeline_memcpy_async(&tile[(t + 2) % 3][i], &in[(t + 2) * kThreads + i], 16, 4);
    __pipeline_commit();
    __pipeline_wait_prior(2);
    __syncthreads();
    const int4 other = tile[t % 3][kThreads - 1 - i];
    sum += other.x + other.y + other.z + other.w;
    __syncthreads();
  }
  out[i] = sum;
}

// 1,003 bytes from odd places: whole words by the group, the rest one by one.
__global__ void by_group(const char* in, char* out, int bytes, int skip) {
  __shared__ __align__(16) char buffer[2048];
  cg::thread_block block = cg::this_thread_block();
  cg::memcpy_async(block, buffer + skip, in + skip, (size_t)bytes);
  cg::wait(block);
  for (int i = threadIdx.x; i < bytes; i += blockDim.x) out[i] = buffer[skip + bytes - 1 - i];
}

// Half of the block fills, the other half reads; two barriers pass the buffer to and fro.
__global__ void producer_consumer(const int* in, int* out, int rounds) {
  __shared__ nvcuda::experimental::awbarrier full, empty;
  __shared__ int buffer[64];
  if (threadIdx.x == 0) {
    init(&full, 128);
    init(&empty, 128);
  }
  __syncthreads();
  const int i = threadIdx.x % 64;
  int sum = 0;
  for (int r = 0; r < rounds; ++r) {
    if (threadIdx.x < 64) {
      buffer[i] = in[r * 64 + i];
      full.arrive();
      empty.arrive_and_wait();
    } else {
      full.arrive_and_wait();
      sum += buffer[63 - i] * (r + 1);
      empty.arrive_and_wait();
    }
  }
  if (threadIdx.x >= 64) out[i] = sum;
}

// Inline PTX: bytes that a phase waits for, parity, and threads that drop out.
__global__ void phases(unsigned* out) {
  __shared__ __align__(8) unsigned long long barrier;
  const unsigned address = (unsigned)__cvta_generic_to_shared(&barrier);
  const auto ended = [&](unsigned parity) {
    unsigned done;
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(address), "r"(parity));
    return done;
  };
  unsigned long long state;
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address), "r"(2));
  out[0] = ended(0);
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 %0, [%1], %2;" : "=l"(state) : "r"(address), "r"(100));
  asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(out[1]) : "l"(state));
  asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];" : "=l"(state) : "r"(address));
  out[2] = ended(0);  // both have come, 100 bytes have not
  asm volatile("mbarrier.complete_tx.shared.b64 [%0], %1;" ::"r"(address), "r"(60));
  out[3] = ended(0);
  asm volatile("mbarrier.complete_tx.shared.b64 [%0], %1;" ::"r"(address), "r"(40));
  out[4] = ended(0);
  out[5] = ended(1);
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(address));  // one is left
  out[6] = ended(1);
}

int main() {
  int4* in = managed<int4>(kThreads * kTiles);
  int* out = managed<int>(kThreads);
  for (int i = 0; i < kThreads * kTiles; ++i) in[i] = make_int4(i, i * 3, 7 - i, 1000000);
  pipelined<<<1, kThreads>>>(in, out);
  CHECK_LAUNCH();
  for (int i = 0; i < kThreads; ++i) {
    int sum = 0;
    for (int t = 0; t < kTiles; ++t) {
      const int j = t * kThreads + kThreads - 1 - i;
      sum += j + j * 3 + 7 - j;
    }
    CHECK_EQUAL_AT(i, out[i], sum);
  }
  char *bytes = managed<char>(2048), *reversed = managed<char>(2048);
  for (int i = 0; i < 2048; ++i) bytes[i] = (char)(i * 37);
  const int skips[] = {0, 8, 4, 1};
  for (int skip : skips) {
    by_group<<<1, 96>>>(bytes, reversed, 1003, skip);
    CHECK_LAUNCH();
    for (int i = 0; i < 1003; ++i) CHECK_EQUAL_AT(i, (int)reversed[i], (int)bytes[skip + 1002 - i]);
  }
  const int rounds = 6;
  int *numbers = managed<int>(64 * rounds), *sums = managed<int>(64);
  for (int i = 0; i < 64 * rounds; ++i) numbers[i] = i * i % 101;
  producer_consumer<<<1, 128>>>(numbers, sums, rounds);
  CHECK_LAUNCH();
  for (int i = 0; i < 64; ++i) {
    int sum = 0;
    for (int r = 0; r < rounds; ++r) sum += numbers[r * 64 + 63 - i] * (r + 1);
    CHECK_EQUAL_AT(i, sums[i], sum);
  }
  unsigned* steps = managed<unsigned>(8);
  phases<<<1, 1>>>(steps);
  CHECK_LAUNCH();
  const unsigned wanted[] = {0, 2, 0, 0, 1, 0, 1};
  for (int i = 0; i < 7; ++i) CHECK_EQUAL_AT(i, steps[i], wanted[i]);
  return all_ok();
}
