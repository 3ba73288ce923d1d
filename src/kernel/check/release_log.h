// What fences with atomics order (PTX, memory consistency model): a thread that writes a location
// atomically after a fence releases what came before the fence; one that then reads the location
// atomically has acquired it, and with it all that the first had acquired itself. Locations keep
// their releases in order, and who acquires remembers how many there were.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "kernel/check/shadow_memory.h"

namespace raddle::kernel::check {

// What a thread's fence covers: accesses of its own, of its warp and of its block before these
// stamps.
struct Coverage {
  std::uint32_t own = 0;  // 0: no fence yet
  std::uint32_t warp = 0;
  std::uint32_t block = 0;
  bool operator==(const Coverage&) const = default;
};

// By location, how many of its releases are known.
using Acquired = std::unordered_map<std::uint32_t, std::uint32_t>;
void join(Acquired& into, const Acquired& from);

class ReleaseLog {
 public:
  // Whether anything was released at all.
  bool empty() const { return locations_.empty(); }

  // `now`: the stamp of the releasing access.
  void release(std::uint64_t address, const Record& now, const Coverage& coverage,
               bool within_block, const Acquired& known);
  void acquire(std::uint64_t address, Acquired& known) const;
  // Whether the access comes before what has acquired this. `block` asks.
  bool covers(const Acquired& known, const Record& access, std::uint32_t block) const;
  // Too much to remember: everything counts as ordered from now on.
  bool is_full() const { return releases_ >= kMaxReleases; }

 private:
  static constexpr std::size_t kMaxReleases = std::size_t{1} << 22;

  struct Release {
    std::uint32_t position = 0;  // among all releases of the location
    std::uint32_t thread = 0;
    std::uint32_t stamp = 0;    // when; those of a block rise
    bool within_block = false;  // a fence for the block alone
    Coverage coverage;
  };
  struct Location {
    std::uint32_t count = 0;
    std::unordered_map<std::uint32_t, std::vector<Release>> by_block;
    // What those who released it had acquired elsewhere, ever: rather too much than too little, so
    // that nothing is reported that is ordered.
    Acquired inherited;
  };

  bool covers_indirectly(const Acquired& known, const Record& access, std::uint32_t block) const;
  bool covers(const Location& location, std::uint32_t count, const Record& access,
              std::uint32_t block) const;

  std::unordered_map<std::uint64_t, std::uint32_t> index_;  // by address
  std::vector<Location> locations_;
  std::size_t releases_ = 0;
};

}  // namespace raddle::kernel::check
