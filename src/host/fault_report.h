// What becomes of faults of kernels: the error codes of the API, and at the end of the program a
// count of them all.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <tuple>

#include "host/cuda_api.h"
#include "machine/launch_result.h"

namespace raddle::host {

// The error code that CUDA gives for it.
cudaError_t error_of(machine::FaultKind kind);

// Adds up faults over all launches of a program.
class FaultTally {
 public:
  void add(const machine::LaunchResult& launch);
  // Of the host's part of the program.
  void add(const machine::Fault& fault);
  std::uint64_t count() const { return count_; }
  // Whether no launch before had a fault of this kind at this place. True once.
  bool is_new(const machine::Fault& fault);
  // "raddle: 12 memory errors in 2 kernels; the first: …", or empty when there were none.
  std::string summary() const;

 private:
  std::uint64_t count_ = 0;
  bool only_memory_ = true;
  std::set<std::string> kernels_;
  std::string first_;
  std::set<std::tuple<machine::FaultKind, std::string, std::string>> told_;
};

}  // namespace raddle::host
