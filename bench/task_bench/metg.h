// The minimum effective task granularity of Task Bench: the time of the smallest task with which a
// system still does half of the FLOP/s that it does with large ones, METG(50%). The time of a task
// is cores · elapsed / tasks.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "bench/task_bench/systems.h"

namespace raddle::bench::task_bench {

struct GranularityPoint {
  long iterations = 0;
  double seconds_per_task = 0;
  double flops_per_second = 0;
};

struct Metg {
  double microseconds = 0;
  double peak_flops = 0;
  bool is_bound = false;  // half of the peak even with the smallest task: METG is less than this
  std::vector<GranularityPoint> points;  // from large tasks to small ones
};

// Interpolates between the points, on logarithmic scales.
Metg metg_of(std::vector<GranularityPoint> points);

// Measures a graph with the kernel compute_bound; `repeat` runs of each size, of which the fastest
// counts.
using MakeSystem = std::function<std::unique_ptr<System>(Graphs)>;
Metg measure_metg(TaskGraph graph, int repeat, const MakeSystem& make);

}  // namespace raddle::bench::task_bench
