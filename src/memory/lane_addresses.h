// What lanes that access memory together have to say: one address a lane, up to 64 lanes, and a
// mask of those that take part. The common case, that all do and each reads on where the one before
// stopped, is found in one pass without branches.
#pragma once

#include <cstdint>
#include <span>

#include "base/error.h"
#include "memory/bits.h"

namespace raddle::memory {

inline constexpr std::size_t kMaxLanes = 64;

struct LaneAddresses {
  std::span<const std::uint64_t> address;  // by lane, at most kMaxLanes
  std::uint64_t mask = 0;
  std::uint32_t bytes = 0;         // of each lane; its address is a multiple of it
  bool known_consecutive = false;  // somebody has looked already; false: nobody knows

  bool is_consecutive() const {
    RADDLE_ASSERT(address.size() <= kMaxLanes);
    if (known_consecutive) return true;
    if (address.empty() || mask != low_bits(address.size())) return false;
    // Others mostly differ in their ends already.
    if (address.back() - address.front() != (address.size() - 1) * bytes) return false;
    std::uint64_t difference = 0;
    std::uint64_t expected = address[0];
    for (const std::uint64_t a : address) {
      difference |= a ^ expected;
      expected += bytes;
    }
    return difference == 0;
  }
};

}  // namespace raddle::memory
