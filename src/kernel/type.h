// The types of the kernel IR: what a register holds and what an operation works on. They are PTX's
// fundamental types; a register is stored in 1, 2, 4 or 8 bytes a lane (predicates as one bit a
// lane), whatever its type says beyond that.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace raddle::kernel {

enum class Type : std::uint8_t {
  kNone,
  kPred,
  kB8,
  kS8,
  kU8,
  kB16,
  kS16,
  kU16,
  kF16,
  kBF16,
  kB32,
  kS32,
  kU32,
  kF32,
  kF16x2,
  kBF16x2,
  kB64,
  kS64,
  kU64,
  kF64,
};

// Bytes that a value takes in memory (0 for none and predicates).
constexpr int size_of(Type type) {
  switch (type) {
    case Type::kNone:
    case Type::kPred: return 0;
    case Type::kB8:
    case Type::kS8:
    case Type::kU8: return 1;
    case Type::kB16:
    case Type::kS16:
    case Type::kU16:
    case Type::kF16:
    case Type::kBF16: return 2;
    case Type::kB32:
    case Type::kS32:
    case Type::kU32:
    case Type::kF32:
    case Type::kF16x2:
    case Type::kBF16x2: return 4;
    case Type::kB64:
    case Type::kS64:
    case Type::kU64:
    case Type::kF64: return 8;
  }
  return 0;
}

constexpr bool is_float(Type type) {
  return type == Type::kF16 || type == Type::kBF16 || type == Type::kF32 || type == Type::kF64 ||
         type == Type::kF16x2 || type == Type::kBF16x2;
}

constexpr bool is_signed(Type type) {
  return type == Type::kS8 || type == Type::kS16 || type == Type::kS32 || type == Type::kS64;
}

// "u32", "f16x2", "pred" …; the spelling of PTX and of the IR's text form.
std::string_view name_of(Type type);
std::optional<Type> type_from_name(std::string_view name);

}  // namespace raddle::kernel
