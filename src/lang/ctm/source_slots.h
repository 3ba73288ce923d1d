// Gives the operands of both halves their places among the three sources of a word. Source n is a
// pair of addresses, one for r, g, b and one for a; an operand whose swizzle mixes both needs the
// same register in both. Operands take the first source that has their register already, else the
// first with room, in the order vector A, B, C, scalar A, B, C; all arrangements are tried before
// it gives up.
#pragma once

#include <optional>
#include <span>

#include "lang/ctm/operands.h"

namespace raddle::ctm {

struct PlacedSources {
  std::array<overlay::SourceAddress, 3> vector;
  std::array<overlay::SourceAddress, 3> scalar;
  std::optional<overlay::Presubtract> vector_presubtract;
  std::optional<overlay::Presubtract> scalar_presubtract;
  std::array<overlay::SourceSelect, 6> selects{};  // of the operands, in their order
};

struct SlotRequest {
  const SourceOperand* operand = nullptr;
  unsigned channels = 3;  // letters of its swizzle that count
};

// Nothing where they do not fit; `failed` is then the operand that found no place.
std::optional<PlacedSources> place_sources(std::span<const SlotRequest> requests,
                                           std::size_t& failed);

}  // namespace raddle::ctm
