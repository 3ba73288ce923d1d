#include "host/fault_report.h"

#include <fmt/format.h>

#include "report/text/fault_list.h"

namespace raddle::host {
namespace {

using machine::Fault;
using machine::FaultKind;

bool is_memory_fault(FaultKind kind) {
  switch (kind) {
    case FaultKind::kOutOfBounds:
    case FaultKind::kMisaligned:
    case FaultKind::kUseAfterFree:
    case FaultKind::kUninitialisedPointer: return true;
    default: return false;
  }
}

std::string place_of(const Fault& fault) {
  std::string text = fault.location.empty() ? std::string("in") : "at " + fault.location + " in";
  text += " kernel " + fault.kernel;
  if (!report::concerns_thread(fault.kind)) return text;
  text += fault.count == 1 ? "," : fmt::format(", {} times, first in", fault.count);
  return text + fmt::format(" block ({},{},{}), thread ({},{},{})", fault.block.x, fault.block.y,
                            fault.block.z, fault.thread.x, fault.thread.y, fault.thread.z);
}

}  // namespace

std::string describe(const Fault& fault) {
  std::string text =
      fmt::format("raddle: {}: {}\n  {}\n", is_harmless(fault.kind) ? "warning" : "error",
                  fault.message, place_of(fault));
  for (const std::string& detail : fault.details) text += fmt::format("  {}\n", detail);
  return text;
}

bool is_harmless(FaultKind kind) { return kind == FaultKind::kSameValueRace; }

cudaError_t error_of(FaultKind kind) {
  switch (kind) {
    case FaultKind::kOutOfBounds:
    case FaultKind::kUseAfterFree:
    case FaultKind::kUninitialisedPointer: return cudaErrorIllegalAddress;
    case FaultKind::kMisaligned: return cudaErrorMisalignedAddress;
    case FaultKind::kAssertion: return cudaErrorAssert;
    case FaultKind::kDeadlock:
    case FaultKind::kWatchdogCycles:
    case FaultKind::kWatchdogTimeout:
    case FaultKind::kInterrupted: return cudaErrorLaunchTimeout;
    case FaultKind::kStackOverflow: return cudaErrorHardwareStackError;
    case FaultKind::kUnsupported: return cudaErrorNotSupported;
    case FaultKind::kBarrierDivergence:
    case FaultKind::kRace:
    case FaultKind::kSameValueRace:
    case FaultKind::kWarpRace:
    case FaultKind::kTrap: return cudaErrorLaunchFailure;
  }
  return cudaErrorLaunchFailure;
}

void FaultTally::add(const machine::LaunchResult& launch) {
  std::uint64_t harmless = 0;
  for (const Fault& fault : launch.faults) harmless += is_harmless(fault.kind) ? fault.count : 0;
  if (launch.fault_count == harmless) return;
  count_ += launch.fault_count - harmless;
  kernels_.insert(launch.kernel);
  for (const Fault& fault : launch.faults) {
    if (is_harmless(fault.kind)) continue;
    only_memory_ = only_memory_ && is_memory_fault(fault.kind);
    if (first_.empty()) first_ = fmt::format("{} {}", fault.message, place_of(fault));
  }
}

bool FaultTally::is_new(const Fault& fault) {
  return fault.location.empty() || told_.emplace(fault.kind, fault.location, fault.kernel).second;
}

std::string FaultTally::summary() const {
  if (count_ == 0) return {};
  return fmt::format("raddle: {}{} error{} in {} kernel{}; the first: {}\n", count_,
                     only_memory_ ? " memory" : "", count_ == 1 ? "" : "s", kernels_.size(),
                     kernels_.size() == 1 ? "" : "s", first_);
}

}  // namespace raddle::host
