// The cheapest way through a grid, with the work that Rodinia's `dynproc_kernel` does: old and new
// costs are two rows in shared memory, and the part of the grid that a block covers is worked out
// as limits of thread numbers. In the first kernel the number of steps is known at run time only,
// as in Rodinia; in the second it is a constant (20 steps), for a comparison with a form between
// threads that knows it, too. The tidy form is pathfinder.cu.
// Usage: pathfinder_rodinia [COLUMNS] [ROWS] [PYRAMID] [SEED]
#include "common/pathfinder.h"

constexpr int kBlock = benchmark::kPathfinderBlock;

__device__ __forceinline__ bool within(int value, int low, int high) {
  return value >= low && value <= high;
}

__device__ __forceinline__ void walk(const int* wall, const int* from, int* to, int columns,
                                     int row, int steps, int halo) {
  __shared__ int old_cost[kBlock], new_cost[kBlock];
  const int tx = threadIdx.x;
  const int block_x = (kBlock - 2 * steps) * blockIdx.x - halo, end_x = block_x + kBlock - 1;
  const int x = block_x + tx;
  const int first = block_x < 0 ? -block_x : 0;
  const int last = end_x > columns - 1 ? kBlock - 1 - (end_x - columns + 1) : kBlock - 1;
  const int west = tx - 1 < first ? first : tx - 1, east = tx + 1 > last ? last : tx + 1;
  const bool valid = within(tx, first, last);
  if (within(x, 0, columns - 1)) old_cost[tx] = from[x];
  __syncthreads();

  bool computed = false;
  for (int k = 0; k < steps; ++k) {
    computed = false;
    if (within(tx, k + 1, kBlock - k - 2) && valid) {
      computed = true;
      const int least = min(min(old_cost[west], old_cost[tx]), old_cost[east]);
      new_cost[tx] = least + wall[columns * (row + 1 + k) + x];
    }
    __syncthreads();
    if (k == steps - 1) break;
    if (computed) old_cost[tx] = new_cost[tx];
    __syncthreads();
  }
  if (computed) to[x] = new_cost[tx];
}

__global__ void dynproc_rodinia(const int* wall, const int* from, int* to, int columns, int row,
                                int steps, int halo) {
  walk(wall, from, to, columns, row, steps, halo);
}
__global__ void dynproc_20_rodinia(const int* wall, const int* from, int* to, int columns, int row,
                                   int /*steps*/, int halo) {
  walk(wall, from, to, columns, row, 20, halo);
}

int main(int argc, char** argv) {
  return benchmark::run_pathfinder(argc, argv, "pathfinder_rodinia", dynproc_rodinia) |
         benchmark::run_pathfinder(argc, argv, "pathfinder_rodinia", dynproc_20_rodinia, 20);
}
