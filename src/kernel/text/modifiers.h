// The modifiers of an instruction (what stands after the dots) as a list of fields with texts and
// values, so that the printer and the parser of the text form share one table. The order of the
// fields is the order of printing.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "kernel/instruction.h"

namespace raddle::kernel {

enum class ModifierField : std::uint8_t {
  kToSpace,
  kSynchronised,
  kOrder,
  kScope,
  kSpace,
  kNonCoherent,
  kAtomic,
  kCompare,
  kCombine,
  kPart,
  kMode,
  kClampMode,
  kCarryIn,
  kCarryOut,
  kApproximate,
  kRounding,
  kUniform,
  kFlushToZero,
  kSaturate,
  kPropagateNan,
  kRelu,
  kAElement,
  kBElement,
};
inline constexpr int kModifierFields = static_cast<int>(ModifierField::kBElement) + 1;

// The field's value; 0 is what an instruction has when nothing is written.
std::uint8_t modifier(const Instruction& instruction, ModifierField field);
void set_modifier(Instruction& instruction, ModifierField field, std::uint8_t value);

// How many values the field has, 0 included.
std::uint8_t modifier_values(ModifierField field);
std::string_view modifier_text(ModifierField field, std::uint8_t value);
std::string_view modifier_field_name(ModifierField field);

// Whether the value is written after a dot with this opcode. Words that mean different things with
// different opcodes
// (`and`, `lo`, `sync`, `clamp` …) are plain only where one meaning is possible.
bool is_plain_modifier(ModifierField field, std::uint8_t value, Opcode opcode);

struct ModifierMatch {
  ModifierField field;
  std::uint8_t value;
};
// The meaning of a word after a dot.
std::optional<ModifierMatch> find_modifier(Opcode opcode, std::string_view text);

}  // namespace raddle::kernel
