// The cheapest way through a grid between threads, in the paper's idiom: a thread without a
// neighbour receives a cost that no way has, so that nothing has to be selected; columns outside
// the grid cost that much, too. A block's outermost threads get wrong costs, one more in every
// step, and write nothing. The number of steps is known at run time only in the first kernel and a
// constant in the second. The shared-memory form is cuda/pathfinder_rodinia.cu.
// Usage: dmt/pathfinder_rodinia [COLUMNS] [ROWS] [PYRAMID] [SEED]
#include <raddle/dmt.h>

#include "../cuda/common/pathfinder.h"

constexpr int kBlock = benchmark::kPathfinderBlock;
// Above all costs (2^15 rows of at most 9), and small enough to be added in every step.
constexpr int kTooMuch = 1 << 20;

// The cost after one more step.
__device__ __forceinline__ int step(const int* wall_row, int x, bool in_grid, int cost) {
  tagValue<"cost">(cost);
  const int left = fromThreadOrConst<"cost", -1, kTooMuch>();
  const int right = fromThreadOrConst<"cost", 1, kTooMuch>();
  return min(min(left, cost), right) + (in_grid ? wall_row[x] : kTooMuch);
}

__global__ void dynproc_rodinia_between_threads(const int* wall, const int* from, int* to,
                                                int columns, int row, int steps, int halo) {
  const int tx = threadIdx.x;
  const int x = (kBlock - 2 * steps) * blockIdx.x - halo + tx;
  const bool in_grid = x >= 0 && x < columns;
  int cost = in_grid ? from[x] : kTooMuch;
  for (int k = 0; k < steps; ++k) cost = step(wall + columns * (row + 1 + k), x, in_grid, cost);
  if (in_grid && tx >= steps && tx < kBlock - steps) to[x] = cost;
}

__global__ void dynproc_20_rodinia_between_threads(const int* wall, const int* from, int* to,
                                                   int columns, int row, int /*steps*/, int halo) {
  constexpr int kSteps = 20;
  const int tx = threadIdx.x;
  const int x = (kBlock - 2 * kSteps) * blockIdx.x - halo + tx;
  const bool in_grid = x >= 0 && x < columns;
  int cost = in_grid ? from[x] : kTooMuch;
#pragma unroll
  for (int k = 0; k < kSteps; ++k) cost = step(wall + columns * (row + 1 + k), x, in_grid, cost);
  if (in_grid && tx >= kSteps && tx < kBlock - kSteps) to[x] = cost;
}

int main(int argc, char** argv) {
  const char* name = "dmt/pathfinder_rodinia";
  return benchmark::run_pathfinder(argc, argv, name, dynproc_rodinia_between_threads) |
         benchmark::run_pathfinder(argc, argv, name, dynproc_20_rodinia_between_threads, 20);
}
