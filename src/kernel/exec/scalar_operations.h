// Operations that are rare enough to go lane by lane: conversions between any two types with any
// rounding, and arithmetic that does not round to nearest. Values are passed as the low bits of a
// 64-bit word.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernel/instruction.h"

namespace raddle::kernel::exec {

// cvt with one source; and the packed form, whose first source becomes the upper half.
std::uint64_t convert_scalar(const Instruction& instruction, std::uint64_t bits);
std::uint64_t convert_pair(const Instruction& instruction, std::uint64_t upper,
                           std::uint64_t lower);
// add, sub, mul, fma, div, rcp, sqrt in f32 or f64 with the instruction's rounding.
std::uint64_t directed_operation(const Instruction& instruction,
                                 const std::array<std::uint64_t, 4>& operands);
bool rounds_directed(const Instruction& instruction);

// One lane of a register of 1 to 8 bytes a lane.
std::uint64_t load_bits(const std::byte* frame, std::uint32_t slot, int bytes, int lane);
void store_bits(std::byte* frame, std::uint32_t slot, int bytes, int lane, std::uint64_t bits);

}  // namespace raddle::kernel::exec
