// The reserved address table of CacheFlow: the lines that were prefetched for threads of the firing
// queue and for the running one (DDM §3). A prefetch that would push one of them out of its set is
// a false conflict.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "machine/d2now/node_memory.h"

namespace raddle::machine::d2now {

class ReservedAddresses {
 public:
  ReservedAddresses(std::uint32_t sets, std::uint32_t ways) : ways_(ways), sets_(sets) {}

  // Whether the lines, together with those reserved, need more ways than a set has. Lines that
  // would not fit even alone do not count: waiting would not help them.
  bool would_conflict(std::span<const Line> lines);
  void reserve(std::span<const Line> lines);
  void release(std::span<const Line> lines);
  bool is_reserved(Line line) const;

 private:
  struct Entry {
    Line line = 0;
    std::uint32_t threads = 0;
  };
  std::uint32_t set_of(Line line) const {
    return line & (static_cast<std::uint32_t>(sets_.size()) - 1);
  }

  std::uint32_t ways_;
  std::vector<std::vector<Entry>> sets_;
  std::vector<Line> sorted_;  // scratch
};

}  // namespace raddle::machine::d2now
