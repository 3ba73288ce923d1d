// The parts of Task Bench that its own runs cannot show: that wrong inputs are found, and how METG
// follows from measurements.
#include <gtest/gtest.h>

#include <cmath>

#include "bench/task_bench/metg.h"
#include "bench/task_bench/task.h"

namespace raddle::bench::task_bench {
namespace {

TaskGraph stencil() {
  TaskGraph graph;
  graph.pattern = Pattern::kStencil;
  graph.period = 0;
  graph.output_bytes = 32;
  return graph;
}

TEST(TaskBench, FindsAnInputThatIsNotThere) {
  const TaskGraph graph = stencil();
  const Dependences dependences(graph);
  const OutputPair left[2] = {{1, 0}, {1, 0}}, right[2] = {{1, 1}, {0, 1}};
  const std::byte* inputs[] = {reinterpret_cast<const std::byte*>(left),
                               reinterpret_cast<const std::byte*>(right)};
  std::byte output[32];
  try {
    run_task(graph, dependences, 2, 0, output, inputs, nullptr);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(),
                 "task (graph 0 timestep 2 point 0): input 1 is (timestep 0 point 1), expected "
                 "(timestep 1 point 1)");
  }
}

TEST(TaskBench, FindsAMissingInput) {
  const TaskGraph graph = stencil();
  const Dependences dependences(graph);
  std::byte output[32];
  try {
    run_task(graph, dependences, 2, 0, output, {}, nullptr);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "task (graph 0 timestep 2 point 0) has 0 inputs, expected 2");
  }
}

TEST(TaskBench, ListsConsumersThatMirrorInputs) {
  for (const auto& [name, pattern] : patterns()) {
    TaskGraph graph;
    graph.pattern = pattern;
    graph.width = 11;
    graph.steps = 30;
    graph.radix = 5;
    graph.period = graph.has_period() ? 3 : 0;
    const Dependences dependences(graph);
    for (long step = 0; step + 1 < graph.steps; ++step) {
      std::vector<std::vector<long>> consumers(11);
      for (long point = 0; point < graph.width; ++point) {
        for (const long from : dependences.inputs(step + 1, point))
          consumers[static_cast<std::size_t>(from)].push_back(point);
      }
      for (long point = 0; point < graph.width; ++point) {
        const auto listed = dependences.consumers(step, point);
        EXPECT_EQ(consumers[static_cast<std::size_t>(point)],
                  std::vector<long>(listed.begin(), listed.end()))
            << name << " at " << step << ", " << point;
      }
    }
  }
}

// A system that adds a microsecond to each task has half of the peak where a task computes for one.
TEST(TaskBench, FindsTheGranularityAtHalfOfThePeak) {
  std::vector<GranularityPoint> points;
  for (int power = 12; power >= 0; --power) {
    const double compute = std::ldexp(1e-8, power);
    points.push_back({1L << power, compute + 1e-6, std::ldexp(100, power) / (compute + 1e-6)});
  }
  const Metg metg = metg_of(points);
  EXPECT_FALSE(metg.is_bound);
  EXPECT_NEAR(metg.microseconds, 1.95, 0.1);  // of the peak that was measured, not of the ideal one
}

TEST(TaskBench, BoundsAGranularityThatIsNeverTooSmall) {
  const Metg metg = metg_of({{2, 2e-6, 1e9}, {1, 1e-6, 0.9e9}});
  EXPECT_TRUE(metg.is_bound);
  EXPECT_DOUBLE_EQ(metg.microseconds, 1);
}

}  // namespace
}  // namespace raddle::bench::task_bench
