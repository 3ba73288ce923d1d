// The temperature of a chip: the program around the kernel, for its form with shared memory and the
// one between threads.
#ifndef RADDLE_BENCHMARKS_CUDA_COMMON_HOTSPOT_H
#define RADDLE_BENCHMARKS_CUDA_COMMON_HOTSPOT_H

#include <algorithm>

#include "benchmark.h"

namespace benchmark {

constexpr int kHotspotBlock = 16;
// The length of a step; heat that flows across, along and up into the air; the air's temperature.
constexpr float kStep = 0.5f, kAcross = 0.1f, kAlong = 0.1f, kUp = 0.01f, kAir = 80.0f;

// The same as physical quantities, from which Rodinia's kernel works the factors out.
struct HotspotChip {
  float step, capacity, resistance_x, resistance_y, resistance_z;
};
constexpr HotspotChip kHotspotChip = {1.0f, 2.0f, 10.0f, 10.0f, 100.0f};

// The whole chip in double precision, step after step.
inline std::vector<double> hotspot_on_host(const std::vector<float>& power,
                                           const std::vector<float>& start, int n, int steps) {
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

// kernel(power, from, to, n, steps, halo, more…): blocks overlap by twice the halo
template <typename Kernel, typename... More>
int run_hotspot(int argc, char** argv, const char* name, Kernel kernel, More... more) {
  Arguments arguments(argc, argv, name, "[SIZE] [STEPS] [PYRAMID] [SEED]");
  const int n = arguments.number("SIZE", 512, 1, 1 << 14);
  const int steps = arguments.number("STEPS", 2, 1, 100000);
  const int pyramid = arguments.number("PYRAMID", 2, 1, kHotspotBlock / 2 - 1);
  Random random(arguments.seed());
  arguments.end();
  const size_t count = static_cast<size_t>(n) * n;
  const std::vector<float> start = random.floats(count, 60, 100),
                           watts = random.floats(count, 0, 1);

  DeviceArray<float> power(watts), from(start), to(count);
  const int blocks = blocks_for(n, kHotspotBlock - 2 * pyramid);
  for (int done = 0; done < steps; done += pyramid) {
    kernel<<<dim3(blocks, blocks), dim3(kHotspotBlock, kHotspotBlock)>>>(
        power, from, to, n, std::min(pyramid, steps - done), pyramid, more...);
    check(cudaGetLastError());
    std::swap(from, to);
  }

  // A step ends in one rounding of a temperature below 180; all before it weigh a tenth or less and
  // come to no more than that. As a weighted mean of neighbours it magnifies no error that it
  // meets.
  const Comparison result = compare(from.to_host(), hotspot_on_host(watts, start, n, steps),
                                    2 * 180 * kFloatRounding * steps);
  return report(result, "%s: %dx%d, %d steps", name, n, n, steps);
}

}  // namespace benchmark

#endif
