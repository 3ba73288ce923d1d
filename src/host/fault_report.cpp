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

}  // namespace

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
    case FaultKind::kUninitialisedRead:
    case FaultKind::kLeak:
    case FaultKind::kIgnoredError:
    case FaultKind::kHostAccess:
    case FaultKind::kHostRace:
    case FaultKind::kTrap: return cudaErrorLaunchFailure;
  }
  return cudaErrorLaunchFailure;
}

void FaultTally::add(const machine::LaunchResult& launch) {
  std::uint64_t harmless = 0;
  for (const Fault& fault : launch.faults)
    harmless += report::is_harmless(fault.kind) ? fault.count : 0;
  if (launch.fault_count == harmless) return;
  count_ += launch.fault_count - harmless;
  kernels_.insert(launch.kernel);
  for (const Fault& fault : launch.faults) {
    if (report::is_harmless(fault.kind)) continue;
    only_memory_ = only_memory_ && is_memory_fault(fault.kind);
    if (first_.empty())
      first_ = fmt::format("{} {}", fault.message, report::fault_place(&launch, fault));
  }
}

void FaultTally::add(const Fault& fault) {
  if (report::is_harmless(fault.kind)) return;
  count_ += fault.count;
  only_memory_ = false;
  if (first_.empty())
    first_ = fmt::format("{} {}", fault.message, report::fault_place(nullptr, fault));
}

bool FaultTally::is_new(const Fault& fault) {
  return fault.location.empty() || told_.emplace(fault.kind, fault.location, fault.kernel).second;
}

std::string FaultTally::summary() const {
  if (count_ == 0) return {};
  const std::string where = kernels_.empty() ? std::string()
                                             : fmt::format(" in {} kernel{}", kernels_.size(),
                                                           kernels_.size() == 1 ? "" : "s");
  return fmt::format("raddle: {}{} error{}{}; the first: {}\n", count_,
                     only_memory_ ? " memory" : "", count_ == 1 ? "" : "s", where, first_);
}

}  // namespace raddle::host
