// The cheapest way through a grid from its first row to its last, each step to one of the three
// cells below. A block of threads loads 256 costs of a row into shared memory and goes PYRAMID rows
// on; each row spoils one more cell at both ends, so that blocks overlap by 2·PYRAMID cells.
// Stands for `pathfinder` (dynproc_kernel) of the dMT-CGRA and PATH of the gpu-sharing paper.
// Usage: pathfinder [COLUMNS] [ROWS] [PYRAMID] [SEED]
#include <algorithm>

#include "common/benchmark.h"

using namespace benchmark;

constexpr int kBlock = 256;

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
  Arguments arguments(argc, argv, "pathfinder [COLUMNS] [ROWS] [PYRAMID] [SEED]");
  const int columns = arguments.number("COLUMNS", 10000, 1, 1 << 24);
  const int rows = arguments.number("ROWS", 101, 2, 1 << 15);
  const int pyramid = arguments.number("PYRAMID", 20, 1, kBlock / 2 - 1);
  Random random(arguments.seed());
  arguments.end();
  if (static_cast<long>(columns) * rows > 1 << 30)
    arguments.reject("COLUMNS times ROWS must be at most %d", 1 << 30);
  std::vector<int> wall(static_cast<size_t>(columns) * rows);
  for (int& cell : wall) cell = random.below(10);

  const std::vector<int> first_row(wall.begin(), wall.begin() + columns);
  DeviceArray<int> grid(wall), from(first_row), to(columns);
  for (int row = 0; row < rows - 1; row += pyramid) {
    dynproc<<<blocks_for(columns, kBlock - 2 * pyramid), kBlock>>>(
        grid, from, to, columns, row, std::min(pyramid, rows - 1 - row), pyramid);
    check(cudaGetLastError());
    std::swap(from, to);
  }

  // The host goes the other way: each cell offers its cost to the three below.
  std::vector<int> expected = first_row;
  for (int row = 1; row < rows; ++row) {
    std::vector<int> next(columns, 1 << 30);
    for (int x = 0; x < columns; ++x) {
      for (int below = std::max(x - 1, 0); below <= std::min(x + 1, columns - 1); ++below) {
        const int cell = wall[static_cast<size_t>(row) * columns + below];
        next[below] = std::min(next[below], expected[x] + cell);
      }
    }
    expected.swap(next);
  }
  const std::vector<int> costs = from.to_host();
  return report(compare(costs, expected), "pathfinder: %d columns, %d rows, cheapest way %d",
                columns, rows, *std::min_element(costs.begin(), costs.end()));
}
