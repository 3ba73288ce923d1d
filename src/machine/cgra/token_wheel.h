// Sets of units, and the units to look at in each of the next cycles: a wheel of such sets, one for
// each cycle that lies no further ahead than the longest delay.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "base/error.h"

namespace raddle::machine::cgra {

class UnitSet {
 public:
  explicit UnitSet(std::size_t units = 0) : words_((units + 63) / 64) {}

  void add(std::uint32_t unit) { words_[unit / 64] |= std::uint64_t{1} << unit % 64; }
  void remove(std::uint32_t unit) { words_[unit / 64] &= ~(std::uint64_t{1} << unit % 64); }
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

  // In ascending order; units that are added meanwhile may be left out.
  template <class Function>
  void for_each(Function&& function) const {
    for (std::size_t i = 0; i < words_.size(); ++i) for_bits(i, words_[i], function);
  }
  // From unit `first` on, then those before it.
  template <class Function>
  void for_each_from(std::uint32_t first, Function&& function) const {
    const std::size_t start = first / 64;
    const std::uint64_t before = (std::uint64_t{1} << first % 64) - 1;
    for_bits(start, words_[start] & ~before, function);
    for (std::size_t i = start + 1; i < words_.size(); ++i) for_bits(i, words_[i], function);
    for (std::size_t i = 0; i < start; ++i) for_bits(i, words_[i], function);
    for_bits(start, words_[start] & before, function);
  }

 private:
  template <class Function>
  static void for_bits(std::size_t place, std::uint64_t bits, Function&& function) {
    for (; bits != 0; bits &= bits - 1)
      function(static_cast<std::uint32_t>(place * 64) +
               static_cast<std::uint32_t>(std::countr_zero(bits)));
  }

  std::vector<std::uint64_t> words_;
};

class TokenWheel {
 public:
  // For delays of at most so many cycles.
  TokenWheel(std::size_t units, std::uint32_t longest)
      : words_((units + 63) / 64),
        shift_(static_cast<std::uint32_t>(std::bit_width(words_ - 1))),
        mask_(std::bit_ceil(std::uint64_t{longest} + 2) - 1),
        bits_((mask_ + 1) << shift_) {}

  void add(std::uint32_t unit, std::uint64_t cycle) {
    bits_[((cycle & mask_) << shift_) + unit / 64] |= std::uint64_t{1} << unit % 64;
  }
  // Moves those of this cycle to the set.
  void take(std::uint64_t cycle, UnitSet& set) {
    std::uint64_t* const bits = bits_.data() + ((cycle & mask_) << shift_);
    for (std::size_t i = 0; i < words_; ++i) {
      set.word(i) |= bits[i];
      bits[i] = 0;
    }
  }
  // The first cycle behind `now` with units in it; ~0 if there is none.
  std::uint64_t next(std::uint64_t now) const {
    for (std::uint64_t ahead = 1; ahead <= mask_; ++ahead) {
      const std::uint64_t* const bits = bits_.data() + (((now + ahead) & mask_) << shift_);
      for (std::size_t i = 0; i < words_; ++i) {
        if (bits[i] != 0) return now + ahead;
      }
    }
    return ~std::uint64_t{0};
  }

 private:
  std::size_t words_;    // of a set
  std::uint32_t shift_;  // log2 of the words from one set to the next
  std::uint64_t mask_;
  std::vector<std::uint64_t> bits_;  // by cycle, then by unit
};

}  // namespace raddle::machine::cgra
