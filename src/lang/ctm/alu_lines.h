// Lines of ALU instructions: one for the vector half, one for the scalar half, joined into a word.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "lang/ctm/attributes.h"
#include "lang/ctm/operands.h"
#include "machine/overlay/opcodes.h"

namespace raddle::ctm {

struct AluLine {
  LineCursor cursor;  // for messages
  Half half{};
  std::uint8_t op = 0;
  Guard guard = {};
  Destination destination = {};
  std::vector<SourceOperand> sources = {};
  bool clamp = false;
  overlay::OutputModifier output_modifier{};
  Attributes attributes = {};
};

// The operation without its suffixes (_sat, _x2 …) and whether it is one; MOV, ADD and MUL are
// written as what they become.
bool is_alu_operation(std::string_view name);
// After the name, which began at `start`.
AluLine read_alu_line(LineCursor& cursor, std::size_t start, std::string_view name, Guard guard);

// Either may be missing.
overlay::Instruction join_halves(const std::optional<AluLine>& vector,
                                 const std::optional<AluLine>& scalar);

}  // namespace raddle::ctm
