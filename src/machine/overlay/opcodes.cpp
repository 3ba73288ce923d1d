#include "machine/overlay/opcodes.h"

#include <algorithm>
#include <array>

namespace raddle::machine::overlay {
namespace {

constexpr std::array kVectorOpcodes = {
    OpcodeInfo{"MAD", 0, 3, 3, "A*B + C"},
    OpcodeInfo{"DP3", 1, 2, 2, "A.r*B.r + A.g*B.g + A.b*B.b"},
    OpcodeInfo{"DP4", 2, 2, 2, "DP3 + the scalar half's A*B"},
    OpcodeInfo{"D2A", 3, 3, 3, "A.r*B.r + A.g*B.g + C.b"},
    OpcodeInfo{"MIN", 4, 2, 2, "the lesser of A and B"},
    OpcodeInfo{"MAX", 5, 2, 2, "the greater of A and B"},
    OpcodeInfo{"CND", 7, 3, 3, "C > 0.5 ? A : B"},
    OpcodeInfo{"CMP", 8, 3, 3, "C >= 0 ? A : B"},
    OpcodeInfo{"FRC", 9, 1, 1, "A - floor(A)"},
    OpcodeInfo{"SOP", 10, 0, 0, "the scalar half's EX2 to COS"},
    OpcodeInfo{"MDH", 11, 3, 3, "A*B + C, A of the left and C of the right pixel of the row"},
    OpcodeInfo{"MDV", 12, 3, 3, "A*B + C, A of the upper and C of the lower pixel of the column"},
};

constexpr std::array kScalarOpcodes = {
    OpcodeInfo{"mad", 0, 3, 3, "A*B + C"},
    OpcodeInfo{"dp", 1, 0, 2, "the vector half's dot product"},
    OpcodeInfo{"min", 2, 2, 2, "the lesser of A and B"},
    OpcodeInfo{"max", 3, 2, 2, "the greater of A and B"},
    OpcodeInfo{"cnd", 5, 3, 3, "C > 0.5 ? A : B"},
    OpcodeInfo{"cmp", 6, 3, 3, "C >= 0 ? A : B"},
    OpcodeInfo{"frc", 7, 1, 1, "A - floor(A)"},
    OpcodeInfo{"ex2", 8, 1, 1, "2 to the power of A"},
    OpcodeInfo{"ln2", 9, 1, 1, "logarithm of A to base 2"},
    OpcodeInfo{"rcp", 10, 1, 1, "1 / A"},
    OpcodeInfo{"rsq", 11, 1, 1, "1 / square root of A"},
    OpcodeInfo{"sin", 12, 1, 1, "sine of A * 2 pi"},
    OpcodeInfo{"cos", 13, 1, 1, "cosine of A * 2 pi"},
    OpcodeInfo{"mdh", 14, 3, 3, "as MDH"},
    OpcodeInfo{"mdv", 15, 3, 3, "as MDV"},
};

constexpr std::array kTexOpcodes = {
    OpcodeInfo{"TXNOP", 0, 0, 0, "nothing"},
    OpcodeInfo{"TEX", 1, 0, 0, "load a texel"},
    OpcodeInfo{"TEXKILL", 2, 0, 0, "drop the pixel's output if any coordinate is below 0"},
    OpcodeInfo{"TXP", 3, 0, 0, "load a texel at S/Q, T/Q"},
    OpcodeInfo{"TXB", 4, 0, 0, "load a texel; Q is added to its level, if the buffer has levels"},
    OpcodeInfo{"TXL", 5, 0, 0, "load a texel of level Q, if the buffer has levels"},
    OpcodeInfo{"TXD", 6, 0, 0, "load a texel of level 0; the derivatives are ignored"},
};

}  // namespace

std::span<const OpcodeInfo> vector_opcodes() { return kVectorOpcodes; }
std::span<const OpcodeInfo> scalar_opcodes() { return kScalarOpcodes; }
std::span<const OpcodeInfo> tex_opcodes() { return kTexOpcodes; }

const OpcodeInfo* find_opcode(std::span<const OpcodeInfo> opcodes, std::string_view name) {
  const auto found = std::ranges::find(opcodes, name, &OpcodeInfo::name);
  return found == opcodes.end() ? nullptr : &*found;
}

const OpcodeInfo* find_opcode(std::span<const OpcodeInfo> opcodes, unsigned code) {
  const auto found = std::ranges::find(opcodes, code, &OpcodeInfo::code);
  return found == opcodes.end() ? nullptr : &*found;
}

}  // namespace raddle::machine::overlay
