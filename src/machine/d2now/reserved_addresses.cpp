#include "machine/d2now/reserved_addresses.h"

#include <algorithm>

#include "base/error.h"

namespace raddle::machine::d2now {

bool ReservedAddresses::would_conflict(std::span<const Line> lines) {
  sorted_.assign(lines.begin(), lines.end());
  std::ranges::sort(sorted_, {}, [this](Line line) { return set_of(line); });
  for (std::size_t first = 0; first < sorted_.size();) {
    const std::uint32_t set = set_of(sorted_[first]);
    std::size_t added = 0, wanted = 0;
    for (; first < sorted_.size() && set_of(sorted_[first]) == set; ++first) {
      ++wanted;
      if (!is_reserved(sorted_[first])) ++added;
    }
    const std::size_t reserved = sets_[set].size();
    const bool others_hold_ways = reserved + added > wanted;
    if (others_hold_ways && added > 0 && reserved + added > ways_) return true;
  }
  return false;
}

void ReservedAddresses::reserve(std::span<const Line> lines) {
  for (const Line line : lines) {
    std::vector<Entry>& set = sets_[set_of(line)];
    const auto found = std::ranges::find(set, line, &Entry::line);
    if (found != set.end()) {
      ++found->threads;
    } else {
      set.push_back({line, 1});
    }
  }
}

void ReservedAddresses::release(std::span<const Line> lines) {
  for (const Line line : lines) {
    std::vector<Entry>& set = sets_[set_of(line)];
    const auto found = std::ranges::find(set, line, &Entry::line);
    RADDLE_ASSERT(found != set.end());
    if (--found->threads == 0) set.erase(found);
  }
}

bool ReservedAddresses::is_reserved(Line line) const {
  const std::vector<Entry>& set = sets_[set_of(line)];
  return std::ranges::find(set, line, &Entry::line) != set.end();
}

}  // namespace raddle::machine::d2now
