#include "machine/tpa/module_timetable.h"

#include <algorithm>
#include <bit>

namespace raddle::machine::tpa {

Cycle ModuleTimetable::first_free(std::size_t module, Cycle time) const {
  const auto first = [](std::uint64_t free) {
    return Cycle(static_cast<std::uint64_t>(std::countr_zero(free)));
  };
  std::uint64_t free = ~words_[word(module, time)] >> place_in_word(time);
  if (free != 0) return time + first(free);
  for (Cycle at = (time / kWordCycles + 1) * kWordCycles;; at += kWordCycles) {
    free = ~words_[word(module, at)];
    if (free != 0) return at + first(free);
    if (at > time + kHorizon) return at;  // refused by whoever asked
  }
}

Cycle ModuleTimetable::last_taken(std::size_t module) const {
  for (std::uint64_t word_number = forgotten_ + kWords; word_number-- > forgotten_;) {
    const Cycle begin = word_number * kWordCycles;
    const std::uint64_t taken = words_[word(module, begin)];
    if (taken != 0) return begin + Cycle(static_cast<std::uint64_t>(std::bit_width(taken)) - 1);
  }
  return Cycle(0);
}

void ModuleTimetable::forget(Cycle now) {
  const std::uint64_t until = now / kWordCycles;  // the word of now is still in use
  if (until <= forgotten_) return;
  const std::uint64_t words = std::min(until - forgotten_, kWords);
  for (std::size_t module = 0; module < words_.size() / kWords; ++module) {
    for (std::uint64_t i = 0; i < words; ++i)
      words_[word(module, (until - 1 - i) * kWordCycles)] = 0;
  }
  forgotten_ = until;
}

}  // namespace raddle::machine::tpa
