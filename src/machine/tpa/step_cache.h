// A backend's step cache: which addresses the backend has referred to in this step, so that each
// address is referred to once. Lines live until the end of the step and hold the entry of the
// scratchpad that belongs to the address, if there is one. Set-associative, random replacement.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "base/splitmix64.h"
#include "machine/tpa/isa.h"

namespace raddle::machine::tpa {

// References of different kinds to one address have nothing to do with each other.
enum class ReferenceKind : std::uint8_t { kRead, kWrite, kMulti, kPrefix };

struct StepCacheStats {
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;
  std::uint64_t evictions = 0;
};

class StepCache {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  struct Found {
    std::uint32_t* entry = nullptr;  // of the scratchpad, in the address's line; kNone: none yet
    bool hit = false;
    std::uint32_t evicted = kNone;  // the entry of a line of this step that had to go
    bool evicted_own = false;       // that line was of the same kind and flow
  };

  // Lines and ways are powers of two. `folded`: the set of a word is its lowest bits with the next
  // ones laid over them, not the lowest alone.
  StepCache(std::uint32_t lines, std::uint32_t ways, std::uint64_t seed, bool folded = false)
      : keys_(lines),
        entries_(lines),
        sets_(lines / ways),
        ways_(ways),
        set_mask_(lines / ways - 1),
        fold_(folded ? static_cast<std::uint32_t>(std::bit_width(lines / ways - 1)) : kNoFold),
        random_(seed) {}

  // All lines are free.
  void start_step() {
    if (++step_ == 0) {
      sets_.assign(sets_.size(), {});
      step_ = 1;
    }
  }

  static std::uint64_t key_of(Word address, ReferenceKind kind, std::uint32_t flow) {
    return address / kWordBytes | static_cast<std::uint64_t>(kind) << kOwnerShift |
           static_cast<std::uint64_t>(flow) << (kOwnerShift + 2);
  }

  // The line of the address; after a miss it is the address's new one.
  Found look_up(std::uint64_t key) {
    Found found;
    const std::size_t set = set_of(key);
    std::size_t line = set * ways_;
    const std::uint64_t* const keys = &keys_[line];
    const std::uint32_t used = used_of(set);
    for (std::uint32_t way = 0; way < used; ++way) {
      if (keys[way] != key) continue;
      ++stats_.hits;
      found.entry = &entries_[line + way];
      found.hit = true;
      return found;
    }
    ++stats_.misses;
    if (used == ways_) {
      line += victim(keys, key, next_splitmix64(random_) & (ways_ - 1));
      found.evicted = entries_[line];
      found.evicted_own = keys_[line] >> kOwnerShift == key >> kOwnerShift;
      ++stats_.evictions;
    } else {
      line += used;
      sets_[set] = {step_, used + 1};
    }
    keys_[line] = key;
    entries_[line] = kNone;
    found.entry = &entries_[line];
    return found;
  }

  // The same for references of all flows to many addresses, of which nobody needs an entry. Calls
  // hit(i) for those that were referred to before; gives back how many.
  template <class Hit>
  std::size_t look_up_all(const Word* addresses, std::size_t count, ReferenceKind kind, Hit&& hit);

  // The same for words that lie one after the other, for which it is often quicker.
  template <class Hit>
  std::size_t look_up_run(const Word* addresses, std::size_t count, ReferenceKind kind, Hit&& hit) {
    if (replace_run(key_of(addresses[0], kind, 0), count)) return 0;
    return look_up_all(addresses, count, kind, hit);
  }

  std::size_t set_of(std::uint64_t key) const { return (key ^ key >> fold_) & set_mask_; }

  const StepCacheStats& stats() const { return stats_; }
  void add_hits(std::uint64_t hits) { stats_.hits += hits; }

 private:
  static constexpr std::uint32_t kNoFold = 63;      // no key is so large
  static constexpr std::uint32_t kOwnerShift = 40;  // of kind and flow, above the word's number

  // Lines of a set are taken in their order, and none is given back within a step.
  struct Set {
    std::uint32_t step = 0;  // another one: all lines are free
    std::uint32_t used = 0;

    bool operator==(const Set&) const = default;
  };
  static constexpr std::uint32_t kUsualWays = 4;

  // Lines for keys that follow each other, if none has one and all sets are full; else nothing
  // happens, and it gives back false.
  bool replace_run(std::uint64_t key, std::size_t count);
  static bool is_full_without(const Set* sets, Set full, const std::uint64_t* keys,
                              std::uint64_t key, std::size_t count);

  std::uint32_t used_of(std::size_t set) const {
    return sets_[set].step == step_ ? sets_[set].used : 0;
  }
  // A way of a full set. What a flow reduces would lose its entry, so lines of others go first.
  std::uint64_t victim(const std::uint64_t* keys, std::uint64_t key, std::uint64_t chosen) const {
    const auto kind = static_cast<ReferenceKind>(key >> kOwnerShift & 3);
    if (kind == ReferenceKind::kRead || kind == ReferenceKind::kWrite) return chosen;
    for (std::uint64_t i = 0; i < ways_; ++i) {
      const std::uint64_t way = (chosen + i) & (ways_ - 1);
      if (keys[way] >> kOwnerShift != key >> kOwnerShift) return way;
    }
    return chosen;
  }

  // By line: set after set.
  std::vector<std::uint64_t> keys_;
  std::vector<std::uint32_t> entries_;
  std::vector<Set> sets_;
  std::uint32_t ways_;
  std::uint64_t set_mask_;
  std::uint32_t fold_;
  std::uint64_t random_;
  std::uint32_t step_ = 0;
  StepCacheStats stats_;
};

template <class Hit>
std::size_t StepCache::look_up_all(const Word* addresses, std::size_t count, ReferenceKind kind,
                                   Hit&& hit) {
  // Copies, as the compiler cannot know that what is written to lines is none of these.
  const std::uint64_t mask = set_mask_;
  const std::uint32_t fold = fold_;
  const std::uint32_t ways = ways_;
  const std::uint32_t step = step_;
  std::uint64_t* const all_keys = keys_.data();
  std::uint32_t* const all_entries = entries_.data();
  Set* const sets = sets_.data();
  std::uint64_t random = random_;
  std::size_t hits = 0;
  std::size_t evictions = 0;
  std::uint64_t last = ~std::uint64_t{0};
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t key = key_of(addresses[i], kind, 0);
    const std::size_t number = (key ^ key >> fold) & mask;
    Set& set = sets[number];
    const std::size_t line = number * ways;
    const std::uint32_t used = set.step == step ? set.used : 0;
    std::uint64_t* const keys = all_keys + line;
    bool found = key == last;  // neighbours often have the same
    if (!found && used == kUsualWays) [[likely]] {
      // Nobody could foretell in which line it is: all are asked.
      found = ((keys[0] == key) | (keys[1] == key) | (keys[2] == key) | (keys[3] == key)) != 0;
    } else if (!found) {
      found = std::find(keys, keys + used, key) != keys + used;
    }
    last = key;
    if (found) {
      ++hits;
      hit(i);
      continue;
    }
    std::uint32_t way = used;
    if (used == ways) [[likely]] {
      ++evictions;
      way = static_cast<std::uint32_t>(next_splitmix64(random) & (ways - 1));
    } else {
      set = {step, used + 1};
    }
    keys[way] = key;
    all_entries[line + way] = kNone;
  }
  random_ = random;
  stats_.hits += hits;
  stats_.misses += count - hits;
  stats_.evictions += evictions;
  return hits;
}

}  // namespace raddle::machine::tpa
