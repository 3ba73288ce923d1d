// The names of operations in CTM assembly with what they do: upper case for the vector half, TEX
// and flow control, lower case for the scalar half.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "machine/overlay/instruction.h"

namespace raddle::machine::overlay {

struct OpcodeInfo {
  std::string_view name;
  std::uint8_t code;
  std::uint8_t least_operands;
  std::uint8_t most_operands;
  std::string_view meaning;
};

std::span<const OpcodeInfo> vector_opcodes();
std::span<const OpcodeInfo> scalar_opcodes();
std::span<const OpcodeInfo> tex_opcodes();

// Nothing for a name or code that is not assigned.
const OpcodeInfo* find_opcode(std::span<const OpcodeInfo> opcodes, std::string_view name);
const OpcodeInfo* find_opcode(std::span<const OpcodeInfo> opcodes, unsigned code);

inline const OpcodeInfo* info(VectorOp op) {
  return find_opcode(vector_opcodes(), static_cast<unsigned>(op));
}
inline const OpcodeInfo* info(ScalarOp op) {
  return find_opcode(scalar_opcodes(), static_cast<unsigned>(op));
}
inline const OpcodeInfo* info(TexOp op) {
  return find_opcode(tex_opcodes(), static_cast<unsigned>(op));
}

}  // namespace raddle::machine::overlay
