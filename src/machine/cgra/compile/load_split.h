// Takes loads out of a piece whose threads communicate. Those threads are injected in the order of
// their numbers and wait for each other, so that neighbours wait for the same line, and a miss
// holds up everything after it. Loads that do not depend on what other threads send become a piece
// of their own that runs before: its threads are free to take turns (fabric_injector.h), so that
// many lines are on their way at once. What they load goes through the live-value cache.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "machine/cgra/compile/piece_code.h"

namespace raddle::machine::cgra {

struct SplitPiece {
  PieceCode loads;  // leaves by one exit, to the rest
  PieceCode rest;
};

// None: no threads communicate within the piece, or it has no such loads. `shared`: by register,
// whether it has several writers; `block`: threads by dimension.
std::optional<SplitPiece> split_loads_off(const PieceCode& piece, const std::vector<bool>& shared,
                                          const std::array<std::uint32_t, 3>& block);

}  // namespace raddle::machine::cgra
