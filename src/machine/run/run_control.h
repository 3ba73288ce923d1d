// What may end a run early, and who watches it: the cycle limit (--max-cycles), the deadline
// (--timeout), interruption (SIGINT, SIGTERM) and the progress line. There is one for a run, and
// every machine asks it, so that limits mean the same on all of them: a run that needs more than N
// cycles ends at cycle N exactly, and its result is partial.
//
// A machine compares its clock with cycle_limit() itself, as only it knows when a cycle ends, and
// throws limit_reached() there. Everything else is look(), which takes some tens of nanoseconds and
// is called every few microseconds to milliseconds of host time.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>

#include "base/stop_token.h"
#include "base/units.h"
#include "kernel/exec/launch.h"

namespace raddle::machine {

// How far a run has come, for whoever watches it.
struct LaunchProgress {
  Cycle cycles;
  std::uint64_t blocks_done = 0;
  std::uint64_t blocks = 0;  // 0: not known
};

// Thrown where a run must end. The machine catches it and says in its result how far it came.
struct RunStopped {
  kernel::exec::FaultKind kind = kernel::exec::FaultKind::kInterrupted;
  std::string message;

  // As it goes into the result of this kernel or program.
  kernel::exec::Fault fault(std::string kernel) const;
};

class RunControl {
 public:
  static constexpr Cycle kUnlimited{std::numeric_limits<std::uint64_t>::max()};
  // Called often, so it looks at the clock itself.
  using Progress = std::function<void(const LaunchProgress&)>;

  RunControl() = default;  // nothing ends the run, nobody watches
  explicit RunControl(Cycle max_cycles, StopToken stop = {}, Progress progress = {})
      : max_cycles_(max_cycles), stop_(stop), progress_(std::move(progress)) {}

  bool has_cycle_limit() const { return max_cycles_ != Cycle(0); }
  // The cycle at which a run that began at `start` has reached its limit.
  Cycle cycle_limit(Cycle start = Cycle(0)) const {
    return !has_cycle_limit() || max_cycles_ > kUnlimited - start ? kUnlimited
                                                                  : start + max_cycles_;
  }
  // To be thrown where a run needs more cycles than that.
  RunStopped limit_reached() const;
  // Tells whoever watches, and throws RunStopped if the user wants the run to end.
  void look(const LaunchProgress& progress) const;

 private:
  Cycle max_cycles_;  // 0: no limit
  StopToken stop_;
  Progress progress_;
};

}  // namespace raddle::machine
