// One launch while it runs: what all its blocks share, and the faults found so far. A fault that
// ends the launch is thrown as LaunchStopped and caught by the machine.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/checks.h"
#include "kernel/exec/decoded.h"
#include "kernel/exec/launch.h"
#include "kernel/exec/warp.h"
#include "kernel/exec/warp_state.h"

namespace raddle::kernel::exec {

struct LaunchStopped {};

struct GridOptions {
  Checks check;                       // what a card would let pass and is to be reported
  std::uint32_t stack_bytes = 65536;  // of each thread
  std::uint32_t multiprocessors = 1;  // for %smid and %nsmid
  // Where all blocks of this state run; without it, blocks are dealt to multiprocessors in turn.
  std::optional<std::uint32_t> multiprocessor{};
  std::function<void(std::string_view)> print;  // device printf
};

class GridState {
 public:
  GridState(Program& program_in, const TextureTable& textures, const DecodedKernel& kernel_in,
            const Launch& launch_in, GridOptions options_in);

  // Index of a function in the kernel's list.
  std::size_t index_of(const DecodedFunction& function) const;
  void add_fault(Fault fault);
  // Turns what an instruction reported into faults; throws LaunchStopped if one of them ends the
  // launch.
  void take_access_faults(WarpState& warp, const DecodedFunction& function,
                          const DecodedInstruction& instruction);
  [[noreturn]] void stop(FaultKind kind, std::string message, const WarpState& warp,
                         const DecodedFunction& function, const DecodedInstruction& instruction,
                         int lane);
  Fault describe(FaultKind kind, std::string message, const WarpState& warp,
                 const DecodedFunction& function, const DecodedInstruction& instruction,
                 int lane) const;

  Program& program;
  const DecodedKernel& kernel;
  const Launch& launch;
  GridOptions options;
  Device device;
  std::uint64_t clock = 0;      // what %clock reads; the machine moves it
  std::uint64_t heap_used = 0;  // by device-side malloc
  FramePool frames;
  std::vector<Fault> faults;  // the first ones
  std::uint64_t fault_count = 0;
  std::string kernel_name;  // demangled
};

}  // namespace raddle::kernel::exec
