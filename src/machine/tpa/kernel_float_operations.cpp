// Floating-point operations of kernels: arithmetic, comparisons, rounding and conversions.
#include <fmt/format.h>

#include "machine/tpa/kernel_operations.h"

namespace raddle::machine::tpa {

using kernel::Compare;
using kernel::Instruction;
using kernel::Opcode;
using kernel::Type;
using enum AluOperation;

namespace {

constexpr std::int64_t kSingleOne = 0x3f800000;
constexpr std::int64_t kDoubleOne = 0x3ff0000000000000;

std::int64_t sign_bit(bool single) {
  return single ? std::int64_t{1} << 31 : static_cast<std::int64_t>(std::uint64_t{1} << 63);
}

}  // namespace

ValueId KernelOperations::float_arithmetic(const Instruction& i) {
  const bool single = i.type == Type::kF32;
  switch (i.opcode) {
    case Opcode::kSin:
    case Opcode::kCos:
    case Opcode::kLg2:
    case Opcode::kEx2:
    case Opcode::kTanh: return special_function(i);
    default: break;
  }
  if (i.rounding != kernel::Rounding::kNone && i.rounding != kernel::Rounding::kNearestEven)
    refuse(i, "rounding other than to the nearest is not supported");
  return saturated(i, flushed(i, float_result(i, single)));
}

// Of a single: at least 0 and at most 1; what is no number becomes 0.
ValueId KernelOperations::saturated(const Instruction& i, ValueId result) {
  if (!i.saturate) return result;
  if (i.type != Type::kF32) refuse(i, "saturated doubles are not supported");
  result = alu(kSel, alu(kFloatSeqSingle, result, result), result, number(0));
  return alu(kFloatMinSingle, alu(kFloatMaxSingle, result, number(0)), number(kSingleOne));
}

ValueId KernelOperations::float_result(const Instruction& i, bool single) {
  const auto operand = [&](std::size_t index) { return flushed(i, source(i, index)); };
  const auto pick = [&](Alu of_double, Alu of_single) { return single ? of_single : of_double; };
  const auto two = [&](Alu of_double, Alu of_single) {
    return alu(pick(of_double, of_single), operand(0), operand(1));
  };
  const ValueId one = number(single ? kSingleOne : kDoubleOne);
  const ValueId sign = number(sign_bit(single));
  switch (i.opcode) {
    case Opcode::kAdd: return two(kFloatAdd, kFloatAddSingle);
    case Opcode::kSub: return two(kFloatSub, kFloatSubSingle);
    case Opcode::kMul: return two(kFloatMul, kFloatMulSingle);
    case Opcode::kDiv: return two(kFloatDiv, kFloatDivSingle);
    case Opcode::kMin: return two(kFloatMin, kFloatMinSingle);
    case Opcode::kMax: return two(kFloatMax, kFloatMaxSingle);
    case Opcode::kFma:
    case Opcode::kMad:
      return alu(pick(kFloatFma, kFloatFmaSingle), operand(0), operand(1), operand(2));
    case Opcode::kNeg: return alu(kXor, operand(0), sign);
    case Opcode::kAbs: return alu(kAnn, operand(0), sign);
    case Opcode::kCopysign:
      return alu(kOr, alu(kAnn, operand(1), sign), alu(kAnd, operand(0), sign));
    case Opcode::kRcp: return alu(pick(kFloatDiv, kFloatDivSingle), one, operand(0));
    case Opcode::kSqrt: return alu(pick(kFloatSqrt, kFloatSqrtSingle), operand(0));
    case Opcode::kRsqrt:
      return alu(pick(kFloatDiv, kFloatDivSingle), one,
                 alu(pick(kFloatSqrt, kFloatSqrtSingle), operand(0)));
    default:
      refuse(i, fmt::format("the ALUs have no '{}' of floating-point numbers", name_of(i.opcode)));
  }
}

// To a whole number, as the instruction rounds. Numbers from 2^23 (2^52) on have no fraction; the
// sign is that of the operand, also of a zero.
ValueId KernelOperations::rounded(const Instruction& i, bool single) {
  const ValueId x = single ? flushed(i, source(i, 0)) : source(i, 0);
  if (i.rounding == kernel::Rounding::kNone) return x;
  const auto pick = [&](Alu of_double, Alu of_single) { return single ? of_single : of_double; };
  const ValueId one = number(single ? kSingleOne : kDoubleOne);
  const ValueId sign = number(sign_bit(single));
  const ValueId whole = number(single ? 0x4b000000 : 0x4330000000000000);
  const ValueId size = alu(kAnn, x, sign);
  const Alu less = pick(kFloatSlt, kFloatSltSingle);
  const auto truncated = [&] {
    return alu(pick(kWordToDouble, kWordToSingle), alu(pick(kDoubleToWord, kSingleToWord), x));
  };
  ValueId result = kNoValue;
  switch (i.rounding) {
    case kernel::Rounding::kZeroInt: result = truncated(); break;
    case kernel::Rounding::kNearestInt: {
      const ValueId sum = alu(pick(kFloatAdd, kFloatAddSingle), size, whole);
      result = alu(pick(kFloatSub, kFloatSubSingle), sum, whole);
      break;
    }
    case kernel::Rounding::kDownInt: {
      const ValueId near = truncated();
      const ValueId step = alu(kAnd, alu(less, x, near), one);
      result = alu(pick(kFloatSub, kFloatSubSingle), near, step);
      break;
    }
    case kernel::Rounding::kUpInt: {
      const ValueId near = truncated();
      const ValueId step = alu(kAnd, alu(less, near, x), one);
      result = alu(pick(kFloatAdd, kFloatAddSingle), near, step);
      break;
    }
    default: refuse(i, "this rounding is not supported");
  }
  result = alu(kOr, result, alu(kAnd, x, sign));
  return alu(kSel, alu(less, size, whole), result, x);
}

ValueId KernelOperations::convert(const Instruction& i) {
  const Type from = i.source_type;
  const Type to = i.type;
  const auto is_float = [](Type type) { return type == Type::kF32 || type == Type::kF64; };
  const auto is_known = [&](Type type) {
    return is_float(type) || (kernel::size_of(type) != 0 && type != Type::kF16 &&
                              type != Type::kBF16 && type != Type::kF16x2 && type != Type::kBF16x2);
  };
  if (!is_known(from) || !is_known(to)) refuse(i, "half precision is not supported");
  if (!is_float(from) && !is_float(to)) {
    if (i.saturate) refuse(i, "saturated conversions are not supported");
    return narrowed(i, 0, kernel::size_of(from) < kernel::size_of(to) ? from : to);
  }
  if (!is_float(from)) {
    if (from == Type::kU64) return saturated(i, from_unsigned(i, to == Type::kF32));
    return saturated(i,
                     alu(to == Type::kF32 ? kWordToSingle : kWordToDouble, narrowed(i, 0, from)));
  }
  if (is_float(to)) {
    if (from == to) return saturated(i, rounded(i, from == Type::kF32));
    if (i.rounding != kernel::Rounding::kNone && i.rounding != kernel::Rounding::kNearestEven)
      refuse(i, "rounding other than to the nearest is not supported");
    if (to == Type::kF64) return alu(kSingleToDouble, flushed(i, source(i, 0)));
    return saturated(i, flushed(i, alu(kDoubleToSingle, source(i, 0))));
  }
  ValueId real = rounded(i, from == Type::kF32);
  if (to == Type::kU64) return to_unsigned(from == Type::kF32 ? alu(kSingleToDouble, real) : real);
  ValueId value = alu(from == Type::kF32 ? kSingleToWord : kDoubleToWord, real);
  const int bits = kernel::size_of(to) * 8;
  if (bits == 64) return value;
  const bool is_signed = has_sign(to);
  const std::int64_t least = is_signed ? -(std::int64_t{1} << (bits - 1)) : 0;
  const std::int64_t most = (std::int64_t{1} << (is_signed ? bits - 1 : bits)) - 1;
  value = alu(kMax, value, number(least));
  return alu(kMin, value, number(most));
}

// One with the upper bit is halved, keeping whether anything was lost, and doubled again.
ValueId KernelOperations::from_unsigned(const Instruction& i, bool single) {
  const ValueId word = source(i, 0);
  const ValueId is_large = alu(kSlt, word, number(0));
  const ValueId half = alu(kOr, alu(kShr, word, number(1)), alu(kAnd, word, number(1)));
  const ValueId part = alu(single ? kWordToSingle : kWordToDouble, alu(kSel, is_large, half, word));
  const ValueId twice = alu(single ? kFloatAddSingle : kFloatAdd, part, part);
  return alu(kSel, is_large, twice, part);
}

// From 2^63 on the difference to it is converted; what is below 0 becomes 0.
ValueId KernelOperations::to_unsigned(ValueId value) {
  constexpr std::int64_t kHalfRange = 0x43e0000000000000;   // 2^63
  constexpr std::int64_t kWholeRange = 0x43f0000000000000;  // 2^64
  const ValueId is_large = alu(kFloatSle, number(kHalfRange), value);
  const ValueId above = alu(kFloatSub, value, number(kHalfRange));
  const ValueId word = alu(kDoubleToWord, alu(kSel, is_large, above, value));
  const ValueId fits =
      alu(kSel, is_large, alu(kXor, word, number(INT64_MIN)), alu(kMax, word, number(0)));
  return alu(kSel, alu(kFloatSle, number(kWholeRange), value), number(-1), fits);
}

ValueId KernelOperations::float_comparison(const Instruction& i, bool single) {
  const ValueId a = single ? flushed(i, source(i, 0)) : source(i, 0);
  const ValueId b = single ? flushed(i, source(i, 1)) : source(i, 1);
  const Alu equal = single ? kFloatSeqSingle : kFloatSeq;
  const Alu less = single ? kFloatSltSingle : kFloatSlt;
  const Alu less_equal = single ? kFloatSleSingle : kFloatSle;
  const auto differs = [&] { return alu(kOr, alu(less, a, b), alu(less, b, a)); };
  const auto no = [&](ValueId value) { return alu(kXor, value, number(-1)); };
  const auto numbers = [&] { return alu(kAnd, alu(equal, a, a), alu(equal, b, b)); };
  switch (i.compare) {
    case Compare::kEq: return alu(equal, a, b);
    case Compare::kNe: return differs();
    case Compare::kLt: return alu(less, a, b);
    case Compare::kLe: return alu(less_equal, a, b);
    case Compare::kGt: return alu(less, b, a);
    case Compare::kGe: return alu(less_equal, b, a);
    case Compare::kEqu: return no(differs());
    case Compare::kNeu: return alu(single ? kFloatSneSingle : kFloatSne, a, b);
    case Compare::kLtu: return no(alu(less_equal, b, a));
    case Compare::kLeu: return no(alu(less, b, a));
    case Compare::kGtu: return no(alu(less_equal, a, b));
    case Compare::kGeu: return no(alu(less, a, b));
    case Compare::kNum: return numbers();
    case Compare::kNan: return no(numbers());
    default: refuse(i, "this comparison is not supported");
  }
}

}  // namespace raddle::machine::tpa
