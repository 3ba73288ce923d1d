// From the addresses in registers to bytes on the host: the first half of every memory instruction.
// Finds the address space of generic addresses, checks each lane's access, and leaves in
// Warp::access what a machine wants to know about it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernel/exec/warp.h"

namespace raddle::kernel::exec {

struct ResolvedAccess {
  LaneMask valid = 0;               // lanes whose access may go ahead
  std::byte* contiguous = nullptr;  // all lanes valid and one after the other, starting here
  std::byte* indexed =
      nullptr;  // all lanes valid: lane i's bytes are at indexed + Warp::access.address[i]
  std::array<std::byte*, kLanes> lane;  // otherwise: where each valid lane's bytes are
  std::byte* place(const Warp& warp, std::size_t i, std::uint32_t bytes) const {
    if (contiguous != nullptr) return contiguous + i * bytes;
    return indexed != nullptr ? indexed + warp.access().address[i] : lane[i];
  }
};

enum class AccessKind : std::uint8_t { kLoad, kStore, kAtomic };

// `bytes` is what each lane touches. Faults of lanes that are not valid are in Warp::faults.
void resolve_access(const DecodedInstruction& instruction, Warp& warp, LaneMask mask,
                    std::uint32_t bytes, AccessKind kind, ResolvedAccess& out);

}  // namespace raddle::kernel::exec
