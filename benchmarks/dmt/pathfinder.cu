// The cheapest way through a grid between threads, by the algorithm of cuda/pathfinder.cu, the form
// with shared memory: a thread holds the cost of one column and goes PYRAMID rows on, in each of
// which it gets the costs of its two neighbours. Each row spoils one more cell at both ends of the
// block, so that blocks overlap by 2·PYRAMID cells. Usage: dmt/pathfinder [COLUMNS] [ROWS]
// [PYRAMID] [SEED]
#include <raddle/dmt.h>

#include "../cuda/common/pathfinder.h"

constexpr int kBlock = benchmark::kPathfinderBlock;

// `from` has the costs of the ways to row `row`, `to` gets those of the ways to row `row` +
// `steps`.
__global__ void dynproc_between_threads(const int* wall, const int* from, int* to, int columns,
                                        int row, int steps, int halo) {
  int tid = threadIdx.x;
  int x = blockIdx.x * (kBlock - 2 * halo) + tid - halo;
  bool in_grid = x >= 0 && x < columns;
  int cost = in_grid ? from[x] : 0;
  int to_edge = min(tid, kBlock - 1 - tid);
  for (int step = 0; step < steps; ++step) {
    tagValue<"cost">(cost);
    int left = fromThreadOrConst<"cost", -1, 0>();
    int right = fromThreadOrConst<"cost", 1, 0>();
    if (x == 0) left = cost;
    if (x == columns - 1) right = cost;
    if (in_grid && to_edge > step)
      cost = min(cost, min(left, right)) + wall[(row + 1 + step) * columns + x];
  }
  if (in_grid && to_edge >= halo) to[x] = cost;
}

int main(int argc, char** argv) {
  return benchmark::run_pathfinder(argc, argv, "dmt/pathfinder", dynproc_between_threads);
}
