// The frontend's way to its memory: level 1 caches for instructions and data, a level 2 cache for
// both, and a prefetcher that fetches the lines after the one that is used. Gives the cycles that
// an access waits.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/tpa/tpa_parameters.h"
#include "memory/tag_array.h"

namespace raddle::machine::tpa {

struct FrontCacheStats {
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;
  std::uint64_t late = 0;  // hits on a line that was still on its way
};

class FrontCaches {
 public:
  explicit FrontCaches(const FrontendParameters& parameters);

  // Brings the lines of a program in, as if it had run before.
  void warm(std::uint64_t lines);

  // Cycles that the access waits, if it is made at `now`.
  Cycle fetch(std::uint64_t line_number, Cycle now);
  Cycle access(Address address, Cycle now);

  const FrontCacheStats& instructions() const { return l1i_.stats; }
  const FrontCacheStats& data() const { return l1d_.stats; }
  const FrontCacheStats& second() const { return l2_.stats; }

 private:
  struct Level {
    Level(ShortBytes bytes, const FrontendParameters& parameters);
    memory::TagArray tags;
    std::vector<Cycle> ready;  // by line: when it is there
    FrontCacheStats stats;
  };

  Cycle look_up(Level& level, Address address, Cycle now, bool demanded);
  Cycle from_second(Address address, Cycle now);
  void prefetch(Level& level, Address address, Cycle now);

  const FrontendParameters& parameters_;
  Level l1i_, l1d_, l2_;
};

}  // namespace raddle::machine::tpa
