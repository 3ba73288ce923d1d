// Turns the addresses of lanes into the fewest accesses to memory: the distinct aligned segments of
// 32, 64 or 128 bytes that they touch, in the order of the first lane that touches each.
#pragma once

#include <cstdint>
#include <span>

#include "base/address.h"
#include "memory/lane_addresses.h"

namespace raddle::memory {

struct Segment {
  Address address;          // where it starts
  std::uint64_t lanes = 0;  // that touch it
  bool operator==(const Segment&) const = default;
};

// The most segments that lanes can touch: an access that is not aligned may straddle two.
inline constexpr std::size_t kMaxSegments = 2 * kMaxLanes;

// Writes the segments to the front of `out`, which must have room for two a lane, and returns how
// many. `segment_bytes` is a power of two, no smaller than what a lane touches.
std::size_t coalesce(const LaneAddresses& lanes, ShortBytes segment_bytes, std::span<Segment> out);

// How many there are.
std::uint32_t count_segments(const LaneAddresses& lanes, ShortBytes segment_bytes);

}  // namespace raddle::memory
