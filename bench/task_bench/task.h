// What a task does: checks that its inputs are what the tasks before it have written, writes its
// own output and runs the kernel. Outputs are pairs (timestep, point), repeated to fill the buffer.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "bench/task_bench/task_graph.h"

namespace raddle::bench::task_bench {

struct OutputPair {
  long step;
  long point;
};

// Runs task (step, point) of a graph; throws std::runtime_error, naming the task and the input, if
// an input is wrong. `inputs` are the outputs of graph.inputs(…) that exist, in that order.
void run_task(const TaskGraph& graph, const Dependences& dependences, long step, long point,
              std::byte* output, std::span<const std::byte* const> inputs, std::byte* scratch);

// Scratch memory of `count` owners, each beginning with a cache line of its own.
class Scratch {
 public:
  Scratch(const TaskGraph& graph, std::size_t count);
  [[nodiscard]] std::byte* of(std::size_t owner) const {
    return lines_.get() == nullptr ? nullptr : lines_[owner * stride_].bytes;
  }

 private:
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  std::size_t stride_;
  std::unique_ptr<Line[]> lines_;
};

// The output of every task of a graph: nothing is overwritten, so that only true dependences count.
// Outputs of one point lie next to each other, those of different points on different cache lines.
class Outputs {
 public:
  explicit Outputs(const TaskGraph& graph);
  [[nodiscard]] std::byte* at(long step, long point) {
    return lines_[static_cast<std::size_t>(point) * stride_].bytes +
           static_cast<std::size_t>(step) * bytes_;
  }
  [[nodiscard]] std::span<std::byte> span(long step, long point) {
    return {at(step, point), bytes_};
  }
  // Before another run: what the last one wrote must not pass for this one's.
  void clear();

 private:
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  std::size_t bytes_;
  std::size_t stride_;
  std::vector<Line> lines_;
};

}  // namespace raddle::bench::task_bench
