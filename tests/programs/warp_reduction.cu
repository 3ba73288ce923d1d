// Reductions over the lanes of a warp that a mask names: __reduce_add_sync and its like, from compute capability 8.0 on.
// compiled with: -arch=sm_80
#include "check.h"

struct Out {
  unsigned int add, least, most, all, any, odd;
  int signed_add, signed_least, signed_most;
};

__device__ __host__ unsigned int value_of(int lane) { return (lane * 2654435761u) ^ 0x1234u; }

__global__ void reduce(Out* out, unsigned int mask) {
  const int lane = threadIdx.x;
  if ((mask >> lane & 1) == 0) return;
  const unsigned int value = value_of(lane);
  out[lane] = {__reduce_add_sync(mask, value),      __reduce_min_sync(mask, value),
               __reduce_max_sync(mask, value),      __reduce_and_sync(mask, value | 0xf0f0u),
               __reduce_or_sync(mask, value),       __reduce_xor_sync(mask, value),
               __reduce_add_sync(mask, (int)value), __reduce_min_sync(mask, (int)value),
               __reduce_max_sync(mask, (int)value)};
}

int main() {
  Out* out;
  CUDA_CHECK(cudaMallocManaged(&out, 32 * sizeof(Out)));
  for (const unsigned int mask : {0xffffffffu, 0x00ff0f31u, 0x80000000u}) {
    reduce<<<1, 32>>>(out, mask);
    CHECK_LAUNCH();
    Out e = {0, 0xffffffffu, 0, 0xffffffffu, 0, 0, 0, 0x7fffffff, -0x7fffffff - 1};
    for (int lane = 0; lane < 32; ++lane) {
      if ((mask >> lane & 1) == 0) continue;
      const unsigned int value = value_of(lane);
      const int as_signed = (int)value;
      e.add += value;
      if (value < e.least) e.least = value;
      if (value > e.most) e.most = value;
      e.all &= value | 0xf0f0u;
      e.any |= value;
      e.odd ^= value;
      if (as_signed < e.signed_least) e.signed_least = as_signed;
      if (as_signed > e.signed_most) e.signed_most = as_signed;
    }
    for (int lane = 0; lane < 32; ++lane) {
      if ((mask >> lane & 1) == 0) continue;
      CHECK_EQUAL_AT(lane, out[lane].add, e.add);
      CHECK_EQUAL_AT(lane, out[lane].least, e.least);
      CHECK_EQUAL_AT(lane, out[lane].most, e.most);
      CHECK_EQUAL_AT(lane, out[lane].all, e.all);
      CHECK_EQUAL_AT(lane, out[lane].any, e.any);
      CHECK_EQUAL_AT(lane, out[lane].odd, e.odd);
      CHECK_EQUAL_AT(lane, out[lane].signed_add, (int)e.add);
      CHECK_EQUAL_AT(lane, out[lane].signed_least, e.signed_least);
      CHECK_EQUAL_AT(lane, out[lane].signed_most, e.signed_most);
    }
  }
  return all_ok();
}
