// Which cycles of each memory module are taken, a bit each: many references wait for one module at
// times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/units.h"

namespace raddle::machine::tpa {

class ModuleTimetable {
 public:
  static constexpr std::uint64_t kWords = 64;  // 4096 cycles

  explicit ModuleTimetable(std::size_t modules) : words_(modules * kWords) {}

  Cycle first_free(std::size_t module, Cycle time) const;
  void take(std::size_t module, Cycle time) {
    words_[word(module, time)] |= std::uint64_t{1} << place_in_word(time);
  }
  // 0: none that is not forgotten.
  Cycle last_taken(std::size_t module) const;
  // Nobody asks for cycles before this one any more.
  void forget(Cycle now);

  // The words themselves, and which of them has a cycle's bit.
  std::uint64_t* words() { return words_.data(); }
  static constexpr Cycle kWordCycles{64};
  static std::size_t word(std::size_t module, Cycle time) {
    return module * kWords + time / kWordCycles % kWords;
  }
  static std::uint64_t place_in_word(Cycle time) { return (time % kWordCycles).count(); }

 private:
  static constexpr Cycle kHorizon = (kWords - 2) * kWordCycles;

  std::vector<std::uint64_t> words_;
  std::uint64_t forgotten_ = 0;  // words
};

}  // namespace raddle::machine::tpa
