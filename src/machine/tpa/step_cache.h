// A backend's step cache: which addresses the backend has referred to in this step, so that each
// address is referred to once. Lines live until the end of the step and hold the entry of the
// scratchpad that belongs to the address, if there is one. Set-associative, random replacement.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

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

  struct Line {
    std::uint64_t key = 0;
    std::uint32_t step = 0;   // that it was used in; another one: the line is free
    std::uint32_t entry = 0;  // of the scratchpad
  };
  struct Found {
    Line* line = nullptr;
    bool hit = false;
    std::uint32_t evicted = kNone;  // the entry of a line of this step that had to go
    bool evicted_line = false;
  };

  StepCache(std::uint32_t lines, std::uint32_t ways, std::uint64_t seed)
      : lines_(lines),
        ways_(ways),
        ways_mask_(std::has_single_bit(ways) ? ways - 1 : 0),
        set_mask_(lines / ways - 1),
        random_(seed) {}

  // All lines are free.
  void start_step() {
    if (++step_ == 0) {
      lines_.assign(lines_.size(), {});
      step_ = 1;
    }
  }

  static std::uint64_t key_of(Word address, ReferenceKind kind, std::uint32_t flow) {
    return address / kWordBytes | static_cast<std::uint64_t>(kind) << 40 |
           static_cast<std::uint64_t>(flow) << 42;
  }

  // The line of the address; after a miss it is the address's new one.
  Found look_up(std::uint64_t key) {
    Line* const set = &lines_[(key & set_mask_) * ways_];
    Line* free = nullptr;
    for (Line* line = set + ways_; line-- != set;) {
      if (line->step != step_) {
        free = line;
      } else if (line->key == key) {
        ++stats_.hits;
        return {line, true};
      }
    }
    ++stats_.misses;
    Found found;
    if (free == nullptr) {
      free = set + (ways_mask_ != 0 ? next_random() & ways_mask_ : next_random() % ways_);
      found.evicted = free->entry;
      found.evicted_line = true;
      ++stats_.evictions;
    }
    *free = {key, step_, kNone};
    found.line = free;
    return found;
  }

  const StepCacheStats& stats() const { return stats_; }
  void add_hits(std::uint64_t hits) { stats_.hits += hits; }

 private:
  std::uint64_t next_random() {
    random_ += 0x9e3779b97f4a7c15U;
    std::uint64_t bits = random_;
    bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9U;
    bits = (bits ^ bits >> 27) * 0x94d049bb133111ebU;
    return bits ^ bits >> 31;
  }

  std::vector<Line> lines_;
  std::uint32_t ways_;
  std::uint32_t ways_mask_;  // not 0: their number is a power of two
  std::uint64_t set_mask_;
  std::uint64_t random_;
  std::uint32_t step_ = 0;
  StepCacheStats stats_;
};

}  // namespace raddle::machine::tpa
