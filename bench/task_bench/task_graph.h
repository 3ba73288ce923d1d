// The task graphs of Task Bench (Slaughter et al., SC 2020): a row of points for each timestep, and
// a pattern that says which points of the row before a point needs. Patterns repeat after some
// timesteps; each row of such a period is called a dependence set, as in the original.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace raddle::bench::task_bench {

enum class Pattern : std::uint8_t {
  kTrivial,
  kNoComm,
  kStencil,
  kPeriodicStencil,
  kDom,
  kTree,
  kFft,
  kAllToAll,
  kNearest,
  kSpread,
  kRandomNearest,
};
struct PatternName {
  std::string_view name;
  Pattern pattern;
};
std::span<const PatternName> patterns();

enum class KernelType : std::uint8_t {
  kEmpty,
  kBusyWait,
  kMemoryBound,
  kComputeBound,
  kComputeBound2,
  kLoadImbalance,
};
struct KernelName {
  std::string_view name;
  KernelType type;
};
std::span<const KernelName> kernels();

struct Kernel {
  KernelType type = KernelType::kEmpty;
  long iterations = 0;
  int samples = 16;
  double imbalance = 0;  // as a fraction of the iterations
};

struct TaskGraph {
  long number = 0;
  long steps = 4;
  long width = 4;
  Pattern pattern = Pattern::kTrivial;
  long radix = 3;
  long period = -1;  // -1: the pattern's default
  double fraction = 0.25;
  Kernel kernel;
  std::size_t output_bytes = 16;
  std::size_t scratch_bytes = 0;

  // The points that exist at a timestep: from `first_point` on, `points` of them.
  [[nodiscard]] long first_point(long step) const;
  [[nodiscard]] long points(long step) const;
  [[nodiscard]] bool exists(long step, long point) const {
    return step >= 0 && step < steps && point >= first_point(step) &&
           point < first_point(step) + points(step);
  }
  [[nodiscard]] long sets() const;
  [[nodiscard]] long set_at(long step) const;
  // The points of the row before that a point needs, in the original's order; some may not exist.
  [[nodiscard]] std::vector<long> inputs(long set, long point) const;

  [[nodiscard]] long iterations_at(long step, long point) const;
  [[nodiscard]] long long flops() const;
  [[nodiscard]] long long bytes() const;
  [[nodiscard]] long tasks() const;
  [[nodiscard]] bool has_period() const {
    return pattern == Pattern::kSpread || pattern == Pattern::kRandomNearest;
  }
};

// Who needs whom, as lists: looked up by every task, so that patterns are worked out once.
class Dependences {
 public:
  explicit Dependences(const TaskGraph& graph);

  // Points of the row before that exist and that this point needs.
  [[nodiscard]] std::span<const long> inputs(long step, long point) const {
    return of(step, point).inputs;
  }
  // Points of the next row that exist and need this point.
  [[nodiscard]] std::span<const long> consumers(long step, long point) const {
    return of(step, point).consumers;
  }

 private:
  struct Lists {
    std::vector<long> inputs, consumers;
  };
  [[nodiscard]] const Lists& of(long step, long point) const {
    return lists_[static_cast<std::size_t>(row_[static_cast<std::size_t>(step)] * width_ + point)];
  }

  long width_;
  std::vector<long> row_;  // by step: steps with equal lists share them
  std::vector<Lists> lists_;
};

}  // namespace raddle::bench::task_bench
