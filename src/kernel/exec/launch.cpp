#include "kernel/exec/launch.h"

namespace raddle::kernel::exec {

std::string_view name_of(FaultKind kind) {
  switch (kind) {
    case FaultKind::kOutOfBounds: return "out-of-bounds access";
    case FaultKind::kMisaligned: return "misaligned access";
    case FaultKind::kUseAfterFree: return "use after free";
    case FaultKind::kUninitialisedPointer: return "uninitialised pointer";
    case FaultKind::kBarrierDivergence: return "barrier divergence";
    case FaultKind::kDeadlock: return "deadlock";
    case FaultKind::kTrap: return "trap";
    case FaultKind::kAssertion: return "assertion";
    case FaultKind::kWatchdogCycles: return "cycle limit";
    case FaultKind::kWatchdogTimeout: return "time limit";
    case FaultKind::kInterrupted: return "interrupted";
    case FaultKind::kStackOverflow: return "stack overflow";
    case FaultKind::kRace: return "race";
    case FaultKind::kSameValueRace: return "same-value race";
    case FaultKind::kWarpRace: return "warp-synchronous race";
    case FaultKind::kUninitialisedRead: return "uninitialised read";
    case FaultKind::kLeak: return "memory leak";
    case FaultKind::kIgnoredError: return "ignored error";
    case FaultKind::kHostAccess: return "host access to device memory";
    case FaultKind::kHostRace: return "race with the host";
    case FaultKind::kUnsupported: return "not supported";
  }
  return "fault";
}

}  // namespace raddle::kernel::exec
