// Operands of CTM assembly as they are written: registers with swizzles, numbers, presubtracted
// sources, destinations with masks. Which of the three sources of the word they take is decided
// later, for both halves together (source_slots.h).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "lang/ctm/line_cursor.h"
#include "machine/overlay/instruction.h"

namespace raddle::ctm {

namespace overlay = machine::overlay;

struct SourceOperand {
  std::optional<overlay::SourceAddress> address;  // none: a constant of the swizzle alone
  std::optional<unsigned> slot;                   // written by hand: r1@2
  bool is_presubtract = false;
  overlay::Presubtract presubtract{};
  overlay::SourceAddress presubtract0, presubtract1;
  std::array<overlay::Swizzle, 3> swizzle{};  // the scalar half uses the first
  overlay::SourceModifier modifier{};
  std::size_t start = 0, stop = 0;  // columns
};

struct Destination {
  std::optional<std::uint8_t> temporary;
  bool relative = false;
  overlay::ChannelMask temporary_mask = 0;
  std::optional<std::uint8_t> output;
  overlay::ChannelMask output_mask = 0;
};

enum class Half : std::uint8_t { kVector, kScalar };

SourceOperand read_source(LineCursor& cursor, Half half);
Destination read_destination(LineCursor& cursor, Half half);

// rN or r[aL+N].
struct RegisterReference {
  std::uint8_t number = 0;
  bool relative = false;
};
RegisterReference read_temporary(LineCursor& cursor, std::string_view what);
// A number after a letter: s3, o0, i12. Fails unless the letter is next.
std::uint8_t read_numbered(LineCursor& cursor, char letter, std::string_view what, unsigned count);
// The channel that a letter names, r to a or x to w; nothing for others.
std::optional<std::uint8_t> channel_of(char letter);
// "rgb" after a point, in order; `all` where none is written. Every channel at most once.
overlay::ChannelMask read_mask(LineCursor& cursor, overlay::ChannelMask all);

}  // namespace raddle::ctm
