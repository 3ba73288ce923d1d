// Loops over the addresses of a warp's memory access, in the best version for this host (compiled
// with the lane loops).
#pragma once

#include <cstdint>

namespace raddle::kernel::exec {

// What 32 addresses have in common, found in one pass.
struct AddressScan {
  std::uint64_t outside = 0;   // top bit set: some address is outside [start, start + limit]
  std::uint64_t jump = 0;      // 0: each address is `stride` after the one before
  std::uint64_t low_bits = 0;  // or of all addresses: misalignment shows in its low bits
};

struct AddressLoops {
  // Writes address[i] = base[i] + offset and scans them.
  AddressScan (*scan)(const std::uint64_t* base, std::uint64_t offset, std::uint64_t start,
                      std::uint64_t limit, std::uint64_t stride, std::uint64_t* address);
  // Whether address[i] - address[0] is delta[i] for every lane.
  bool (*same_pattern)(const std::uint64_t* address, const std::uint64_t* delta);
};

const AddressLoops& address_loops();

}  // namespace raddle::kernel::exec
