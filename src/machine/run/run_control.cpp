#include "machine/run/run_control.h"

#include <fmt/format.h>

#include <utility>

namespace raddle::machine {

using kernel::exec::Fault;
using kernel::exec::FaultKind;

Fault RunStopped::fault(std::string kernel) const {
  Fault fault;
  fault.kind = kind;
  fault.message = message;
  fault.kernel = std::move(kernel);
  fault.ends_launch = true;
  return fault;
}

RunStopped RunControl::limit_reached() const {
  return {FaultKind::kWatchdogCycles,
          fmt::format("stopped after {} cycles (--max-cycles)", max_cycles_.count())};
}

void RunControl::look(const LaunchProgress& progress) const {
  if (progress_) progress_(progress);
  switch (stop_.reason()) {
    case StopReason::kNone: return;
    case StopReason::kInterrupted: throw RunStopped{FaultKind::kInterrupted, "interrupted"};
    case StopReason::kTimeout:
      throw RunStopped{FaultKind::kWatchdogTimeout, "stopped by --timeout"};
  }
}

}  // namespace raddle::machine
