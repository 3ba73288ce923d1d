// Who sends to whom when threads of a block communicate at a fixed distance within windows.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "kernel/instruction.h"

namespace raddle::machine::cgra {

// The thread (its place in the block) that `thread` receives from; none outside the block or
// window.
inline std::optional<std::uint32_t> sender_of(std::uint32_t thread, const kernel::InterThread& link,
                                              const std::array<std::uint32_t, 3>& block) {
  const std::array<std::uint32_t, 3> place{thread % block[0], thread / block[0] % block[1],
                                           thread / block[0] / block[1]};
  std::uint32_t sender = 0;
  for (std::size_t d = 3; d-- > 0;) {
    const std::int64_t there = std::int64_t{place[d]} + link.delta[d];
    if (there < 0 || there >= std::int64_t{block[d]}) return std::nullopt;
    sender = sender * block[d] + static_cast<std::uint32_t>(there);
  }
  if (link.window != 0 && sender / link.window != thread / link.window) return std::nullopt;
  return sender;
}

}  // namespace raddle::machine::cgra
