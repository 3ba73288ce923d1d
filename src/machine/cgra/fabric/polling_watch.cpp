#include "machine/cgra/fabric/polling_watch.h"

#include <fmt/format.h>

namespace raddle::machine::cgra {

namespace {

// So long nothing but polling of memory that does not change is a deadlock: twice, so that threads
// which polled and then compute are not taken for such.
constexpr Cycle kWindow{100'000};
constexpr std::uint32_t kWindows = 2;

}  // namespace

PollingWatch::PollingWatch(kernel::exec::GridState& grid, PieceExecutor& executor,
                           const std::vector<std::unique_ptr<CoreWork>>& cores, Cycle start)
    : grid_(grid), executor_(executor), cores_(cores), next_(start + kWindow) {}

void PollingWatch::look(Cycle cycle, std::uint64_t started) {
  if (cycle < next_) return;
  next_ = cycle + kWindow;
  bool only_polls = true;
  std::uint64_t ended = 0;
  for (const auto& core : cores_) {
    only_polls = only_polls && core->threads().only_polls();
    ended += core->threads().blocks_done();
  }
  const bool changed = executor_.memory_changed();
  const bool moved = started != started_ || ended != ended_;
  started_ = started;
  ended_ = ended;
  quiet_ = only_polls && !changed && !moved ? quiet_ + 1 : 0;
  if (quiet_ == kWindows) give_up(started, ended);
  for (const auto& core : cores_) core->threads().forget_polls();
}

void PollingWatch::give_up(std::uint64_t started, std::uint64_t ended) {
  const std::uint64_t waiting = grid_.launch.grid.count() - started;
  kernel::exec::Fault fault;
  fault.kind = kernel::exec::FaultKind::kDeadlock;
  fault.message =
      waiting > 0
          ? fmt::format(
                "deadlock: the {} resident blocks poll memory that no thread changes, "
                "while {} blocks wait to become resident",
                started - ended, waiting)
          : fmt::format("deadlock: all {} resident blocks poll memory that no thread changes",
                        started - ended);
  fault.kernel = grid_.kernel_name;
  fault.ends_launch = true;
  for (const auto& core : cores_) {
    core->threads().describe_polls(fault.details);
    core->threads().describe(fault.details);
  }
  grid_.add_fault(std::move(fault));
  throw kernel::exec::LaunchStopped{};
}

}  // namespace raddle::machine::cgra
