// The cheapest way through a grid from its first row to its last, each step to one of the three
// cells below. A block of threads loads 256 costs of a row into shared memory and goes PYRAMID rows
// on; each row spoils one more cell at both ends, so that blocks overlap by 2·PYRAMID cells.
// Stands for `pathfinder` (dynproc_kernel) of the dMT-CGRA and PATH of the gpu-sharing paper.
// Usage: pathfinder [COLUMNS] [ROWS] [PYRAMID] [SEED]
#include "common/pathfinder.h"

constexpr int kBlock = benchmark::kPathfinderBlock;

// `from` has the costs of the ways to row `row`, `to` gets those of the ways to row `row` +
// `steps`.
__global__ void dynproc(const int* wall, const int* from, int* to, int columns, int row, int steps,
                        int halo) {
  __shared__ int cost[kBlock];
  int tid = threadIdx.x;
  int x = blockIdx.x * (kBlock - 2 * halo) + tid - halo;
  bool in_grid = x >= 0 && x < columns;
  if (in_grid) cost[tid] = from[x];
  __syncthreads();

  int left = x > 0 ? tid - 1 : tid, right = x < columns - 1 ? tid + 1 : tid;
  int to_edge = min(tid, kBlock - 1 - tid);
  for (int step = 0; step < steps; ++step) {
    bool valid = in_grid && to_edge > step;
    int best = 0;
    if (valid) {
      best = min(cost[tid], min(cost[left], cost[right])) + wall[(row + 1 + step) * columns + x];
    }
    __syncthreads();
    if (valid) cost[tid] = best;
    __syncthreads();
  }
  if (in_grid && to_edge >= halo) to[x] = cost[tid];
}

int main(int argc, char** argv) {
  return benchmark::run_pathfinder(argc, argv, "pathfinder", dynproc);
}
