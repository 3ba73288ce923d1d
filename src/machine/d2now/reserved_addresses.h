// The reserved address table of CacheFlow: the lines that were prefetched for threads of the firing
// queue and for the running one (DDM §3). A prefetch that would push one of them out of its set is
// a false conflict. To foresee which line the cache will let go, the least recently used, the table
// also knows the order in which lines of a set were prefetched and used, and keeps those of threads
// that have ended until others have taken their place.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "machine/d2now/node_memory.h"

namespace raddle::machine::d2now {

class ReservedAddresses {
 public:
  ReservedAddresses(std::uint32_t sets, std::uint32_t ways) : ways_(ways), sets_(sets) {}

  // Whether prefetching the lines would push out one that is reserved for another thread. Lines
  // that push out each other do not count: waiting would not help them.
  bool would_conflict(std::span<const Line> lines);
  // They are prefetched.
  void reserve(std::span<const Line> lines);
  // They have been used.
  void release(std::span<const Line> lines);
  bool is_reserved(Line line) const;

 private:
  struct Entry {
    Line line = 0;
    std::uint32_t threads = 0;  // that it is reserved for
  };
  using Set = std::vector<Entry>;  // least recently used first
  static void use(Set& set, Set::iterator entry);
  void forget_unreserved(Set& set) const;
  std::uint32_t set_of(Line line) const {
    return line & (static_cast<std::uint32_t>(sets_.size()) - 1);
  }

  std::uint32_t ways_;
  std::vector<Set> sets_;
  std::vector<Line> sorted_;  // scratch
};

}  // namespace raddle::machine::d2now
