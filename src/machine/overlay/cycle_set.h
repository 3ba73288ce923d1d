// Cycles in which something is due, not farther ahead than the set is long: a ring of bits, so that
// the next of them is found a word at a time.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace raddle::machine::overlay {

template <std::size_t Length>
class CycleSet {
  static_assert(Length % 64 == 0 && std::has_single_bit(Length));

 public:
  void add(std::uint64_t cycle) { word_of(cycle) |= bit_of(cycle); }
  void remove(std::uint64_t cycle) { word_of(cycle) &= ~bit_of(cycle); }

  // The first cycle of the set that is not before `from`, or `limit` if that comes first.
  std::uint64_t next(std::uint64_t from, std::uint64_t limit) const {
    for (std::uint64_t at = from; at < limit;) {
      const std::uint64_t word = words_[at / 64 % kWords] >> at % 64;
      if (word != 0) {
        const std::uint64_t found = at + static_cast<unsigned>(std::countr_zero(word));
        return found < limit ? found : limit;
      }
      at += 64 - at % 64;
    }
    return limit;
  }

 private:
  static constexpr std::size_t kWords = Length / 64;
  static std::uint64_t bit_of(std::uint64_t cycle) { return std::uint64_t{1} << cycle % 64; }
  std::uint64_t& word_of(std::uint64_t cycle) { return words_[cycle / 64 % kWords]; }

  std::array<std::uint64_t, kWords> words_{};
};

}  // namespace raddle::machine::overlay
