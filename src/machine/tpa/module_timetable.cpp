#include "machine/tpa/module_timetable.h"

#include <algorithm>
#include <bit>

namespace raddle::machine::tpa {

std::uint64_t ModuleTimetable::first_free(std::size_t module, std::uint64_t time) const {
  std::uint64_t free = ~words_[word(module, time)] >> time % 64;
  if (free != 0) return time + static_cast<std::uint64_t>(std::countr_zero(free));
  for (std::uint64_t at = (time / 64 + 1) * 64;; at += 64) {
    free = ~words_[word(module, at)];
    if (free != 0) return at + static_cast<std::uint64_t>(std::countr_zero(free));
    if (at > time + kHorizon) return at;  // refused by whoever asked
  }
}

std::uint64_t ModuleTimetable::last_taken(std::size_t module) const {
  for (std::uint64_t word_number = forgotten_ + kWords; word_number-- > forgotten_;) {
    const std::uint64_t taken = words_[word(module, word_number * 64)];
    if (taken != 0) return word_number * 64 + static_cast<std::uint64_t>(std::bit_width(taken)) - 1;
  }
  return 0;
}

void ModuleTimetable::forget(std::uint64_t now) {
  const std::uint64_t until = now / 64;  // the word of now is still in use
  if (until <= forgotten_) return;
  const std::uint64_t words = std::min(until - forgotten_, kWords);
  for (std::size_t module = 0; module < words_.size() / kWords; ++module) {
    for (std::uint64_t i = 0; i < words; ++i) words_[word(module, (until - 1 - i) * 64)] = 0;
  }
  forgotten_ = until;
}

}  // namespace raddle::machine::tpa
