// Random expressions of a wanted type over the variables in scope.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "random_source.h"

namespace raddle::random_kernels {

enum class ValueType { kI8, kU8, kI16, kU16, kI32, kU32, kI64, kU64, kF32, kF64 };
inline constexpr std::array<ValueType, 10> kValueTypes{
    ValueType::kI8,  ValueType::kU8,  ValueType::kI16, ValueType::kU16, ValueType::kI32,
    ValueType::kU32, ValueType::kI64, ValueType::kU64, ValueType::kF32, ValueType::kF64};
const char* name_of(ValueType type);
inline bool is_float(ValueType type) { return type == ValueType::kF32 || type == ValueType::kF64; }

struct ScopedName {
  std::string text;
  ValueType type;
};

// What a phase may do with each part of shared memory: every thread its own slot, or read any.
struct SharedUse {
  bool words_any = false;
  bool floats_any = false;
  bool longs_any = false;
  bool counters_read = false;
};

class ExpressionWriter {
 public:
  ExpressionWriter(RandomSource& random, bool fused) : random_(random), fused_(fused) {}

  std::vector<ScopedName> names;    // variables and loop counters
  std::vector<ScopedName> helpers;  // functions of two u32 and one f32
  bool in_phase = false;            // a context `c` and a state `s` are there
  int threads = 32;
  SharedUse shared;

  std::string value(ValueType type, int depth);
  std::string condition(int depth);
  std::string index(int depth) { return value(ValueType::kU32, depth); }

 private:
  std::string leaf(ValueType type);
  std::string literal(ValueType type);
  std::string memory(ValueType type);
  std::string converted(ValueType type, int depth);
  std::string integer(ValueType type, int depth);
  std::string word(int depth);
  std::string real(ValueType type, int depth);

  RandomSource& random_;
  bool fused_;
};

}  // namespace raddle::random_kernels
