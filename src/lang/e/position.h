// A place in an e program: where a token or construct begins and how many characters of that line
// it covers. Diagnostics point at it, and lowered code carries its line.
#pragma once

#include <cstdint>

namespace raddle::e {

struct Position {
  std::uint32_t line = 1;
  std::uint32_t column = 1;  // counted in bytes, from 1
  std::uint32_t length = 1;
};

}  // namespace raddle::e
