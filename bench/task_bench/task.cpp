#include "bench/task_bench/task.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>

#include "bench/task_bench/kernel.h"

namespace raddle::bench::task_bench {
namespace {

constexpr std::uint64_t kScratchMark = 0x5C4A7C8B;

[[noreturn]] void wrong_input(const TaskGraph& graph, long step, long point, std::size_t input,
                              long from, const OutputPair& got) {
  const auto pair = [](long a, long b) {
    return "(timestep " + std::to_string(a) + " point " + std::to_string(b) + ")";
  };
  throw std::runtime_error("task (graph " + std::to_string(graph.number) + " timestep " +
                           std::to_string(step) + " point " + std::to_string(point) + "): input " +
                           std::to_string(input) + " is " + pair(got.step, got.point) +
                           ", expected " + pair(step - 1, from));
}

}  // namespace

void run_task(const TaskGraph& graph, const Dependences& dependences, long step, long point,
              std::byte* output, std::span<const std::byte* const> inputs, std::byte* scratch) {
  const auto expected = dependences.inputs(step, point);
  if (!graph.exists(step, point) || inputs.size() != expected.size()) {
    throw std::runtime_error("task (graph " + std::to_string(graph.number) + " timestep " +
                             std::to_string(step) + " point " + std::to_string(point) + ") has " +
                             std::to_string(inputs.size()) + " inputs, expected " +
                             std::to_string(expected.size()));
  }
  const std::size_t pairs = graph.output_bytes / sizeof(OutputPair);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    for (std::size_t n = 0; n < pairs; ++n) {
      OutputPair got;
      std::memcpy(&got, inputs[i] + n * sizeof got, sizeof got);
      if (got.step != step - 1 || got.point != expected[i])
        wrong_input(graph, step, point, i, expected[i], got);
    }
  }
  const OutputPair own{step, point};
  for (std::size_t n = 0; n < pairs; ++n) std::memcpy(output + n * sizeof own, &own, sizeof own);
  if (graph.scratch_bytes > 0) {
    std::uint64_t mark = 0;
    std::memcpy(&mark, scratch, sizeof mark);
    if (mark != kScratchMark) throw std::runtime_error("a task's scratch memory is overwritten");
  }
  run_kernel(graph, step, point, scratch);
}

Scratch::Scratch(const TaskGraph& graph, std::size_t count)
    : stride_((graph.scratch_bytes + sizeof(Line) - 1) / sizeof(Line)) {
  if (stride_ == 0) return;
  lines_ = std::make_unique<Line[]>(stride_ * count);
  auto* bytes = lines_[0].bytes;
  for (std::size_t i = 0; i < stride_ * count * sizeof(Line); i += sizeof kScratchMark)
    std::memcpy(bytes + i, &kScratchMark, sizeof kScratchMark);
}

Outputs::Outputs(const TaskGraph& graph)
    : bytes_(graph.output_bytes),
      stride_((static_cast<std::size_t>(graph.steps) * bytes_ + sizeof(Line) - 1) / sizeof(Line)),
      lines_(stride_ * static_cast<std::size_t>(graph.width)) {}

void Outputs::clear() {
  std::ranges::fill(std::as_writable_bytes(std::span(lines_)), std::byte{0xff});
}

}  // namespace raddle::bench::task_bench
