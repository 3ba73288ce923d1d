// A port that passes so many flits a cycle, packet after packet: what serialises packets on links
// and at the ends of a network. Time is counted in flits, so that a port of several flits a cycle
// passes several small packets in one.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/error.h"
#include "base/units.h"

namespace raddle::memory {

// How many flits carry so many bytes; a packet has at least one.
constexpr std::uint32_t flits_of(ShortBytes bytes, ShortBytes flit_bytes) {
  return std::max(1U, (bytes + flit_bytes - ShortBytes(1)) / flit_bytes);
}

class FlitPort {
 public:
  explicit FlitPort(std::uint32_t flits_per_cycle) : width_(flits_per_cycle) {
    RADDLE_ASSERT(width_ > 0);
  }

  // Whether a packet may begin to pass in this cycle.
  bool free(Cycle now) const { return next_ < (now.count() + 1) * width_; }
  // The first cycle in which one may.
  Cycle next_free() const { return Cycle(next_ / width_); }

  // Passes a packet that begins now and whose last flit is there in `last_flit` at the earliest.
  // Returns the cycle in which the last flit passes.
  Cycle pass(std::uint32_t flits, Cycle now, Cycle last_flit = Cycle(0)) {
    const std::uint64_t begin = std::max(next_, now.count() * width_);
    next_ = std::max(begin + flits, last_flit.count() * width_ + 1);
    return Cycle((next_ - 1) / width_);
  }

 private:
  std::uint64_t width_;
  std::uint64_t next_ = 0;  // the first flit's place that is free, counted from cycle 0
};

}  // namespace raddle::memory
