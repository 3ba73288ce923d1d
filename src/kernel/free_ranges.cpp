#include "kernel/free_ranges.h"

#include <bit>
#include <limits>

#include "base/error.h"

namespace raddle::kernel {
namespace {

// Ranges of the right order of size that may turn out too small before larger ones are preferred.
constexpr std::size_t kTries = 64;

std::size_t size_class(std::uint64_t bytes) {
  return static_cast<std::size_t>(std::bit_width(bytes)) - 1;
}

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace

void FreeRanges::insert(std::uint64_t begin, std::uint64_t end) {
  if (begin == end) return;
  ranges_.emplace(begin, end);
  by_size_[size_class(end - begin)].insert(begin);
}

void FreeRanges::erase(std::map<std::uint64_t, std::uint64_t>::iterator range) {
  by_size_[size_class(range->second - range->first)].erase(range->first);
  ranges_.erase(range);
}

void FreeRanges::add(std::uint64_t begin, std::uint64_t end) {
  const auto next = ranges_.lower_bound(begin);
  if (next != ranges_.begin()) {
    const auto before = std::prev(next);
    RADDLE_ASSERT(before->second <= begin);
    if (before->second == begin) {
      begin = before->first;
      erase(before);
    }
  }
  if (next != ranges_.end()) {
    RADDLE_ASSERT(end <= next->first);
    if (next->first == end) {
      end = next->second;
      erase(next);
    }
  }
  insert(begin, end);
}

void FreeRanges::remove(std::uint64_t begin, std::uint64_t end) {
  const auto after = ranges_.upper_bound(begin);
  RADDLE_ASSERT(after != ranges_.begin());
  const auto holder = std::prev(after);
  const auto [range_begin, range_end] = *holder;
  RADDLE_ASSERT(end <= range_end);
  erase(holder);
  insert(range_begin, begin);
  insert(end, range_end);
}

std::optional<FreeRanges::Place> FreeRanges::find(const Request& request) const {
  const std::optional<Place> quick = find(request, kTries);
  return quick ? quick : find(request, std::numeric_limits<std::size_t>::max());
}

std::optional<FreeRanges::Place> FreeRanges::find(const Request& request,
                                                  std::size_t most_tries) const {
  std::optional<Place> best;
  for (std::size_t n = size_class(request.bytes + request.lead); n < by_size_.size(); ++n) {
    std::size_t tries = 0;
    for (const std::uint64_t begin : by_size_[n]) {
      if (best && best->range < begin) break;
      const std::uint64_t start = round_up(begin + request.lead, request.alignment);
      const std::uint64_t end = ranges_.at(begin);
      if (start <= end && request.bytes <= end - start) {
        best = Place{begin, start};
        break;
      }
      if (++tries == most_tries) break;
    }
  }
  return best;
}

}  // namespace raddle::kernel
