// Sets of units, and the units to look at in each of the next cycles: a wheel of such sets, one for
// each cycle that lies no further ahead than the longest delay.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "base/error.h"
#include "base/units.h"
#include "sim/clock.h"

namespace raddle::machine::cgra {

class UnitSet {
 public:
  explicit UnitSet(std::size_t units = 0) : words_((units + 63) / 64) {}

  void add(std::uint32_t unit) { words_[unit / 64] |= std::uint64_t{1} << unit % 64; }
  void remove(std::uint32_t unit) { words_[unit / 64] &= ~(std::uint64_t{1} << unit % 64); }
  bool contains(std::uint32_t unit) const { return (words_[unit / 64] >> unit % 64 & 1) != 0; }
  void clear() {
    for (std::uint64_t& word : words_) word = 0;
  }
  bool empty() const {
    for (const std::uint64_t word : words_) {
      if (word != 0) return false;
    }
    return true;
  }
  std::uint64_t& word(std::size_t i) { return words_[i]; }
  std::size_t words() const { return words_.size(); }

  // In ascending order; units that are added meanwhile may be left out. Part of the loop that calls
  // it, so that all of it is compiled for the host that the loop is for.
  template <class Function>
  [[gnu::always_inline]] void for_each(Function&& function) const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      for (std::uint64_t bits = words_[i]; bits != 0; bits &= bits - 1)
        function(static_cast<std::uint32_t>(i * 64) +
                 static_cast<std::uint32_t>(std::countr_zero(bits)));
    }
  }
  // From unit `first` on, then those before it.
  template <class Function>
  [[gnu::always_inline]] void for_each_from(std::uint32_t first, Function&& function) const {
    const std::size_t words = words_.size();
    const std::uint64_t before = (std::uint64_t{1} << first % 64) - 1;
    std::size_t place = first / 64;
    // The first word comes twice.
    for (std::size_t passed = 0; passed <= words;
         ++passed, place = place + 1 == words ? 0 : place + 1) {
      std::uint64_t bits = words_[place];
      if (passed == 0) bits &= ~before;
      if (passed == words) bits &= before;
      for (; bits != 0; bits &= bits - 1)
        function(static_cast<std::uint32_t>(place * 64) +
                 static_cast<std::uint32_t>(std::countr_zero(bits)));
    }
  }

 private:
  std::vector<std::uint64_t> words_;
};

// Where a unit is in a wheel.
struct WheelPlace {
  std::uint64_t* sets = nullptr;  // that part of the sets which it is in, cycle by cycle
  std::uint64_t bit = 0;          // the unit's
};

class TimingWheel {
 public:
  // For delays of at most `longest`.
  TimingWheel(std::size_t units, Cycle longest)
      : words_((units + 63) / 64),
        mask_(static_cast<std::uint32_t>(std::bit_ceil(longest.count() + 2) - 1)),
        bits_(words_ * (std::size_t{mask_} + 1)) {}

  // Valid for as long as the wheel.
  WheelPlace place_of(std::uint32_t unit) {
    return {row(unit / 64), std::uint64_t{1} << unit % 64};
  }
  void add(const WheelPlace& place, Cycle cycle) { place.sets[set_of(cycle)] |= place.bit; }
  void add(std::uint32_t unit, Cycle cycle) { add(place_of(unit), cycle); }
  // Moves those of this cycle to the set.
  void take(Cycle cycle, UnitSet& set) {
    for (std::size_t i = 0; i < words_; ++i) {
      std::uint64_t& bits = row(i)[set_of(cycle)];
      set.word(i) |= bits;
      bits = 0;
    }
  }
  // The first cycle after `now` with units in it; kNever if there is none.
  Cycle next(Cycle now) const {
    for (Cycle cycle = now + Cycle(1); cycle <= now + Cycle(mask_); ++cycle) {
      for (std::size_t i = 0; i < words_; ++i) {
        if (bits_[i * (std::size_t{mask_} + 1) + set_of(cycle)] != 0) return cycle;
      }
    }
    return sim::kNever;
  }

 private:
  std::size_t set_of(Cycle cycle) const { return cycle.count() & mask_; }
  std::uint64_t* row(std::size_t word) { return bits_.data() + word * (std::size_t{mask_} + 1); }

  std::size_t words_;  // of a set
  std::uint32_t mask_;
  std::vector<std::uint64_t> bits_;  // by part of a set, then by cycle
};

}  // namespace raddle::machine::cgra
