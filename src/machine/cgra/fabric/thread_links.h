// Whether threads of a block have anybody to receive from.
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>

#include "kernel/instruction.h"

namespace raddle::machine::cgra {

inline bool has_senders(const kernel::InterThread& link,
                        const std::array<std::uint32_t, 3>& block) {
  std::int64_t distance = 0;
  for (std::size_t d = 3; d-- > 0;) {
    if (std::abs(std::int64_t{link.delta[d]}) >= std::int64_t{block[d]}) return false;
    distance = distance * block[d] + link.delta[d];
  }
  return link.window == 0 || std::abs(distance) < std::int64_t{link.window};
}

}  // namespace raddle::machine::cgra
