// The helpers that the expressions of isa.def are written with.
#pragma once

#include <cstdint>
#include <limits>

#include "machine/tpa/isa.h"

namespace raddle::machine::tpa {

constexpr Word all_ones_if(bool condition) { return condition ? ~Word{0} : 0; }

// By zero they give 0: whoever executes a division has looked before.
constexpr Word quotient(std::int64_t a, std::int64_t b) {
  if (b == 0) return 0;
  if (b == -1) return Word{0} - static_cast<Word>(a);  // the smallest number wraps
  return static_cast<Word>(a / b);
}
constexpr Word remainder(std::int64_t a, std::int64_t b) {
  if (b == 0 || b == -1) return 0;
  return static_cast<Word>(a % b);
}
constexpr Word shifted_arithmetically(std::int64_t a, Word b) {
  return static_cast<Word>(a >> (b < 64 ? b : 63));
}

}  // namespace raddle::machine::tpa
