// Constant integer expressions: numbers, WARP_SZ, parentheses, unary + - ~ ! and the binary
// operators of C on 64 bits.
#pragma once

#include <cstdint>

#include "lang/ptx/context.h"

namespace raddle::ptx {

// Whether the current token can begin one.
bool begins_constant(const Token& token);
std::uint64_t parse_constant(Context& context);
// A single number with its sign, as after the + of an address.
std::uint64_t parse_constant_factor(Context& context);

}  // namespace raddle::ptx
