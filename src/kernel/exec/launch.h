// What is to be executed, and what can go wrong on the way: a kernel with its grid and parameters,
// and the faults that its threads commit. Machines, the CUDA runtime and reports speak of these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/program.h"

namespace raddle::kernel::exec {

struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
  std::uint64_t count() const { return std::uint64_t{x} * y * z; }
  bool operator==(const Dim3&) const = default;
};

// What a kernel would rather have more of, where the L1 and shared memory have one memory in
// common.
enum class CachePreference : std::uint8_t { kNone, kShared, kL1, kEqual };

struct Launch {
  FunctionRef kernel;
  Dim3 grid;
  Dim3 block;
  std::uint32_t dynamic_shared_bytes = 0;
  std::vector<std::byte> parameters;  // the kernel's frame, laid out as Function::parameters says
  bool cooperative = false;           // all blocks must be resident together
  CachePreference prefers = CachePreference::kNone;
};

// clang-format off: a table, several names to a line
enum class FaultKind : std::uint8_t {
  kOutOfBounds, kMisaligned, kUseAfterFree, kUninitialisedPointer, kBarrierDivergence, kDeadlock, kTrap, kAssertion,
  kWatchdogCycles, kWatchdogTimeout, kInterrupted, kStackOverflow, kRace, kSameValueRace, kWarpRace,
  kUninitialisedRead, kLeak, kIgnoredError, kHostAccess, kHostRace, kUnsupported,
};
// clang-format on
std::string_view name_of(FaultKind kind);

struct Fault {
  FaultKind kind = FaultKind::kTrap;
  std::string message;       // one line: what, with address and size
  std::string location;      // "file.cu:12", may be empty
  std::uint32_t column = 0;  // in that line, from 1; 0: not known
  std::string source;        // the line's text, where somebody has read it
  std::string kernel;
  Dim3 block{0, 0, 0};               // blockIdx
  Dim3 thread{0, 0, 0};              // threadIdx
  std::vector<std::string> details;  // watchdog and deadlock: where each warp stands
  bool ends_launch = false;
  std::uint64_t count = 1;    // how often it happened; what is told is the first time
  std::uint64_t address = 0;  // of global memory, where the fault is an access to it
};

}  // namespace raddle::kernel::exec
