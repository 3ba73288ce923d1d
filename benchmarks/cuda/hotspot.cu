// The temperature of a chip, cell by cell from its four neighbours and its own power, step by step.
// A block of threads loads a 16×16 tile into shared memory and takes PYRAMID steps on it; each step
// spoils one more ring of the tile, so that tiles overlap by 2·PYRAMID cells. Stands for `hotspot`
// of the dMT-CGRA and HS of the gpu-sharing paper. Usage: hotspot [SIZE] [STEPS] [PYRAMID] [SEED]
#include <algorithm>

#include "common/benchmark.h"

using namespace benchmark;

constexpr int kBlock = 16;
// The length of a step; heat that flows across, along and up into the air; the air's temperature.
constexpr float kStep = 0.5f, kAcross = 0.1f, kAlong = 0.1f, kUp = 0.01f, kAir = 80.0f;

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

// The whole chip in double precision, step after step.
std::vector<double> simulate(const std::vector<float>& power, const std::vector<float>& start,
                             int n, int steps) {
  std::vector<double> now(start.begin(), start.end()), next(now.size());
  const auto at = [&](int x, int y) {
    return now[static_cast<size_t>(std::clamp(y, 0, n - 1)) * n + std::clamp(x, 0, n - 1)];
  };
  for (int step = 0; step < steps; ++step) {
    for (int y = 0; y < n; ++y) {
      for (int x = 0; x < n; ++x) {
        const double here = at(x, y), across = at(x - 1, y) + at(x + 1, y) - 2 * here,
                     along = at(x, y - 1) + at(x, y + 1) - 2 * here;
        const size_t i = static_cast<size_t>(y) * n + x;
        next[i] = here + kStep * (power[i] + along * kAlong + across * kAcross +
                                  (kAir - here) * static_cast<double>(kUp));
      }
    }
    std::swap(now, next);
  }
  return now;
}

int main(int argc, char** argv) {
  Arguments arguments(argc, argv, "hotspot [SIZE] [STEPS] [PYRAMID] [SEED]");
  const int n = arguments.number("SIZE", 512, 1, 1 << 14);
  const int steps = arguments.number("STEPS", 2, 1, 100000);
  const int pyramid = arguments.number("PYRAMID", 2, 1, kBlock / 2 - 1);
  Random random(arguments.seed());
  arguments.end();
  const size_t count = static_cast<size_t>(n) * n;
  const std::vector<float> start = random.floats(count, 60, 100),
                           watts = random.floats(count, 0, 1);

  DeviceArray<float> power(watts), from(start), to(count);
  const int blocks = blocks_for(n, kBlock - 2 * pyramid);
  for (int done = 0; done < steps; done += pyramid) {
    hotspot<<<dim3(blocks, blocks), dim3(kBlock, kBlock)>>>(
        power, from, to, n, std::min(pyramid, steps - done), pyramid);
    check(cudaGetLastError());
    std::swap(from, to);
  }

  // A step ends in one rounding of a temperature below 180; all before it weigh a tenth or less and
  // come to no more than that. As a weighted mean of neighbours it magnifies no error that it
  // meets.
  const Comparison result =
      compare(from.to_host(), simulate(watts, start, n, steps), 2 * 180 * kFloatRounding * steps);
  return report(result, "hotspot: %dx%d, %d steps", n, n, steps);
}
