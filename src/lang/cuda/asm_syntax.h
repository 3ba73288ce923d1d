// Inline PTX as nvcc takes it: a register may be written with one percent sign where clang wants
// two (asm("mov.u32 %0, %smid;" : …)). What a sign stands for is never in doubt: operands are
// digits.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace raddle::cuda {

// The source with the percent signs of registers doubled; nothing if there is nothing to do. Lines
// stay, and so do columns where a blank before the sign can make room.
std::optional<std::string> double_register_percents(std::string_view source);

}  // namespace raddle::cuda
