// What a multiprocessor writes into the tokens of the accesses that it sends to memory, to know
// what to do with the answers.
#pragma once

#include <cstdint>

#include "memory/access.h"

namespace raddle::machine::simt {

enum class RequestKind : std::uint8_t {
  kDataLine,   // a line for the L1
  kOperation,  // a load past the L1, or an atomic; its number is that of the memory operation
  kStore,      // its number is that of the warp
  kInstructionLine,
  kConstantLine,
  kTextureLine,
};

constexpr std::uint64_t request_token(RequestKind kind, std::uint32_t number) {
  return std::uint64_t{static_cast<std::uint8_t>(kind)} << 32 | number;
}
constexpr RequestKind request_kind(std::uint64_t token) {
  return static_cast<RequestKind>(token >> 32 & 0xff);
}
constexpr std::uint32_t request_number(std::uint64_t token) {
  return static_cast<std::uint32_t>(token);
}

}  // namespace raddle::machine::simt
