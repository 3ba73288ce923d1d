// Arithmetic of kernels on numbers of several words: carries and the upper halves of products.
#include "machine/tpa/kernel_operations.h"

namespace raddle::machine::tpa {

using kernel::Instruction;
using kernel::MultiplyPart;
using kernel::Opcode;
using kernel::Type;
using enum AluOperation;

// A carry is a predicate: the last source, and the second destination.
bool KernelOperations::with_carry(const Instruction& i) {
  if (!i.carry_in && !i.carry_out) return false;
  const bool is_wide = kernel::size_of(i.type) == 8;
  const auto low = [&](ValueId value) {
    return narrowed(value, is_wide ? Type::kU64 : Type::kU32);
  };
  const bool is_difference = i.opcode == Opcode::kSub;
  const bool is_mad = i.opcode == Opcode::kMad;
  ValueId a = low(source(i, 0));
  ValueId b = low(source(i, 1));
  if (is_mad) {
    const bool is_upper = i.part == MultiplyPart::kHigh;
    if (is_wide) {
      a = is_upper ? upper_product(i) : alu(kMul, a, b);
    } else {
      const Type type = is_upper ? i.type : Type::kU32;
      const ValueId product = alu(kMul, narrowed(i, 0, type), narrowed(i, 1, type));
      a = low(is_upper ? alu(kShr, product, number(32)) : product);
    }
    b = low(source(i, 2));
  }
  const ValueId carry =
      i.carry_in ? alu(kAnd, value_of(i, i.sources.back()), number(1)) : number(0);
  const ValueId first = alu(is_difference ? kSub : kAdd, a, b);
  const ValueId result = alu(is_difference ? kSub : kAdd, first, carry);
  ValueId out = kNoValue;
  if (!is_wide) {
    out = alu(kSne, alu(kAnd, alu(kShr, result, number(32)), number(1)), number(0));
  } else if (is_difference) {
    out = alu(kOr, alu(kSltU, a, b), alu(kSltU, first, carry));
  } else {
    out = alu(kOr, alu(kSltU, first, a), alu(kSltU, result, first));
  }
  write(i, result);
  if (i.carry_out) write(i, out, 1);
  return true;
}

// By products of halves; of signed factors the other one is taken away where one is negative.
ValueId KernelOperations::upper_product(const Instruction& i) {
  const ValueId a = source(i, 0);
  const ValueId b = source(i, 1);
  const auto low = [&](ValueId value) { return narrowed(value, Type::kU32); };
  const auto high = [&](ValueId value) { return alu(kShr, value, number(32)); };
  const ValueId lowest = alu(kMul, low(a), low(b));
  const ValueId left = alu(kAdd, alu(kMul, high(a), low(b)), high(lowest));
  const ValueId right = alu(kAdd, alu(kMul, low(a), high(b)), low(left));
  ValueId product = alu(kAdd, alu(kMul, high(a), high(b)), alu(kAdd, high(left), high(right)));
  if (has_sign(i.type)) {
    const auto where_negative = [&](ValueId sign, ValueId value) {
      return alu(kAnd, alu(kSlt, sign, number(0)), value);
    };
    product = alu(kSub, product, where_negative(a, b));
    product = alu(kSub, product, where_negative(b, a));
  }
  const bool adds = i.opcode == Opcode::kMad && !i.carry_in && !i.carry_out;
  return adds ? alu(kAdd, product, source(i, 2)) : product;
}

}  // namespace raddle::machine::tpa
