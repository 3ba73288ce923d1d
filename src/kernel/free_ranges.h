// What is free of a stretch of addresses, indexed by address and by size, so that the lowest place
// for a request is found without walking all ranges. Neighbours are merged; the same calls give the
// same places.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>

namespace raddle::kernel {

class FreeRanges {
 public:
  // `start` is where the bytes go; the free range that they lie in begins at `range`.
  struct Place {
    std::uint64_t range = 0;
    std::uint64_t start = 0;
  };
  struct Request {
    std::uint64_t bytes = 0;
    std::uint64_t alignment = 1;
    std::uint64_t lead = 0;  // stays free of the request at the start of the range
  };

  // [begin, end) becomes free; nothing of it was.
  void add(std::uint64_t begin, std::uint64_t end);
  // [begin, end) is no longer free; it lay in one free range.
  void remove(std::uint64_t begin, std::uint64_t end);
  // The lowest place that fits. Where very many ranges are nearly large enough, a higher one may be
  // taken; nothing is given only if nothing fits.
  std::optional<Place> find(const Request& request) const;

 private:
  using Starts = std::set<std::uint64_t>;

  void insert(std::uint64_t begin, std::uint64_t end);
  void erase(std::map<std::uint64_t, std::uint64_t>::iterator range);
  std::optional<Place> find(const Request& request, std::size_t most_tries) const;

  std::map<std::uint64_t, std::uint64_t> ranges_;  // end by begin
  std::array<Starts, 64> by_size_;                 // [n]: ranges of 2^n to 2^(n+1) - 1 bytes
};

}  // namespace raddle::kernel
