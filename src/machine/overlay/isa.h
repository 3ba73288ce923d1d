// The 192-bit words of the r5xx fragment processor: one table of all fields, from which words are
// packed and unpacked, single fields are set by name, and the reference page is printed. Bits that
// no field of an instruction's type owns are reserved and must be zero.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "machine/overlay/instruction.h"

namespace raddle::machine::overlay {

using Words = std::array<std::uint32_t, 6>;

// Which instructions have a field.
enum class FieldSet : std::uint8_t { kCommon, kAlu, kTex, kFlow };

struct Field {
  std::string_view name;
  FieldSet set;
  std::uint8_t word;
  std::uint8_t bit;  // the lowest
  std::uint8_t width;
  std::string_view meaning;
  std::uint32_t (*get)(const Instruction&);
  void (*put)(Instruction&, std::uint32_t);

  std::uint32_t largest() const { return width == 32 ? ~0U : (1U << width) - 1; }
};

// In the order of words and bits.
std::span<const Field> fields();
bool has_field(InstructionType type, const Field& field);
// Upper and lower case are the same.
const Field* find_field(InstructionType type, std::string_view name);

Words encode(const Instruction& instruction);
// Nothing where a reserved bit is set.
std::optional<Instruction> decode(const Words& words);
// The reserved bits of a word of this type that are set.
Words reserved_bits(const Words& words);

// What an inline source of a half means: the lower seven bits as a float.
float inline_value(std::uint8_t address);
// The address of the inline float that is exactly `value`, if there is one.
std::optional<std::uint8_t> inline_address(float value);

}  // namespace raddle::machine::overlay
