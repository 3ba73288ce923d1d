#include "bench/task_bench/task_graph.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>

#include "bench/task_bench/hash.h"

namespace raddle::bench::task_bench {
namespace {

constexpr std::array kPatterns = {
    PatternName{"trivial", Pattern::kTrivial},
    PatternName{"no_comm", Pattern::kNoComm},
    PatternName{"stencil_1d", Pattern::kStencil},
    PatternName{"stencil_1d_periodic", Pattern::kPeriodicStencil},
    PatternName{"dom", Pattern::kDom},
    PatternName{"tree", Pattern::kTree},
    PatternName{"fft", Pattern::kFft},
    PatternName{"all_to_all", Pattern::kAllToAll},
    PatternName{"nearest", Pattern::kNearest},
    PatternName{"spread", Pattern::kSpread},
    PatternName{"random_nearest", Pattern::kRandomNearest},
};
constexpr std::array kKernels = {
    KernelName{"empty", KernelType::kEmpty},
    KernelName{"busy_wait", KernelType::kBusyWait},
    KernelName{"memory_bound", KernelType::kMemoryBound},
    KernelName{"compute_bound", KernelType::kComputeBound},
    KernelName{"compute_bound2", KernelType::kComputeBound2},
    KernelName{"load_imbalance", KernelType::kLoadImbalance},
};

void add_range(std::vector<long>& points, long first, long last) {
  for (long point = first; point <= last; ++point) points.push_back(point);
}

}  // namespace

std::span<const PatternName> patterns() { return kPatterns; }
std::span<const KernelName> kernels() { return kKernels; }

long TaskGraph::first_point(long step) const {
  if (step < 0 || pattern != Pattern::kDom) return 0;
  return std::max(0L, step + width - steps);
}

long TaskGraph::points(long step) const {
  if (step < 0) return 0;
  switch (pattern) {
    case Pattern::kDom: return std::min({width, step + 1, steps - step});
    case Pattern::kTree: return std::min(width, 1L << std::min(step, 62L));
    default: return width;
  }
}

long TaskGraph::sets() const {
  if (pattern == Pattern::kFft) {
    // A graph of one point has one set, too.
    return std::max(1L, static_cast<long>(std::bit_width(static_cast<unsigned long>(width - 1))));
  }
  return has_period() ? period : 1;
}

long TaskGraph::set_at(long step) const {
  if (pattern == Pattern::kFft) return (step + sets() - 1) % sets();
  return has_period() ? step % sets() : 0;
}

std::vector<long> TaskGraph::inputs(long set, long point) const {
  std::vector<long> points;
  const long last = width - 1;
  const long left = std::max(0L, point - radix / 2);
  const long right = std::min(last, point + (radix - 1) / 2);
  switch (pattern) {
    case Pattern::kTrivial: break;
    case Pattern::kNoComm: points = {point}; break;
    case Pattern::kStencil:
    case Pattern::kPeriodicStencil:
      add_range(points, std::max(0L, point - 1), std::min(last, point + 1));
      if (pattern == Pattern::kStencil) break;
      if (point == 0) points.push_back(last);
      if (point == last) points.push_back(0);
      break;
    case Pattern::kDom: add_range(points, std::max(0L, point - 1), point); break;
    case Pattern::kTree: points = {point / 2}; break;
    case Pattern::kFft: {
      const long distance = 1L << set;
      if (point >= distance) points.push_back(point - distance);
      points.push_back(point);
      if (point + distance <= last) points.push_back(point + distance);
      break;
    }
    case Pattern::kAllToAll: add_range(points, 0, last); break;
    case Pattern::kNearest:
      if (radix > 0) add_range(points, left, right);
      break;
    case Pattern::kSpread:
      for (long i = 0; i < radix; ++i) {
        points.push_back((point + i * width / radix + (i > 0 ? set : 0)) % width);
      }
      break;
    case Pattern::kRandomNearest:
      for (long from = left; radix > 0 && from <= right; ++from) {
        const std::array<long, 5> what{number, radix, set, from, point};
        if (from == point || uniform(what) < fraction) points.push_back(from);
      }
      break;
  }
  return points;
}

long TaskGraph::iterations_at(long step, long point) const {
  if (kernel.type != KernelType::kLoadImbalance) return kernel.iterations;
  const std::array<long, 3> what{number, step, point};
  const double share = 1 + (uniform(what) - 0.5) * kernel.imbalance;
  return std::lround(share * static_cast<double>(kernel.iterations));
}

long TaskGraph::tasks() const {
  long count = 0;
  for (long step = 0; step < steps; ++step) count += points(step);
  return count;
}

long long TaskGraph::flops() const {
  switch (kernel.type) {
    case KernelType::kEmpty:
    case KernelType::kBusyWait:
    case KernelType::kMemoryBound: return 0;
    case KernelType::kComputeBound: return (128LL * kernel.iterations + 64) * tasks();
    case KernelType::kComputeBound2: return 64LL * kernel.iterations * tasks();
    case KernelType::kLoadImbalance: break;
  }
  long long all = 0;
  for (long step = 0; step < steps; ++step) {
    const long first = first_point(step);
    for (long point = first; point < first + points(step); ++point)
      all += 128LL * iterations_at(step, point) + 64;
  }
  return all;
}

long long TaskGraph::bytes() const {
  if (kernel.type != KernelType::kMemoryBound) return 0;
  return static_cast<long long>(scratch_bytes) * kernel.iterations / kernel.samples * tasks();
}

Dependences::Dependences(const TaskGraph& graph)
    : width_(graph.width), row_(static_cast<std::size_t>(graph.steps)) {
  // What the lists of a step depend on: its own set and the next one's, and which points exist in
  // the three rows.
  std::map<std::vector<long>, long> known;
  const auto key_of = [&](long step) {
    std::vector<long> key{graph.set_at(step), graph.set_at(step + 1)};
    for (long row = step - 1; row <= step + 1; ++row) {
      key.push_back(graph.first_point(row));
      key.push_back(row < graph.steps ? graph.points(row) : 0);
    }
    return key;
  };
  for (long step = 0; step < graph.steps; ++step) {
    const auto [found, is_new] = known.try_emplace(key_of(step), static_cast<long>(known.size()));
    row_[static_cast<std::size_t>(step)] = found->second;
    if (!is_new) continue;
    const auto first = lists_.size();
    lists_.resize(first + static_cast<std::size_t>(width_));
    for (long point = 0; point < width_; ++point) {
      for (const long from : graph.inputs(graph.set_at(step), point)) {
        if (graph.exists(step, point) && graph.exists(step - 1, from))
          lists_[first + static_cast<std::size_t>(point)].inputs.push_back(from);
      }
      for (const long from : graph.inputs(graph.set_at(step + 1), point)) {
        if (graph.exists(step + 1, point) && graph.exists(step, from))
          lists_[first + static_cast<std::size_t>(from)].consumers.push_back(point);
      }
    }
  }
}

}  // namespace raddle::bench::task_bench
