// The temperature of a chip between threads, by the algorithm of cuda/hotspot.cu, the form with
// shared memory: a thread holds one cell and takes PYRAMID steps on it, in each of which it gets
// the temperatures of its four neighbours. Each step spoils one more ring of the block, so that
// blocks overlap by 2·PYRAMID cells. Usage: dmt/hotspot [SIZE] [STEPS] [PYRAMID] [SEED]
#include <raddle/dmt.h>

#include "../cuda/common/hotspot.h"

using benchmark::kAcross, benchmark::kAir, benchmark::kAlong, benchmark::kStep, benchmark::kUp;

constexpr int kBlock = benchmark::kHotspotBlock;

// A cell outside the chip is as warm as the one at the edge.
__global__ void hotspot_between_threads(const float* power, const float* from, float* to, int n,
                                        int steps, int halo) {
  int tx = threadIdx.x, ty = threadIdx.y;
  int inner = kBlock - 2 * halo;
  int x = blockIdx.x * inner + tx - halo, y = blockIdx.y * inner + ty - halo;
  bool on_chip = x >= 0 && x < n && y >= 0 && y < n;
  float here = 0, watts = 0;
  if (on_chip) {
    here = from[y * n + x];
    watts = power[y * n + x];
  }
  int to_edge = min(min(tx, kBlock - 1 - tx), min(ty, kBlock - 1 - ty));
  for (int step = 0; step < steps; ++step) {
    tagValue<"cell">(here);
    float up = fromThreadOrConst<"cell", {0, -1}, 0.0f>();
    float down = fromThreadOrConst<"cell", {0, 1}, 0.0f>();
    float left = fromThreadOrConst<"cell", {-1, 0}, 0.0f>();
    float right = fromThreadOrConst<"cell", {1, 0}, 0.0f>();
    if (y == 0) up = here;
    if (y == n - 1) down = here;
    if (x == 0) left = here;
    if (x == n - 1) right = here;
    float next = here + kStep * (watts + (up + down - 2.0f * here) * kAlong +
                                 (left + right - 2.0f * here) * kAcross + (kAir - here) * kUp);
    if (on_chip && to_edge > step) here = next;
  }
  if (on_chip && to_edge >= halo) to[y * n + x] = here;
}

int main(int argc, char** argv) {
  return benchmark::run_hotspot(argc, argv, "dmt/hotspot", hotspot_between_threads);
}
