#include "bench/task_bench/metg.h"

#include <algorithm>
#include <cmath>

namespace raddle::bench::task_bench {

Metg metg_of(std::vector<GranularityPoint> points) {
  Metg metg;
  for (const auto& point : points)
    metg.peak_flops = std::max(metg.peak_flops, point.flops_per_second);
  const double half = metg.peak_flops / 2;
  // The smallest task that does half; a disturbed measurement of a larger one does not matter.
  std::size_t last = points.size();
  while (last > 0 && points[last - 1].flops_per_second < half) --last;
  if (last == 0) return metg;
  const auto& above = points[last - 1];
  metg.is_bound = last == points.size();
  metg.microseconds = above.seconds_per_task * 1e6;
  if (!metg.is_bound) {
    const auto& below = points[last];
    const double share = std::log(above.flops_per_second / half) /
                         std::log(above.flops_per_second / below.flops_per_second);
    metg.microseconds = 1e6 * std::exp(std::lerp(std::log(above.seconds_per_task),
                                                 std::log(below.seconds_per_task), share));
  }
  metg.points = std::move(points);
  return metg;
}

// Runs of some four milliseconds: enough to forget how they begin, and short enough that some of
// them have the machine for themselves where others use it as well. The fastest counts.
Metg measure_metg(TaskGraph graph, int repeat, const MakeSystem& make) {
  constexpr double kBudget = 4e-3, kLeastTask = 0.3e-6, kIteration = 3e-9;
  graph.kernel.type = KernelType::kComputeBound;
  std::vector<GranularityPoint> points;
  const long steps = graph.steps;
  double peak = 0;
  int far_below = 0;  // half of the peak, one after another
  for (int power = 14; power >= 0; --power) {
    graph.kernel.iterations = 1L << power;
    const double row = (kLeastTask + kIteration * static_cast<double>(graph.kernel.iterations)) *
                       static_cast<double>(graph.width) / 2;
    graph.steps = std::clamp(static_cast<long>(kBudget / row), 2 * graph.width, steps);
    const auto system = make(Graphs(&graph, 1));
    double best = system->run();
    for (int i = 0; i < repeat; ++i) best = std::min(best, system->run());
    const double flops = static_cast<double>(graph.flops()) / best;
    points.push_back({graph.kernel.iterations,
                      best * system->cores() / static_cast<double>(graph.tasks()), flops});
    peak = std::max(peak, flops);
    far_below = flops < peak / 8 ? far_below + 1 : 0;
    if (far_below == 2) break;
  }
  return metg_of(std::move(points));
}

}  // namespace raddle::bench::task_bench
