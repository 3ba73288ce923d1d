#include "bench/task_bench/metg.h"

#include <algorithm>
#include <cmath>

namespace raddle::bench::task_bench {

Metg metg_of(std::vector<GranularityPoint> points) {
  Metg metg;
  for (const auto& point : points)
    metg.peak_flops = std::max(metg.peak_flops, point.flops_per_second);
  const double half = metg.peak_flops / 2;
  metg.is_bound = true;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points[i].flops_per_second >= half) {
      metg.microseconds = points[i].seconds_per_task * 1e6;
      continue;
    }
    metg.is_bound = false;
    if (i == 0) break;
    const auto& above = points[i - 1];
    const double share = std::log(above.flops_per_second / half) /
                         std::log(above.flops_per_second / points[i].flops_per_second);
    metg.microseconds = 1e6 * std::exp(std::lerp(std::log(above.seconds_per_task),
                                                 std::log(points[i].seconds_per_task), share));
    break;
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
    if (flops < peak / 4) break;  // far below half
  }
  return metg_of(std::move(points));
}

}  // namespace raddle::bench::task_bench
