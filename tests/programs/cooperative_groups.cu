// Cooperative groups: the block, tiles of a warp, the lanes that are together, reductions and scans over them, and a grid
// that synchronises in one cooperative launch.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "check.h"

namespace cg = cooperative_groups;

__device__ int sum_of(cg::thread_block_tile<16> tile, int value) {
  for (int offset = tile.size() / 2; offset > 0; offset /= 2) value += tile.shfl_down(value, offset);
  return tile.shfl(value, 0);
}

struct Out {
  int block_rank, tile_rank, tile_sum, tile_ballot, reduced, largest, coalesced_size, coalesced_rank, leader, scan;
};

__global__ void groups(Out* out) {
  cg::thread_block block = cg::this_thread_block();
  __shared__ int shared[128];
  Out o;
  o.block_rank = block.thread_rank();
  shared[o.block_rank] = o.block_rank;
  block.sync();
  const int value = shared[block.size() - 1 - o.block_rank];
  cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);
  o.tile_rank = tile.thread_rank() + 100 * tile.meta_group_rank();
  o.tile_sum = sum_of(tile, value);
  o.tile_ballot = tile.ballot(tile.thread_rank() % 4 == 0);
  auto warp = cg::tiled_partition<32>(block);
  o.reduced = cg::reduce(warp, value, cg::plus<int>());
  o.largest = cg::reduce(tile, value, cg::greater<int>());
  o.scan = cg::inclusive_scan(warp, 1, cg::plus<int>());
  o.coalesced_size = o.coalesced_rank = o.leader = -1;
  if (threadIdx.x % 3 == 0) {
    cg::coalesced_group together = cg::coalesced_threads();
    o.coalesced_size = together.size();
    o.coalesced_rank = together.thread_rank();
    o.leader = together.shfl(o.block_rank, 0);
  }
  cg::sync(warp);
  out[o.block_rank] = o;
}

// Parallel prefix sums over the whole grid: every step needs the step before from all blocks.
__global__ void grid_scan(int* a, int* b, int n) {
  cg::grid_group grid = cg::this_grid();
  const int i = (int)grid.thread_rank();
  for (int distance = 1; distance < n; distance *= 2) {
    if (i < n) b[i] = a[i] + (i >= distance ? a[i - distance] : 0);
    grid.sync();
    int* t = a;
    a = b;
    b = t;
  }
}

int main() {
  const int threads = 128;
  Out* out;
  CUDA_CHECK(cudaMallocManaged(&out, threads * sizeof(Out)));
  void* group_arguments[] = {&out};
  CUDA_CHECK(cudaLaunchKernel(groups, dim3(1), dim3(32, 4), group_arguments, 0, 0));
  CHECK_LAUNCH();
  for (int i = 0; i < threads; ++i) {
    const int first = i / 16 * 16, lane = i % 32;
    int tile_sum = 0, warp_sum = 0;
    for (int k = 0; k < 16; ++k) tile_sum += threads - 1 - (first + k);
    for (int k = 0; k < 32; ++k) warp_sum += threads - 1 - (i / 32 * 32 + k);
    CHECK_EQUAL_AT(i, out[i].block_rank, i);
    CHECK_EQUAL_AT(i, out[i].tile_rank, i % 16 + 100 * (i / 16));
    CHECK_EQUAL_AT(i, out[i].tile_sum, tile_sum);
    CHECK_EQUAL_AT(i, out[i].tile_ballot, 0x1111);
    CHECK_EQUAL_AT(i, out[i].reduced, warp_sum);
    CHECK_EQUAL_AT(i, out[i].largest, threads - 1 - first);
    CHECK_EQUAL_AT(i, out[i].scan, lane + 1);
    CHECK_EQUAL_AT(i, out[i].coalesced_size, lane % 3 ? -1 : 11);
    CHECK_EQUAL_AT(i, out[i].coalesced_rank, lane % 3 ? -1 : lane / 3);
    CHECK_EQUAL_AT(i, out[i].leader, lane % 3 ? -1 : i - lane);
  }

  int supported = 0, n = 1000;
  CUDA_CHECK(cudaDeviceGetAttribute(&supported, cudaDevAttrCooperativeLaunch, 0));
  CHECK(supported);
  int *a, *b, expected = 0;
  CUDA_CHECK(cudaMallocManaged(&a, n * sizeof(int)));
  CUDA_CHECK(cudaMallocManaged(&b, n * sizeof(int)));
  for (int i = 0; i < n; ++i) a[i] = i % 10;
  void* arguments[] = {&a, &b, &n};
  CUDA_CHECK(cudaLaunchCooperativeKernel((void*)grid_scan, dim3(16), dim3(64), arguments, 0, 0));
  CHECK_LAUNCH();
  for (int i = 0; i < n; ++i) {  // ten steps: the result is back in a
    expected += i % 10;
    CHECK_EQUAL_AT(i, a[i], expected);
  }
  int blocks = 0;
  cudaDeviceProp p;
  CUDA_CHECK(cudaGetDeviceProperties(&p, 0));
  CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, grid_scan, 64, 0));
  EXPECT_ERROR(cudaErrorCooperativeLaunchTooLarge,
               cudaLaunchCooperativeKernel(grid_scan, dim3(blocks * p.multiProcessorCount + 1), dim3(64), arguments, 0, 0));
  return all_ok();
}
