// What the user reads when a kernel went wrong: each fault where it happened, and at the end a
// count of them all.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <tuple>

#include "host/cuda_api.h"
#include "machine/launch_result.h"

namespace raddle::host {

// "raddle: error: out-of-bounds load …" and the place, with a newline at the end.
std::string describe(const machine::Fault& fault);

// Worth a warning: the program gives the same result in any order.
bool is_harmless(machine::FaultKind kind);

// The error code that CUDA gives for it.
cudaError_t error_of(machine::FaultKind kind);

// Adds up faults over all launches of a program.
class FaultTally {
 public:
  void add(const machine::LaunchResult& launch);
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
