// Tiles of several warps (block_tile_memory) of two sizes at once, warps made of them, and reductions, scans and votes over them.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include "check.h"

namespace cg = cooperative_groups;
const int kThreads = 256;

struct Out {
  int sum, prefix, before, vote, ranks, largest, neighbour;
};

__global__ void tiles(const int* in, Out* out) {
  __shared__ cg::block_tile_memory<kThreads> memory;
  const cg::thread_block block = cg::this_thread_block(memory);
  const auto tile = cg::tiled_partition<64>(block);
  const auto warp = cg::tiled_partition<32>(tile);
  const auto half = cg::tiled_partition<128>(block);
  const int i = block.thread_rank();
  Out& o = out[i];
  o.sum = cg::reduce(tile, in[i], cg::plus<int>());
  o.prefix = cg::inclusive_scan(tile, in[i]);
  o.before = cg::exclusive_scan(tile, in[i]);
  o.vote = tile.any(in[i] == 1008) + 2 * tile.all(in[i] >= 0);
  o.ranks = tile.thread_rank() + 1000 * tile.meta_group_rank() + 10000 * warp.meta_group_rank() + 100000 * tile.meta_group_size();
  o.largest = cg::reduce(half, in[i], cg::greater<int>());
  o.neighbour = half.shfl(in[i], (half.thread_rank() + 40) % 128);
}

int main() {
  int* in;
  Out* out;
  CUDA_CHECK(cudaMallocManaged(&in, kThreads * sizeof(int)));
  CUDA_CHECK(cudaMallocManaged(&out, kThreads * sizeof(Out)));
  for (int i = 0; i < kThreads; ++i) in[i] = (i * i + i / 3) % 1009;
  in[70] = 1008;
  tiles<<<1, kThreads>>>(in, out);
  CHECK_LAUNCH();
  for (int i = 0; i < kThreads; ++i) {
    const int first = i / 64 * 64, half = i / 128 * 128;
    int sum = 0, prefix = 0, any = 0, largest = 0;
    for (int j = first; j < first + 64; ++j) {
      sum += in[j];
      if (j <= i) prefix += in[j];
      any |= in[j] == 1008;
    }
    for (int j = half; j < half + 128; ++j) largest = in[j] > largest ? in[j] : largest;
    const Out& o = out[i];
    CHECK_EQUAL_AT(i, o.sum, sum);
    CHECK_EQUAL_AT(i, o.prefix, prefix);
    CHECK_EQUAL_AT(i, o.before, prefix - in[i]);
    CHECK_EQUAL_AT(i, o.vote, any + 2);
    CHECK_EQUAL_AT(i, o.ranks, i % 64 + 1000 * (i / 64) + 10000 * (i % 64 / 32) + 400000);
    CHECK_EQUAL_AT(i, o.largest, largest);
    CHECK_EQUAL_AT(i, o.neighbour, in[half + (i % 128 + 40) % 128]);
  }
  return all_ok();
}
