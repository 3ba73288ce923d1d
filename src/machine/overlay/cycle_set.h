// Cycles in which something is due, not farther ahead than the set is long: a ring of bits, so that
// the next of them is found a word at a time.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/units.h"

namespace raddle::machine::overlay {

template <std::size_t Length>
class CycleSet {
  static_assert(Length % 64 == 0 && std::has_single_bit(Length));

 public:
  void add(Cycle cycle) { words_[word_of(cycle)] |= bit_of(cycle); }
  void remove(Cycle cycle) { words_[word_of(cycle)] &= ~bit_of(cycle); }

  // The first cycle of the set that is not before `from`, or `limit` if that comes first.
  Cycle next(Cycle from, Cycle limit) const {
    for (Cycle at = from; at < limit;) {
      const std::uint64_t word = words_[word_of(at)] >> place_in_word(at);
      if (word != 0) {
        const Cycle found = at + Cycle(static_cast<unsigned>(std::countr_zero(word)));
        return found < limit ? found : limit;
      }
      at += kWordCycles - at % kWordCycles;
    }
    return limit;
  }

 private:
  static constexpr std::size_t kWords = Length / 64;
  static constexpr Cycle kWordCycles{64};
  static std::size_t word_of(Cycle cycle) { return cycle / kWordCycles % kWords; }
  static std::uint64_t place_in_word(Cycle cycle) { return (cycle % kWordCycles).count(); }
  static std::uint64_t bit_of(Cycle cycle) { return std::uint64_t{1} << place_in_word(cycle); }

  std::array<std::uint64_t, kWords> words_{};
};

}  // namespace raddle::machine::overlay
