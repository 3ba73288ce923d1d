// Whether an instruction that has been executed may have changed memory: so that machines which
// keep time find out threads that poll for ever.
#pragma once

#include <bit>
#include <cstddef>
#include <cstring>

#include "kernel/device_memory.h"
#include "kernel/exec/decoded.h"
#include "kernel/exec/warp.h"

namespace raddle::kernel::exec {

// Loads do, and atomics that find what they would write. `frame` holds the registers of the
// instruction.
inline bool left_memory_alone(const DecodedInstruction& d, const std::byte* frame,
                              const MemoryAccess& access, const DeviceMemory& memory) {
  if (d.ir->opcode == Opcode::kLd) return true;
  if (d.ir->opcode != Opcode::kAtom || d.destination_count == 0 || d.destination[0] == kNoSlot)
    return false;
  for (LaneMask left = access.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(left));
    if (!memory.in_arena(access.address[lane], access.bytes)) return false;
    const std::byte* old = frame + d.destination[0] + lane * d.register_bytes;
    if (std::memcmp(old, memory.view(access.address[lane]), access.bytes) != 0) return false;
  }
  return true;
}

}  // namespace raddle::kernel::exec
