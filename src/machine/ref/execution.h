// One launch on the reference machine: what all its blocks share, the counters, and the faults
// found. A fault that ends the launch is thrown as LaunchStopped and caught by the machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernel/exec/decoded.h"
#include "kernel/exec/warp.h"
#include "machine/machine.h"
#include "machine/ref/access_counters.h"
#include "machine/ref/activation.h"
#include "machine/ref/communication.h"

namespace raddle::machine::ref {

struct LaunchStopped {};

// How often each block of a function ran, and how often guards kept lanes out. Classes follow from
// these at the end.
struct FunctionCounters {
  std::vector<std::uint64_t> block_warps;
  std::vector<std::uint64_t> block_threads;
  std::vector<std::uint64_t> skipped_threads;  // by instruction: active lanes whose guard was off
};

struct Execution {
  Execution(kernel::Program& program_in, const kernel::TextureTable& textures,
            const kernel::exec::DecodedKernel& kernel_in, const Launch& launch_in,
            const LaunchOptions& options_in);

  // Index of a function in the kernel's list, for `functions`.
  std::size_t index_of(const kernel::exec::DecodedFunction& function) const;
  void add_fault(Fault fault);
  // Turns what an instruction reported into faults; throws LaunchStopped if one of them ends the
  // launch.
  void take_access_faults(WarpState& warp, const kernel::exec::DecodedFunction& function,
                          const kernel::exec::DecodedInstruction& instruction);
  [[noreturn]] void stop(FaultKind kind, std::string message, const WarpState& warp,
                         const kernel::exec::DecodedFunction& function,
                         const kernel::exec::DecodedInstruction& instruction, int lane);
  Fault describe(FaultKind kind, std::string message, const WarpState& warp,
                 const kernel::exec::DecodedFunction& function,
                 const kernel::exec::DecodedInstruction& instruction, int lane) const;

  kernel::Program& program;
  const kernel::exec::DecodedKernel& kernel;
  const Launch& launch;
  const LaunchOptions& options;
  kernel::exec::Device device;
  std::uint32_t stack_bytes = 65536;
  std::uint64_t clock = 0;  // warp instructions so far: the reference machine issues one a cycle
  std::vector<FunctionCounters> functions;
  AccessCounters accesses;
  FramePool frames;
  std::optional<Communication> communication;  // where asked for
  std::uint64_t branches = 0;
  std::uint64_t divergent_branches = 0;
  std::uint64_t barrier_arrivals = 0;
  std::vector<Fault> faults;  // the first kKeptFaults
  std::uint64_t fault_count = 0;
  std::string kernel_name;  // demangled
};

}  // namespace raddle::machine::ref
