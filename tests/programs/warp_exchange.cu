// Shuffles, votes, matches and __syncwarp: every kind and type, sub-warp widths, partly active warps, and the forms without
// a mask that programs before Volta use.
#include "check.h"

struct Out {
  int index, up, down, exclusive, narrow, old_style;
  float f;
  double d;
  long long ll;
  unsigned ballot, any, all, active, match, old_ballot;
  int sum, scan, same;
};

constexpr unsigned kAll = 0xffffffffu;

__global__ void exchange(Out* out) {
  const int lane = threadIdx.x % 32;
  Out o;
  o.index = __shfl_sync(kAll, lane * 10, (lane * 3) % 32);
  o.up = __shfl_up_sync(kAll, lane * 10, 3);
  o.down = __shfl_down_sync(kAll, lane * 10, 5);
  o.exclusive = __shfl_xor_sync(kAll, lane * 10, 13);
  o.narrow = __shfl_down_sync(kAll, lane * 10, 2, 8);
  o.old_style = __shfl_xor(lane, 1) + __shfl(lane, 7);
  o.f = __shfl_sync(kAll, lane + 0.5f, 31 - lane);
  o.d = __shfl_up_sync(kAll, lane + 0.25, 1, 16);
  o.ll = __shfl_xor_sync(kAll, (1ll << 40) + lane, 16);
  o.ballot = __ballot_sync(kAll, lane % 3 == 0);
  o.any = __any_sync(kAll, threadIdx.x == 40);
  o.all = __all_sync(kAll, threadIdx.x < 40);
  o.match = __match_any_sync(kAll, lane % 5);
  o.same = 0;
  __match_all_sync(kAll, threadIdx.x / 40, &o.same);
  o.old_ballot = __ballot(lane > 20) + __any(lane == 40) + __all(lane >= 0);
  o.sum = lane;
  for (int offset = 16; offset > 0; offset /= 2) o.sum += __shfl_xor_sync(kAll, o.sum, offset);
  o.scan = lane + 1;
  for (int delta = 1; delta < 32; delta *= 2) {
    const int before = __shfl_up_sync(kAll, o.scan, delta);
    if (lane >= delta) o.scan += before;
  }
  o.active = 0;
  if (lane % 2) o.active = __activemask();
  out[threadIdx.x] = o;
}

// Only some lanes take part; they name themselves in the mask.
__global__ void partly(int* out, int n) {
  const int t = threadIdx.x;
  if (t >= n) return;
  const unsigned present = __ballot_sync(__activemask(), 1);
  int value = t + 1;
  if (t % 4 == 1) {
    const unsigned mask = 0x22222222u & present;
    value = __shfl_sync(mask, value, 5) * 100 + __popc(__ballot_sync(mask, t > 10));
  } else {
    value += __any_sync(~0x22222222u & present, t == 2) ? 1000 : 0;
  }
  __syncwarp(present);
  out[t] = value;
}

// Lanes hand over through shared memory with __syncwarp alone; different warps of the block do not wait for each other.
__global__ void by_shared(int* out) {
  __shared__ int s[96];
  const int t = threadIdx.x, base = t & ~31;
  s[t] = t;
  __syncwarp();
  for (int step = 1; step < 32; step *= 2) {
    const int other = s[base + ((t ^ step) & 31)];
    __syncwarp();
    s[t] = max(s[t], other);
    __syncwarp();
  }
  out[t] = s[t];
}

int main() {
  const int n = 64;
  Out* out;
  int* values;
  CUDA_CHECK(cudaMallocManaged(&out, n * sizeof(Out)));
  CUDA_CHECK(cudaMallocManaged(&values, 96 * sizeof(int)));
  exchange<<<1, n>>>(out);
  CHECK_LAUNCH();
  unsigned thirds = 0, matches[5] = {};
  for (int lane = 0; lane < 32; ++lane) {
    if (lane % 3 == 0) thirds |= 1u << lane;
    matches[lane % 5] |= 1u << lane;
  }
  for (int t = 0; t < n; ++t) {
    const int lane = t % 32;
    const Out& o = out[t];
    CHECK_EQUAL_AT(t, o.index, lane * 3 % 32 * 10);
    CHECK_EQUAL_AT(t, o.up, (lane >= 3 ? lane - 3 : lane) * 10);
    CHECK_EQUAL_AT(t, o.down, (lane + 5 < 32 ? lane + 5 : lane) * 10);
    CHECK_EQUAL_AT(t, o.exclusive, (lane ^ 13) * 10);
    CHECK_EQUAL_AT(t, o.narrow, (lane % 8 + 2 < 8 ? lane + 2 : lane) * 10);
    CHECK_EQUAL_AT(t, o.old_style, (lane ^ 1) + 7);
    CHECK_EQUAL_AT(t, o.f, 31 - lane + 0.5f);
    CHECK_EQUAL_AT(t, o.d, (lane % 16 ? lane - 1 : lane) + 0.25);
    CHECK_EQUAL_AT(t, o.ll, (1ll << 40) + (lane ^ 16));
    CHECK_EQUAL_AT(t, o.ballot, thirds);
    CHECK_EQUAL_AT(t, o.any, t / 32 == 1 ? 1u : 0u);
    CHECK_EQUAL_AT(t, o.all, t / 32 == 0 ? 1u : 0u);
    CHECK_EQUAL_AT(t, o.match, matches[lane % 5]);
    CHECK_EQUAL_AT(t, o.same, t / 32 == 0 ? 1 : 0);
    CHECK_EQUAL_AT(t, o.old_ballot, 0xffe00000u + 1);
    CHECK_EQUAL_AT(t, o.sum, 496);
    CHECK_EQUAL_AT(t, o.scan, (lane + 1) * (lane + 2) / 2);
    CHECK_EQUAL_AT(t, o.active, lane % 2 ? 0xaaaaaaaau : 0u);
  }

  partly<<<1, 32>>>(values, 27);
  CHECK_LAUNCH();
  for (int t = 0; t < 27; ++t) {
    CHECK_EQUAL_AT(t, values[t], t % 4 == 1 ? 600 + 4 : t + 1 + 1000);  // 13, 17, 21 and 25 are beyond 10
  }
  by_shared<<<1, 96>>>(values);
  CHECK_LAUNCH();
  for (int t = 0; t < 96; ++t) CHECK_EQUAL_AT(t, values[t], t | 31);
  return all_ok();
}
