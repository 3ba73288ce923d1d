// The temperature of a chip, cell by cell from its four neighbours and its own power, step by step.
// A block of threads loads a 16×16 tile into shared memory and takes PYRAMID steps on it; each step
// spoils one more ring of the tile, so that tiles overlap by 2·PYRAMID cells. Stands for `hotspot`
// of the dMT-CGRA and HS of the gpu-sharing paper. Usage: hotspot [SIZE] [STEPS] [PYRAMID] [SEED]
#include "common/hotspot.h"

using benchmark::kAcross, benchmark::kAir, benchmark::kAlong, benchmark::kStep, benchmark::kUp;

constexpr int kBlock = benchmark::kHotspotBlock;

// A cell outside the chip is as warm as the one at the edge.
__global__ void hotspot(const float* power, const float* from, float* to, int n, int steps,
                        int halo) {
  __shared__ float tile[kBlock][kBlock];
  int tx = threadIdx.x, ty = threadIdx.y;
  int inner = kBlock - 2 * halo;
  int x = blockIdx.x * inner + tx - halo, y = blockIdx.y * inner + ty - halo;
  bool on_chip = x >= 0 && x < n && y >= 0 && y < n;
  float watts = 0;
  if (on_chip) {
    tile[ty][tx] = from[y * n + x];
    watts = power[y * n + x];
  }
  __syncthreads();

  int left = x > 0 ? tx - 1 : tx, right = x < n - 1 ? tx + 1 : tx;
  int up = y > 0 ? ty - 1 : ty, down = y < n - 1 ? ty + 1 : ty;
  int to_edge = min(min(tx, kBlock - 1 - tx), min(ty, kBlock - 1 - ty));
  for (int step = 0; step < steps; ++step) {
    bool valid = on_chip && to_edge > step;
    float next = 0;
    if (valid) {
      float here = tile[ty][tx];
      next = here + kStep * (watts + (tile[up][tx] + tile[down][tx] - 2.0f * here) * kAlong +
                             (tile[ty][left] + tile[ty][right] - 2.0f * here) * kAcross +
                             (kAir - here) * kUp);
    }
    __syncthreads();
    if (valid) tile[ty][tx] = next;
    __syncthreads();
  }
  if (on_chip && to_edge >= halo) to[y * n + x] = tile[ty][tx];
}

int main(int argc, char** argv) { return benchmark::run_hotspot(argc, argv, "hotspot", hotspot); }
