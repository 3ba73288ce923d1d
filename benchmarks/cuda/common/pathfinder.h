// The cheapest way through a grid: the program around the kernel, for its form with shared memory
// and the one between threads.
#ifndef RADDLE_BENCHMARKS_CUDA_COMMON_PATHFINDER_H
#define RADDLE_BENCHMARKS_CUDA_COMMON_PATHFINDER_H

#include <algorithm>

#include "benchmark.h"

namespace benchmark {

constexpr int kPathfinderBlock = 256;

// kernel(wall, from, to, columns, row, steps, halo): `from` has the costs of the ways to row `row`,
// `to` gets those of the ways to row `row` + `steps`; blocks overlap by twice the halo. A kernel
// that takes a constant number of steps gets that many in every launch: rows beyond the last whole
// launch are left out, and PYRAMID has no effect.
template <typename Kernel>
int run_pathfinder(int argc, char** argv, const char* name, Kernel kernel, int constant = 0) {
  Arguments arguments(argc, argv, name, "[COLUMNS] [ROWS] [PYRAMID] [SEED]");
  const int columns = arguments.number("COLUMNS", 10000, 1, 1 << 24);
  int rows = arguments.number("ROWS", 101, 2, 1 << 15);
  int pyramid = arguments.number("PYRAMID", 20, 1, kPathfinderBlock / 2 - 1);
  Random random(arguments.seed());
  arguments.end();
  if (constant > 0) {
    pyramid = constant;
    rows = 1 + std::max((rows - 1) / constant, 1) * constant;
  }
  if (static_cast<long>(columns) * rows > 1 << 30)
    arguments.reject("COLUMNS times ROWS must be at most %d", 1 << 30);
  std::vector<int> wall(static_cast<size_t>(columns) * rows);
  for (int& cell : wall) cell = random.below(10);

  const std::vector<int> first_row(wall.begin(), wall.begin() + columns);
  DeviceArray<int> grid(wall), from(first_row), to(columns);
  for (int row = 0; row < rows - 1; row += pyramid) {
    kernel<<<blocks_for(columns, kPathfinderBlock - 2 * pyramid), kPathfinderBlock>>>(
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
  return report(compare(costs, expected), "%s: %d columns, %d rows, cheapest way %d", name, columns,
                rows, *std::min_element(costs.begin(), costs.end()));
}

}  // namespace benchmark

#endif
