#include "machine/d2now/reserved_addresses.h"

#include <algorithm>

#include "base/error.h"

namespace raddle::machine::d2now {

bool ReservedAddresses::would_conflict(std::span<const Line> lines) {
  sorted_.assign(lines.begin(), lines.end());
  std::ranges::sort(sorted_, {}, [this](Line line) { return set_of(line); });
  for (auto first = sorted_.begin(); first != sorted_.end();) {
    const Set& set = sets_[set_of(*first)];
    const auto last = std::find_if(first, sorted_.end(),
                                   [&](Line line) { return set_of(line) != set_of(*first); });
    const auto is_wanted = [&](const Entry& entry) {
      return std::find(first, last, entry.line) != last;
    };
    const auto added = static_cast<std::size_t>(last - first) -
                       static_cast<std::size_t>(std::ranges::count_if(set, is_wanted));
    std::size_t pushed_out = set.size() + added > ways_ ? set.size() + added - ways_ : 0;
    if (added == 0) pushed_out = 0;
    for (const Entry& entry : set) {
      if (pushed_out == 0) break;
      if (is_wanted(entry)) continue;
      if (entry.threads > 0) return true;
      --pushed_out;
    }
    first = last;
  }
  return false;
}

void ReservedAddresses::reserve(std::span<const Line> lines) {
  for (const Line line : lines) {
    Set& set = sets_[set_of(line)];
    const auto found = std::ranges::find(set, line, &Entry::line);
    if (found != set.end()) {
      ++found->threads;
      use(set, found);
    } else {
      set.push_back({line, 1});
      forget_unreserved(set);
    }
  }
}

void ReservedAddresses::release(std::span<const Line> lines) {
  for (const Line line : lines) {
    Set& set = sets_[set_of(line)];
    const auto found = std::ranges::find(set, line, &Entry::line);
    RADDLE_ASSERT(found != set.end() && found->threads > 0);
    --found->threads;
    use(set, found);
    forget_unreserved(set);
  }
}

void ReservedAddresses::use(Set& set, Set::iterator entry) {
  std::rotate(entry, entry + 1, set.end());
}

void ReservedAddresses::forget_unreserved(Set& set) const {
  while (set.size() > ways_) {
    const auto oldest = std::ranges::find(set, 0U, &Entry::threads);
    if (oldest == set.end()) return;
    set.erase(oldest);
  }
}

bool ReservedAddresses::is_reserved(Line line) const {
  const Set& set = sets_[set_of(line)];
  const auto found = std::ranges::find(set, line, &Entry::line);
  return found != set.end() && found->threads > 0;
}

}  // namespace raddle::machine::d2now
