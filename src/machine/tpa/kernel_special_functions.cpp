// Sines, logarithms and powers of singles, which the ALUs lack: polynomials in doubles, so that
// what is rounded to a single at the end is right to its last bits.
#include <bit>
#include <span>

#include "machine/tpa/kernel_operations.h"

namespace raddle::machine::tpa {

using kernel::Instruction;
using kernel::Opcode;
using enum AluOperation;

ValueId KernelOperations::real(double value) { return number(std::bit_cast<std::int64_t>(value)); }

// The highest coefficient first.
ValueId KernelOperations::polynomial(ValueId x, std::span<const double> coefficients) {
  ValueId sum = real(coefficients[0]);
  for (const double coefficient : coefficients.subspan(1))
    sum = alu(kFloatFma, sum, x, real(coefficient));
  return sum;
}

// To the nearest whole number: halves away from zero, which the series do not mind.
ValueId KernelOperations::nearest_word(ValueId x) {
  const ValueId sign = alu(kAnd, x, number(INT64_MIN));
  return alu(kDoubleToWord, alu(kFloatAdd, x, alu(kOr, sign, real(0.5))));
}

ValueId KernelOperations::special_function(const Instruction& i) {
  const ValueId given = flushed(i, source(i, 0));
  const ValueId x = alu(kSingleToDouble, given);
  ValueId result = kNoValue;
  switch (i.opcode) {
    case Opcode::kSin: result = sine(x, 0); break;
    case Opcode::kCos: result = sine(x, 1); break;
    case Opcode::kLg2: result = logarithm(x); break;
    case Opcode::kTanh: {
      // 1 - 2 / (2^(2 x log2 e) + 1)
      const ValueId power = exponential(alu(kFloatMul, x, real(2.8853900817779268)));
      const ValueId part = alu(kFloatDiv, real(2), alu(kFloatAdd, power, real(1)));
      result = alu(kFloatSub, real(1), part);
      break;
    }
    default: result = exponential(x);
  }
  return flushed(i, alu(kDoubleToSingle, result));
}

// Takes x + quarters * pi / 2: the rest to the nearest multiple of pi / 2, then one of two series.
ValueId KernelOperations::sine(ValueId x, std::int64_t quarters) {
  constexpr double kSine[] = {1.0 / 362880, -1.0 / 5040, 1.0 / 120, -1.0 / 6, 1};
  constexpr double kCosine[] = {-1.0 / 3628800, 1.0 / 40320, -1.0 / 720, 1.0 / 24, -0.5, 1};
  const ValueId turns = nearest_word(alu(kFloatMul, x, real(0.63661977236758134)));
  const ValueId whole = alu(kWordToDouble, turns);
  // pi / 2 in two parts, so that the product has all its digits.
  ValueId rest = alu(kFloatFma, whole, real(-1.5707963267948966), x);
  rest = alu(kFloatFma, whole, real(-6.123233995736766e-17), rest);
  const ValueId square = alu(kFloatMul, rest, rest);
  const ValueId odd = alu(kFloatMul, rest, polynomial(square, kSine));
  const ValueId even = polynomial(square, kCosine);
  const ValueId quarter = alu(kAdd, turns, number(quarters));
  const ValueId value = alu(kSel, alu(kAnd, quarter, number(1)), even, odd);
  const ValueId negative = alu(kShl, alu(kAnd, quarter, number(2)), number(62));
  // An infinity has no sine: x - x is then no number, else 0.
  return alu(kFloatAdd, alu(kXor, value, negative), alu(kFloatSub, x, x));
}

// x = m * 2^e with m from sqrt(1/2) to sqrt(2); log2 m by the series of artanh((m - 1) / (m + 1)).
ValueId KernelOperations::logarithm(ValueId x) {
  constexpr double kScale = 2.8853900817779268;  // 2 / ln 2
  constexpr double kSeries[] = {kScale / 13, kScale / 11, kScale / 9, kScale / 7,
                                kScale / 5,  kScale / 3,  kScale};
  constexpr std::int64_t kFraction = (std::int64_t{1} << 52) - 1;
  constexpr std::int64_t kRootOfHalf = 0x3fe6a09e667f3bcd;
  const ValueId from = alu(kSub, x, number(kRootOfHalf));
  const ValueId exponent = alu(kSar, from, number(52));
  const ValueId mantissa = alu(kAdd, alu(kAnd, from, number(kFraction)), number(kRootOfHalf));
  const ValueId t =
      alu(kFloatDiv, alu(kFloatSub, mantissa, real(1)), alu(kFloatAdd, mantissa, real(1)));
  const ValueId square = alu(kFloatMul, t, t);
  const ValueId value =
      alu(kFloatFma, t, polynomial(square, kSeries), alu(kWordToDouble, exponent));
  // Of 0 it is -infinity, of an infinity that, and of what is below 0 or no number a NaN: 0 / 0.
  const ValueId infinite = real(std::bit_cast<double>(std::uint64_t{0x7ff0} << 48));
  const ValueId is_finite = alu(kFloatSlt, x, infinite);
  const ValueId is_positive = alu(kFloatSlt, real(0), x);
  const ValueId is_zero = alu(kFloatSeq, x, real(0));
  const ValueId nan = number(0x7ff8000000000000);
  const ValueId other = alu(kSel, is_zero, alu(kOr, infinite, number(INT64_MIN)), nan);
  return alu(kSel, is_positive, alu(kSel, is_finite, value, x), other);
}

// 2^n * 2^f with f from -1/2 to 1/2; n is put into the exponent.
ValueId KernelOperations::exponential(ValueId x) {
  constexpr double kLn2 = 0.69314718055994531;
  constexpr double k2 = kLn2 * kLn2;
  constexpr double k4 = k2 * k2;
  constexpr double kSeries[] = {k4 * k4 / 40320,
                                k4 * k2 * kLn2 / 5040,
                                k4 * k2 / 720,
                                k4 * kLn2 / 120,
                                k4 / 24,
                                k2 * kLn2 / 6,
                                k2 / 2,
                                kLn2,
                                1};
  constexpr double kMaxArgument = 1000;  // a single is 0 or infinite long before
  const ValueId bounded =
      alu(kFloatMax, alu(kFloatMin, x, real(kMaxArgument)), real(-kMaxArgument));
  const ValueId n = nearest_word(bounded);
  const ValueId rest = alu(kFloatSub, bounded, alu(kWordToDouble, n));
  const ValueId value = alu(kAdd, polynomial(rest, kSeries), alu(kShl, n, number(52)));
  return alu(kSel, alu(kFloatSeq, x, x), value, x);
}

// .ftz: a subnormal single is a zero of its sign.
ValueId KernelOperations::flushed(const Instruction& i, ValueId single) {
  if (!i.flush_to_zero) return single;
  constexpr std::int64_t kLeastNormal = 0x00800000;
  const ValueId size = alu(kAnd, single, number(0x7fffffff));
  const ValueId is_small = alu(kSltU, size, number(kLeastNormal));
  return alu(kSel, is_small, alu(kAnd, single, number(std::int64_t{1} << 31)), single);
}

}  // namespace raddle::machine::tpa
