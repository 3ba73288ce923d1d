// Where the registers of a function lie in its frame. Registers whose values are never needed at
// the same time share a place, so that the frames of a machine's resident warps stay in the host's
// caches: PTX names a new register for nearly every instruction.
#pragma once

#include <cstdint>
#include <vector>

#include "kernel/module.h"

namespace raddle::kernel::exec {

struct FrameLayout {
  std::vector<std::uint32_t> slots;  // by register: offset in the frame
  std::uint32_t bytes = 0;           // after the last of them
};

// Each register has a place of its own: for code that others read registers of behind its back.
FrameLayout separate_registers(const Function& function);
// No instruction's result lies where one of its operands does, unless they are one register. What
// may be read before it is written keeps a place of its own.
FrameLayout share_places(const Function& function);

// Bytes a lane of a register; 0: a predicate, a bit a lane.
int register_bytes(Type type);
// Bytes of a frame that the lanes of one value take.
std::uint32_t slot_bytes(int bytes_per_lane);

}  // namespace raddle::kernel::exec
