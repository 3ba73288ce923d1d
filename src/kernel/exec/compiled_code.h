// Compiled code of a function: what a machine may give the interpreter of a warp to run instead of
// interpreting. It takes lanes that stand together from one place to another as long as they stay
// together, and hands over to the interpreter for everything else: lanes that part, barriers,
// calls, the ends of threads. Registers lie in the same frame for both, so either may go on where
// the other stopped, and results do not depend on who executed what.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernel/exec/decoded.h"

namespace raddle::kernel::exec {

// What compiled code is told, and how it says where it stopped. Compiled code knows the layout.
struct CompiledState {
  std::byte* frame = nullptr;
  std::byte* global = nullptr;  // the byte at kGlobalBase
  std::uint64_t global_bytes = 0;
  std::byte* shared = nullptr;
  std::uint64_t shared_bytes = 0;
  const std::byte* parameters = nullptr;  // the kernel's
  std::int64_t budget = 0;                // warp instructions; it stops where none are left
  // Executes the instruction at pc for these lanes, if there is one, as the interpreter would.
  void (*carry_out)(CompiledState* state, std::uint32_t pc, LaneMask lanes) = nullptr;
  std::uint32_t pc = 0;          // where it begins; in the end where it stopped
  LaneMask mask = 0;             // the lanes, the same from beginning to end
  LaneMask live = 0;             // those of the warp
  std::uint32_t rank_limit = 0;  // lanes wait at a block of this rank: it does not go there
  // In the end: the instruction at pc is to be interpreted, its block is counted; otherwise pc is
  // the beginning of a block that is not counted yet.
  std::uint32_t at_instruction = 0;
};

struct CompiledCode {
  void (*run)(CompiledState* state) = nullptr;
  std::vector<bool> entries;  // by pc: where it can begin
  // Lanes that are apart poll memory, and the interpreter watches for lanes that get nowhere.
  bool only_together = false;
};

}  // namespace raddle::kernel::exec
