// Leaves out touches of the line that its set touched last: what is left makes the same misses in
// every LRU cache with as many sets or more (Puzak, 1985). A store to a line that was only loaded
// is kept.
#pragma once

#include <array>
#include <cstdint>

namespace raddle::ddm {

class TouchFilter {
 public:
  static constexpr std::size_t kSets = 128;

  void clear() { entries_.fill({}); }
  // Whether the touch must be told.
  bool passes(std::uint32_t line, bool is_store) {
    Entry& entry = entries_[line % kSets];
    if (entry.line == line && (entry.stored || !is_store)) return false;
    entry = {line, is_store};
    return true;
  }

 private:
  struct Entry {
    std::uint32_t line = ~std::uint32_t{0};
    bool stored = false;
  };
  std::array<Entry, kSets> entries_;
};

}  // namespace raddle::ddm
