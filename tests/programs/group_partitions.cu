// Cooperative groups made of groups: tiles of tiles, the members that agree on a predicate or a label, one that acts for
// all; and functions that take any group.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "check.h"

namespace cg = cooperative_groups;

constexpr int kThreads = 96;

struct Place {
  int rank, size, meta_rank, meta_size;
};

template <class Group>
__device__ Place place_of(const Group& group) {
  return {(int)group.thread_rank(), (int)group.size(), (int)group.meta_group_rank(), (int)group.meta_group_size()};
}

// The tile's parent is forgotten, its place among its siblings is not.
template <unsigned Size>
__device__ Place place_of_tile(cg::thread_block_tile<Size> tile) {
  return place_of(tile);
}

struct Out {
  Place nested, of_block, even, label, part, unanimous;
  int leader_sum, chosen;
};

__global__ void divide(Out* out, int* acted) {
  const int i = threadIdx.x;
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<8>(block);
  auto warp = cg::tiled_partition<32>(block);
  Out o;
  o.nested = place_of_tile(cg::tiled_partition<2>(tile));
  o.of_block = place_of_tile(tile);
  cg::coalesced_group even = cg::binary_partition(tile, i % 2 == 0);
  o.even = place_of(even);
  o.leader_sum = cg::reduce(even, i, cg::plus<int>());
  o.unanimous = place_of(cg::binary_partition(tile, i >= 0));
  cg::coalesced_group label = cg::labeled_partition(warp, (2 - i % 3) * 7);
  o.label = place_of(label);
  o.part = place_of(cg::tiled_partition(label, 4));
  cg::invoke_one(block, [&] { atomicAdd(acted, 1); });
  cg::invoke_one(tile, [](int* counter, int by) { atomicAdd(counter, by); }, acted + 1, 10);
  o.chosen = cg::invoke_one_broadcast(tile, [&] { return i * 100; });
  out[i] = o;
}

__device__ int sum_in(cg::thread_group group, int* scratch, int value) {
  const int rank = group.thread_rank();
  for (int half = group.size() / 2; half > 0; half /= 2) {
    scratch[rank] = value;
    group.sync();
    if (rank < half) value += scratch[rank + half];
    group.sync();
  }
  return value;
}

__global__ void sums(int* out) {
  __shared__ int scratch[64];
  cg::thread_block block = cg::this_thread_block();
  int sum = sum_in(block, scratch, threadIdx.x);
  if (block.thread_rank() == 0) out[0] = sum;
  cg::thread_group warp = cg::tiled_partition(block, 32);
  sum = sum_in(warp, scratch + threadIdx.x / 32 * 32, threadIdx.x);
  if (warp.thread_rank() == 0) out[1 + threadIdx.x / 32] = sum;
  cg::thread_group quarter = cg::tiled_partition(warp, 8);
  sum = sum_in(quarter, scratch + threadIdx.x / 8 * 8, 1);
  if (quarter.thread_rank() == 0) atomicAdd(out + 3, sum);
  if (threadIdx.x == 0) out[4] = (int)cg::thread_group(cg::this_grid()).size();
}

bool same(const Place& a, const Place& b) {
  return a.rank == b.rank && a.size == b.size && a.meta_rank == b.meta_rank && a.meta_size == b.meta_size;
}

int main() {
  Out* out;
  int* counters;
  CUDA_CHECK(cudaMallocManaged(&out, kThreads * sizeof(Out)));
  CUDA_CHECK(cudaMallocManaged(&counters, 8 * sizeof(int)));
  for (int i = 0; i < 8; ++i) counters[i] = 0;
  divide<<<1, kThreads>>>(out, counters);
  CHECK_LAUNCH();
  for (int i = 0; i < kThreads; ++i) {
    const int first = i / 8 * 8;
    CHECK(same(out[i].nested, {i % 2, 2, i % 8 / 2, 4}));
    CHECK(same(out[i].of_block, {i % 8, 8, i / 8, kThreads / 8}));
    CHECK(same(out[i].even, {i % 8 / 2, 4, i % 2 == 0, 2}));
    CHECK(same(out[i].unanimous, {i % 8, 8, 0, 1}));
    CHECK_EQUAL_AT(i, out[i].leader_sum, 4 * (first + i % 2) + 12);
    CHECK_EQUAL_AT(i, out[i].chosen, first * 100);
    // Labels by lane of the warp: parts are counted in the order of their first lanes.
    int rank = 0, size = 0, meta_rank = i / 32 * 32 % 3;
    const int begin = i / 32 * 32;
    for (int k = begin; k < begin + 32; ++k) {
      if (k % 3 != i % 3) continue;
      ++size;
      if (k < i) ++rank;
    }
    for (meta_rank = 0; (begin + meta_rank) % 3 != i % 3;) ++meta_rank;
    CHECK(same(out[i].label, {rank, size, meta_rank, 3}));
    const int rest = size - rank / 4 * 4;
    CHECK(same(out[i].part, {rank % 4, rest < 4 ? rest : 4, rank / 4, (size + 3) / 4}));
  }
  CHECK_EQUAL(counters[0], 1);
  CHECK_EQUAL(counters[1], 10 * kThreads / 8);

  for (int i = 0; i < 8; ++i) counters[i] = 0;
  sums<<<1, 64>>>(counters);
  CHECK_LAUNCH();
  CHECK_EQUAL(counters[0], 63 * 32);
  CHECK_EQUAL(counters[1], 31 * 16);
  CHECK_EQUAL(counters[2], 31 * 16 + 32 * 32);
  CHECK_EQUAL(counters[3], 64);
  CHECK_EQUAL(counters[4], 64);
  return all_ok();
}
