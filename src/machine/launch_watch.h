// Whether a launch may go on. Every machine looks from time to time, so that --max-cycles,
// --timeout and Ctrl-C end a kernel on all of them in the same way, and whoever watches sees how
// far it is.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kernel/exec/grid_state.h"
#include "machine/machine.h"

namespace raddle::machine {

class LaunchWatch {
 public:
  // Says where the warps stand; goes into the details of the fault.
  using Describe = std::function<void(std::vector<std::string>&)>;

  // Looks at host clocks and progress only at every `interval`-th call, for machines that look
  // every cycle; at the limit of cycles always.
  LaunchWatch(kernel::exec::GridState& grid, const LaunchOptions& options, Describe describe,
              std::uint32_t interval = 1)
      : grid_(grid), options_(options), describe_(std::move(describe)), interval_(interval) {}

  // Throws LaunchStopped, with the fault in the grid, if the launch must end here.
  void look(std::uint64_t cycles, std::uint64_t blocks_done) {
    if (options_.max_cycles != 0 && cycles > options_.max_cycles) stop_for_cycles();
    if (++calls_ < interval_) return;
    calls_ = 0;
    look_at_host(cycles, blocks_done);
  }

 private:
  [[noreturn]] void stop_for_cycles();
  void look_at_host(std::uint64_t cycles, std::uint64_t blocks_done);
  [[noreturn]] void give_up(FaultKind kind, std::string message);

  kernel::exec::GridState& grid_;
  const LaunchOptions& options_;
  Describe describe_;
  std::uint32_t interval_;
  std::uint32_t calls_ = 0;
};

}  // namespace raddle::machine
