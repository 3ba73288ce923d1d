#include "machine/launch_watch.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

namespace raddle::machine {

void LaunchWatch::stop_for_cycles() {
  give_up(FaultKind::kWatchdogCycles,
          fmt::format("stopped after {} cycles (--max-cycles)", options_.max_cycles));
}

void LaunchWatch::look_at_host(std::uint64_t cycles, std::uint64_t blocks_done) {
  if (options_.progress) options_.progress({cycles, blocks_done, grid_.launch.grid.count()});
  if (options_.interrupted != nullptr && options_.interrupted->load(std::memory_order_relaxed))
    give_up(FaultKind::kInterrupted, "interrupted");
  const bool has_deadline = options_.deadline != std::chrono::steady_clock::time_point::max();
  if (has_deadline && std::chrono::steady_clock::now() > options_.deadline)
    give_up(FaultKind::kWatchdogTimeout, "stopped by --timeout");
}

void LaunchWatch::give_up(FaultKind kind, std::string message) {
  Fault fault;
  fault.kind = kind;
  fault.message = std::move(message);
  fault.kernel = grid_.kernel_name;
  fault.ends_launch = true;
  if (describe_) describe_(fault.details);
  grid_.add_fault(std::move(fault));
  throw kernel::exec::LaunchStopped{};
}

}  // namespace raddle::machine
