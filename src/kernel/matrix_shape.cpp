#include "kernel/matrix_shape.h"

#include <algorithm>
#include <iterator>

namespace raddle::kernel {
namespace {

struct Family {
  MatrixElement element;
  Mode shape;
};

constexpr Family kFamilies[] = {
    {MatrixElement::kF16, Mode::kM16N8K8},     {MatrixElement::kF16, Mode::kM16N8K16},
    {MatrixElement::kBF16, Mode::kM16N8K8},    {MatrixElement::kBF16, Mode::kM16N8K16},
    {MatrixElement::kTF32, Mode::kM16N8K4},    {MatrixElement::kTF32, Mode::kM16N8K8},
    {MatrixElement::kF64, Mode::kM8N8K4},      {MatrixElement::kF64, Mode::kM16N8K4},
    {MatrixElement::kF64, Mode::kM16N8K8},     {MatrixElement::kS8, Mode::kM8N8K16},
    {MatrixElement::kS8, Mode::kM16N8K16},     {MatrixElement::kS8, Mode::kM16N8K32},
    {MatrixElement::kS4, Mode::kM8N8K32},      {MatrixElement::kS4, Mode::kM16N8K32},
    {MatrixElement::kS4, Mode::kM16N8K64},     {MatrixElement::kB1Xor, Mode::kM8N8K128},
    {MatrixElement::kB1Xor, Mode::kM16N8K128}, {MatrixElement::kB1Xor, Mode::kM16N8K256},
    {MatrixElement::kE4M3, Mode::kM16N8K16},   {MatrixElement::kE4M3, Mode::kM16N8K32},
};

// The element that stands for those of its family: A and B may differ within one.
MatrixElement family_of(MatrixElement element) {
  switch (element) {
    case MatrixElement::kU8: return MatrixElement::kS8;
    case MatrixElement::kU4: return MatrixElement::kS4;
    case MatrixElement::kB1And: return MatrixElement::kB1Xor;
    case MatrixElement::kE5M2: return MatrixElement::kE4M3;
    default: return element;
  }
}

bool takes_result(MatrixElement family, Type type) {
  switch (family) {
    case MatrixElement::kF16:
    case MatrixElement::kE4M3: return type == Type::kF32 || type == Type::kF16x2;
    case MatrixElement::kBF16:
    case MatrixElement::kTF32: return type == Type::kF32;
    case MatrixElement::kF64: return type == Type::kF64;
    default: return type == Type::kS32;
  }
}

}  // namespace

MatrixShape shape_of(Mode mode) {
  switch (mode) {
    case Mode::kM8N8K4: return {8, 8, 4};
    case Mode::kM8N8K16: return {8, 8, 16};
    case Mode::kM8N8K32: return {8, 8, 32};
    case Mode::kM8N8K128: return {8, 8, 128};
    case Mode::kM16N8K4: return {16, 8, 4};
    case Mode::kM16N8K8: return {16, 8, 8};
    case Mode::kM16N8K16: return {16, 8, 16};
    case Mode::kM16N8K32: return {16, 8, 32};
    case Mode::kM16N8K64: return {16, 8, 64};
    case Mode::kM16N8K128: return {16, 8, 128};
    default: return {16, 8, 256};
  }
}

int bits_of(MatrixElement element) {
  switch (family_of(element)) {
    case MatrixElement::kF64: return 64;
    case MatrixElement::kTF32: return 32;
    case MatrixElement::kF16:
    case MatrixElement::kBF16: return 16;
    case MatrixElement::kS8:
    case MatrixElement::kE4M3: return 8;
    case MatrixElement::kS4: return 4;
    default: return 1;
  }
}

bool is_float(MatrixElement element) {
  switch (family_of(element)) {
    case MatrixElement::kS8:
    case MatrixElement::kS4:
    case MatrixElement::kB1Xor: return false;
    default: return true;
  }
}

std::optional<MatrixElement> matrix_element_from_name(std::string_view name) {
  for (auto i = static_cast<int>(MatrixElement::kF16); i <= static_cast<int>(MatrixElement::kE5M2);
       ++i) {
    const auto element = static_cast<MatrixElement>(i);
    if (name_of(element) == name) return element;
  }
  return std::nullopt;
}

MatrixRegisters registers_of(const Instruction& mma) {
  const MatrixShape shape = shape_of(mma.mode);
  const int bits = bits_of(mma.a_element);
  const int lane_bits = 32 * std::max(32, bits);  // a register in each lane
  const int result_bits = mma.type == Type::kF64 ? 64 : mma.type == Type::kF16x2 ? 16 : 32;
  return {
      static_cast<std::size_t>(shape.m * shape.k * bits / lane_bits),
      static_cast<std::size_t>(shape.k * shape.n * bits / lane_bits),
      static_cast<std::size_t>(shape.m * shape.n * result_bits / (32 * std::max(32, result_bits)))};
}

bool is_valid_mma(const Instruction& mma) {
  const MatrixElement family = family_of(mma.a_element);
  const bool bits_differ = bits_of(mma.a_element) == 1 && mma.a_element != mma.b_element;
  if (family != family_of(mma.b_element) || bits_differ || !takes_result(family, mma.type))
    return false;
  return std::any_of(std::begin(kFamilies), std::end(kFamilies), [&](const Family& row) {
    return row.element == family && row.shape == mma.mode;
  });
}

MatrixPlace place_in_a(int m, int elements_per_register, int lane, int index, int part) {
  const int halves = m / 8;  // rows 0–7 and 8–15 take turns
  const int along_k = index / halves * 4 + lane % 4;
  return {lane / 4 + index % halves * 8, along_k * elements_per_register + part};
}

MatrixPlace place_in_c(int elements_per_register, int lane, int index, int part) {
  const int element = index * elements_per_register + part;
  return {lane / 4 + element / 2 * 8, lane % 4 * 2 + element % 2};
}

}  // namespace raddle::kernel
