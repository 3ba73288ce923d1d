// The loops over lanes for every instruction that only changes registers. This file is compiled
// once for each instruction set in RADDLE_LANE_ISA (plain x86-64, and v3 with AVX2 and FMA; g++ 12
// fails on AVX-512); lane_dispatch.cpp picks one when the program starts. Nothing here may be
// visible outside but select() and kAddressLoops: an inline function shared between versions could
// end up with instructions the host lacks.
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "kernel/address_map.h"
#include "kernel/exec/address_loops.h"
#include "kernel/exec/decoded.h"
#include "kernel/exec/half_precision.h"
#include "kernel/exec/scalar_operations.h"

#ifndef RADDLE_LANE_ISA
#define RADDLE_LANE_ISA baseline
#endif

namespace raddle::kernel::exec {
namespace {

// Each builds on the ones before it.
// clang-format off
#include "kernel/exec/lane_loops.inc"
#include "kernel/exec/integer_operations.inc"
#include "kernel/exec/float_operations.inc"
#include "kernel/exec/move_operations.inc"
#include "kernel/exec/address_loops.inc"
// clang-format on

// --- choosing a loop by type --------------------------------------------------------------------------------------------

template <class F>
LaneFunction integer_binary(Type type) {
  switch (type) {
    case Type::kB16:
    case Type::kU16: return &binary<F, std::uint16_t, std::uint16_t, std::uint16_t>;
    case Type::kS16: return &binary<F, std::int16_t, std::int16_t, std::int16_t>;
    case Type::kB32:
    case Type::kU32: return &binary<F, std::uint32_t, std::uint32_t, std::uint32_t>;
    case Type::kS32: return &binary<F, std::int32_t, std::int32_t, std::int32_t>;
    case Type::kB64:
    case Type::kU64: return &binary<F, std::uint64_t, std::uint64_t, std::uint64_t>;
    case Type::kS64: return &binary<F, std::int64_t, std::int64_t, std::int64_t>;
    default: return nullptr;
  }
}
template <class F>
LaneFunction integer_unary(Type type) {
  switch (type) {
    case Type::kS16: return &unary<F, std::int16_t, std::int16_t>;
    case Type::kS32: return &unary<F, std::int32_t, std::int32_t>;
    case Type::kS64: return &unary<F, std::int64_t, std::int64_t>;
    default: return nullptr;
  }
}
template <class F>
LaneFunction integer_ternary(Type type) {
  switch (type) {
    case Type::kU16: return &ternary<F, std::uint16_t, std::uint16_t, std::uint16_t, std::uint16_t>;
    case Type::kS16: return &ternary<F, std::int16_t, std::int16_t, std::int16_t, std::int16_t>;
    case Type::kB32:
    case Type::kU32: return &ternary<F, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;
    case Type::kS32: return &ternary<F, std::int32_t, std::int32_t, std::int32_t, std::int32_t>;
    case Type::kB64:
    case Type::kU64: return &ternary<F, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t>;
    case Type::kS64: return &ternary<F, std::int64_t, std::int64_t, std::int64_t, std::int64_t>;
    default: return nullptr;
  }
}
// By size alone.
template <template <class> class Choose>
LaneFunction by_bits(Type type) {
  switch (size_of(type)) {
    case 2: return Choose<std::uint16_t>::function();
    case 4: return Choose<std::uint32_t>::function();
    case 8: return Choose<std::uint64_t>::function();
    default: return nullptr;
  }
}
template <class F>
struct UnaryBits {
  template <class T>
  struct Choose {
    static LaneFunction function() { return &unary<F, T, T>; }
  };
};
template <class F>
struct BinaryBits {
  template <class T>
  struct Choose {
    static LaneFunction function() { return &binary<F, T, T, T>; }
  };
};
template <class T>
struct SelectBits {
  static LaneFunction function() { return &select_lanes<T>; }
};
template <class F>
LaneFunction shift(Type type) {
  switch (type) {
    case Type::kB16:
    case Type::kU16: return &binary<F, std::uint16_t, std::uint16_t, std::uint32_t>;
    case Type::kS16: return &binary<F, std::int16_t, std::int16_t, std::uint32_t>;
    case Type::kB32:
    case Type::kU32: return &binary<F, std::uint32_t, std::uint32_t, std::uint32_t>;
    case Type::kS32: return &binary<F, std::int32_t, std::int32_t, std::uint32_t>;
    case Type::kB64:
    case Type::kU64: return &binary<F, std::uint64_t, std::uint64_t, std::uint32_t>;
    case Type::kS64: return &binary<F, std::int64_t, std::int64_t, std::uint32_t>;
    default: return nullptr;
  }
}

// The arity of a float functor picks the loop.
enum class Arity { kOne, kTwo, kThree };
template <class F, Arity kArity, class T>
LaneFunction loop_of() {
  if constexpr (kArity == Arity::kOne) return &unary<F, T, T>;
  if constexpr (kArity == Arity::kTwo) return &binary<F, T, T, T>;
  if constexpr (kArity == Arity::kThree) return &ternary<F, T, T, T, T>;
}
template <class F, Arity kArity, class Format>
LaneFunction half_loop(const Instruction& i, bool pair) {
  auto pick = [&]<bool kSaturate, bool kRelu>() -> LaneFunction {
    using Scalar = Half<F, Format, kSaturate, kRelu>;
    if (pair) return loop_of<HalfPair<Scalar>, kArity, std::uint32_t>();
    return loop_of<Scalar, kArity, std::uint16_t>();
  };
  if (i.saturate) return pick.template operator()<true, false>();
  if (i.relu) return pick.template operator()<false, true>();
  return pick.template operator()<false, false>();
}
template <class F, Arity kArity>
LaneFunction single_loop(const Instruction& i) {
  if (i.flush_to_zero && i.saturate) return loop_of<Modified<F, true, true>, kArity, float>();
  if (i.flush_to_zero) return loop_of<Modified<F, true, false>, kArity, float>();
  if (i.saturate) return loop_of<Modified<F, false, true>, kArity, float>();
  return loop_of<F, kArity, float>();
}
template <class F, Arity kArity>
LaneFunction float_loop(const Instruction& i) {
  switch (i.type) {
    case Type::kF32: return single_loop<F, kArity>(i);
    case Type::kF64: return loop_of<F, kArity, double>();
    case Type::kF16:
    case Type::kF16x2: {
      const bool pair = i.type == Type::kF16x2;
      return i.flush_to_zero ? half_loop<F, kArity, FlushedHalfFormat>(i, pair)
                             : half_loop<F, kArity, HalfFormat>(i, pair);
    }
    case Type::kBF16: return half_loop<F, kArity, BfloatFormat>(i, false);
    case Type::kBF16x2: return half_loop<F, kArity, BfloatFormat>(i, true);
    default: return nullptr;
  }
}
// Functions that exist in single precision only; halves go through it.
template <class F>
LaneFunction special_loop(const Instruction& i) {
  if (i.type == Type::kF32) return single_loop<F, Arity::kOne>(i);
  if (i.type == Type::kF16) return half_loop<ThroughFloat<F>, Arity::kOne, HalfFormat>(i, false);
  if (i.type == Type::kF16x2) return half_loop<ThroughFloat<F>, Arity::kOne, HalfFormat>(i, true);
  if (i.type == Type::kBF16) return half_loop<ThroughFloat<F>, Arity::kOne, BfloatFormat>(i, false);
  if (i.type == Type::kBF16x2)
    return half_loop<ThroughFloat<F>, Arity::kOne, BfloatFormat>(i, true);
  return nullptr;
}

// --- choosing a loop by opcode ------------------------------------------------------------------------------------------

LaneFunction select_carry(const Instruction& i) {
  const bool wide = size_of(i.type) == 8;
  if (i.opcode == Opcode::kAdd)
    return wide ? &carry_chain<std::uint64_t, false> : &carry_chain<std::uint32_t, false>;
  if (i.opcode == Opcode::kSub)
    return wide ? &carry_chain<std::uint64_t, true> : &carry_chain<std::uint32_t, true>;
  const bool high = i.part == MultiplyPart::kHigh;
  if (is_signed(i.type)) {
    if (wide)
      return high ? &mad_carry_chain<std::int64_t, true> : &mad_carry_chain<std::int64_t, false>;
    return high ? &mad_carry_chain<std::int32_t, true> : &mad_carry_chain<std::int32_t, false>;
  }
  if (wide)
    return high ? &mad_carry_chain<std::uint64_t, true> : &mad_carry_chain<std::uint64_t, false>;
  return high ? &mad_carry_chain<std::uint32_t, true> : &mad_carry_chain<std::uint32_t, false>;
}

template <class T>
LaneFunction multiply_wide() {
  return &binary<MulWideOp, Wide<T>, T, T>;
}
template <class T>
LaneFunction mad_wide() {
  return &ternary<MadWideOp, Wide<T>, T, T, Wide<T>>;
}
LaneFunction select_multiply(const Instruction& i) {
  const bool mad = i.opcode == Opcode::kMad;
  if (i.part == MultiplyPart::kHigh && i.saturate && mad) {
    return &ternary<MadHighSaturateOp, std::int32_t, std::int32_t, std::int32_t, std::int32_t>;
  }
  if (i.part == MultiplyPart::kHigh)
    return mad ? integer_ternary<MadHighOp>(i.type) : integer_binary<MulHighOp>(i.type);
  if (i.part == MultiplyPart::kLow || i.part == MultiplyPart::kNone) {
    return mad ? integer_ternary<MadLowOp>(i.type) : integer_binary<MulLowOp>(i.type);
  }
  switch (i.type) {
    case Type::kU16: return mad ? mad_wide<std::uint16_t>() : multiply_wide<std::uint16_t>();
    case Type::kS16: return mad ? mad_wide<std::int16_t>() : multiply_wide<std::int16_t>();
    case Type::kU32: return mad ? mad_wide<std::uint32_t>() : multiply_wide<std::uint32_t>();
    case Type::kS32: return mad ? mad_wide<std::int32_t>() : multiply_wide<std::int32_t>();
    default: return nullptr;
  }
}

LaneFunction select_float_arithmetic(const Instruction& i) {
  if (rounds_directed(i)) return &scalar_generic;
  switch (i.opcode) {
    case Opcode::kAdd: return float_loop<FloatAdd, Arity::kTwo>(i);
    case Opcode::kSub: return float_loop<FloatSub, Arity::kTwo>(i);
    case Opcode::kMul: return float_loop<FloatMul, Arity::kTwo>(i);
    case Opcode::kDiv: return float_loop<FloatDiv, Arity::kTwo>(i);
    case Opcode::kMad:
    case Opcode::kFma:
      if (i.type == Type::kBF16) return half_loop<OddFma, Arity::kThree, BfloatFormat>(i, false);
      if (i.type == Type::kBF16x2) return half_loop<OddFma, Arity::kThree, BfloatFormat>(i, true);
      return float_loop<FloatFma, Arity::kThree>(i);
    case Opcode::kAbs: return float_loop<FloatAbs, Arity::kOne>(i);
    case Opcode::kNeg: return float_loop<FloatNeg, Arity::kOne>(i);
    case Opcode::kMin:
      return i.propagate_nan ? float_loop<FloatMin<true>, Arity::kTwo>(i)
                             : float_loop<FloatMin<false>, Arity::kTwo>(i);
    case Opcode::kMax:
      return i.propagate_nan ? float_loop<FloatMax<true>, Arity::kTwo>(i)
                             : float_loop<FloatMax<false>, Arity::kTwo>(i);
    default: return nullptr;
  }
}

LaneFunction select_arithmetic(const Instruction& i) {
  if (is_float(i.type)) return select_float_arithmetic(i);
  if (i.carry_in || i.carry_out) return select_carry(i);
  switch (i.opcode) {
    case Opcode::kAdd:
      if (i.saturate) return &binary<AddSaturateOp, std::int32_t, std::int32_t, std::int32_t>;
      if (i.type == Type::kF16x2) return nullptr;
      return integer_binary<AddOp>(i.type);
    case Opcode::kSub:
      if (i.saturate) return &binary<SubSaturateOp, std::int32_t, std::int32_t, std::int32_t>;
      return integer_binary<SubOp>(i.type);
    case Opcode::kMul:
    case Opcode::kMad: return select_multiply(i);
    case Opcode::kDiv: return integer_binary<DivOp>(i.type);
    case Opcode::kRem: return integer_binary<RemOp>(i.type);
    case Opcode::kMin: return integer_binary<MinOp>(i.type);
    case Opcode::kMax: return integer_binary<MaxOp>(i.type);
    case Opcode::kAbs: return integer_unary<AbsOp>(i.type);
    case Opcode::kNeg: return integer_unary<NegOp>(i.type);
    case Opcode::kSad: return integer_ternary<SadOp>(i.type);
    default: return nullptr;
  }
}

LaneFunction select_24_bit(const Instruction& i) {
  const bool high = i.part == MultiplyPart::kHigh;
  using S = std::int32_t;
  using U = std::uint32_t;
  if (i.opcode == Opcode::kMul24) {
    if (is_signed(i.type))
      return high ? &binary<Mul24Op<true>, S, S, S> : &binary<Mul24Op<false>, S, S, S>;
    return high ? &binary<Mul24Op<true>, U, U, U> : &binary<Mul24Op<false>, U, U, U>;
  }
  if (is_signed(i.type))
    return high ? &ternary<Mad24Op<true>, S, S, S, S> : &ternary<Mad24Op<false>, S, S, S, S>;
  return high ? &ternary<Mad24Op<true>, U, U, U, U> : &ternary<Mad24Op<false>, U, U, U, U>;
}

LaneFunction select_dot_product(const Instruction& i) {
  using U = std::uint32_t;
  auto pick = [&]<class A4, class B, class A2>() -> LaneFunction {
    if (i.opcode == Opcode::kDp4a) return &ternary<Dp4aOp<A4, B>, U, U, U, U>;
    if (i.mode == Mode::kHigh) return &ternary<Dp2aOp<A2, B, true>, U, U, U, U>;
    return &ternary<Dp2aOp<A2, B, false>, U, U, U, U>;
  };
  const bool a = is_signed(i.type);
  const bool b = is_signed(i.source_type);
  if (a && b) return pick.template operator()<std::int8_t, std::int8_t, std::int16_t>();
  if (a) return pick.template operator()<std::int8_t, std::uint8_t, std::int16_t>();
  if (b) return pick.template operator()<std::uint8_t, std::int8_t, std::uint16_t>();
  return pick.template operator()<std::uint8_t, std::uint8_t, std::uint16_t>();
}

LaneFunction select_special(const Instruction& i) {
  if (rounds_directed(i)) return &scalar_generic;
  switch (i.opcode) {
    case Opcode::kRcp: return float_loop<FloatRcp, Arity::kOne>(i);
    case Opcode::kSqrt: return float_loop<FloatSqrt, Arity::kOne>(i);
    case Opcode::kRsqrt: return float_loop<FloatRsqrt, Arity::kOne>(i);
    case Opcode::kSin: return special_loop<FloatSin>(i);
    case Opcode::kCos: return special_loop<FloatCos>(i);
    case Opcode::kLg2: return special_loop<FloatLg2>(i);
    case Opcode::kEx2: return special_loop<FloatEx2>(i);
    case Opcode::kTanh: return special_loop<FloatTanh>(i);
    default: return nullptr;
  }
}

// --- comparisons --------------------------------------------------------------------------------------------------------

// Result is a predicate (setp) or a value of type D (set).
template <class F, class A>
LaneFunction compare_result(const Instruction& i) {
  if (i.opcode == Opcode::kSetp) return &set_predicate_lanes<F, A>;
  switch (i.type) {
    case Type::kB32:
    case Type::kS32:
    case Type::kU32: return &set_value_lanes<F, std::uint32_t, A>;
    case Type::kF32: return &set_value_lanes<F, float, A>;
    default: return nullptr;
  }
}
template <Compare kCompare>
LaneFunction compare_typed(const Instruction& i, Type type) {
  using F = CompareOp<kCompare>;
  switch (type) {
    case Type::kB16:
    case Type::kU16: return compare_result<F, std::uint16_t>(i);
    case Type::kS16: return compare_result<F, std::int16_t>(i);
    case Type::kB32:
    case Type::kU32: return compare_result<F, std::uint32_t>(i);
    case Type::kS32: return compare_result<F, std::int32_t>(i);
    case Type::kB64:
    case Type::kU64: return compare_result<F, std::uint64_t>(i);
    case Type::kS64: return compare_result<F, std::int64_t>(i);
    case Type::kF32:
      return i.flush_to_zero ? compare_result<FlushedCompare<F>, float>(i)
                             : compare_result<F, float>(i);
    case Type::kF64: return compare_result<F, double>(i);
    case Type::kF16:
      if (i.flush_to_zero)
        return compare_result<HalfCompare<F, FlushedHalfFormat>, std::uint16_t>(i);
      return compare_result<HalfCompare<F, HalfFormat>, std::uint16_t>(i);
    case Type::kBF16: return compare_result<HalfCompare<F, BfloatFormat>, std::uint16_t>(i);
    default: return nullptr;
  }
}
// Both halves of a packed register: dst0 the lower's predicate, dst1 the upper's; set gives a
// packed value.
template <Compare kCompare, class Format>
void compare_pair(const DecodedInstruction& d, std::byte* frame, LaneMask mask) {
  const std::uint32_t* a = at<std::uint32_t>(frame, d.source[0]);
  const std::uint32_t* b = at<std::uint32_t>(frame, d.source[1]);
  std::array<LaneMask, 2> result{};
  for (int i = 0; i < kLanes; ++i) {
    for (int half = 0; half < 2; ++half) {
      const bool holds = HalfCompare<CompareOp<kCompare>, Format>::apply(
          static_cast<std::uint16_t>(a[i] >> (16 * half)),
          static_cast<std::uint16_t>(b[i] >> (16 * half)));
      result[static_cast<std::size_t>(half)] |= static_cast<LaneMask>(holds) << i;
    }
  }
  if (d.ir->opcode == Opcode::kSetp) {
    set_predicate(frame, d.destination[0], result[0], mask);
    if (d.destination_count > 1) set_predicate(frame, d.destination[1], result[1], mask);
    return;
  }
  std::uint32_t* out = at<std::uint32_t>(frame, d.destination[0]);
  const std::uint32_t one = !is_float(d.ir->type)                ? 0xffffu
                            : std::is_same_v<Format, HalfFormat> ? 0x3c00u
                                                                 : 0x3f80u;
  for (int i = 0; i < kLanes; ++i) {
    if ((mask >> i & 1) == 0) continue;
    out[i] = ((result[0] >> i & 1) != 0 ? one : 0) | ((result[1] >> i & 1) != 0 ? one << 16 : 0);
  }
}
template <Compare kCompare>
LaneFunction compare_any(const Instruction& i, Type type) {
  if (type == Type::kF16x2) return &compare_pair<kCompare, HalfFormat>;
  if (type == Type::kBF16x2) return &compare_pair<kCompare, BfloatFormat>;
  return compare_typed<kCompare>(i, type);
}
LaneFunction select_compare(const Instruction& i) {
  const Type type = i.opcode == Opcode::kSetp ? i.type : i.source_type;
  switch (i.compare) {
    case Compare::kEq: return compare_any<Compare::kEq>(i, type);
    case Compare::kNe: return compare_any<Compare::kNe>(i, type);
    case Compare::kLt:
    case Compare::kLo: return compare_any<Compare::kLt>(i, type);
    case Compare::kLe:
    case Compare::kLs: return compare_any<Compare::kLe>(i, type);
    case Compare::kGt:
    case Compare::kHi: return compare_any<Compare::kGt>(i, type);
    case Compare::kGe:
    case Compare::kHs: return compare_any<Compare::kGe>(i, type);
    case Compare::kEqu: return compare_any<Compare::kEqu>(i, type);
    case Compare::kNeu: return compare_any<Compare::kNeu>(i, type);
    case Compare::kLtu: return compare_any<Compare::kLtu>(i, type);
    case Compare::kLeu: return compare_any<Compare::kLeu>(i, type);
    case Compare::kGtu: return compare_any<Compare::kGtu>(i, type);
    case Compare::kGeu: return compare_any<Compare::kGeu>(i, type);
    case Compare::kNum: return compare_any<Compare::kNum>(i, type);
    case Compare::kNan: return compare_any<Compare::kNan>(i, type);
    default: return nullptr;
  }
}

template <class T>
LaneFunction property_of(Mode mode) {
  switch (mode) {
    case Mode::kFinite: return &test_property<T, Mode::kFinite>;
    case Mode::kInfinite: return &test_property<T, Mode::kInfinite>;
    case Mode::kNumber: return &test_property<T, Mode::kNumber>;
    case Mode::kNotANumber: return &test_property<T, Mode::kNotANumber>;
    case Mode::kNormal: return &test_property<T, Mode::kNormal>;
    case Mode::kSubnormal: return &test_property<T, Mode::kSubnormal>;
    default: return nullptr;
  }
}

// --- moves and conversions ----------------------------------------------------------------------------------------------

LaneFunction select_move(const Instruction& i, OperandSizes sizes) {
  switch (sizes.destination) {
    case 0: return &copy_predicate;
    case 2: return &unary<CopyOp, std::uint16_t, std::uint16_t>;
    case 4:
      return sizes.source == 8 ? &unary<CopyOp, std::uint32_t, std::uint64_t>
                               : &unary<CopyOp, std::uint32_t, std::uint32_t>;
    case 8:
      return sizes.source == 4 && !is_float(i.type) ? &unary<CopyOp, std::uint64_t, std::uint32_t>
                                                    : &unary<CopyOp, std::uint64_t, std::uint64_t>;
    default: return nullptr;
  }
}

LaneFunction select_pack(const Instruction& i) {
  const std::size_t parts = i.opcode == Opcode::kPack ? i.sources.size() : i.destinations.size();
  const bool packing = i.opcode == Opcode::kPack;
  const int whole = size_of(i.type);
  if (whole == 8 && parts == 2)
    return packing ? &pack<std::uint64_t, std::uint32_t> : &unpack<std::uint64_t, std::uint32_t>;
  if (whole == 8 && parts == 4)
    return packing ? &pack<std::uint64_t, std::uint16_t> : &unpack<std::uint64_t, std::uint16_t>;
  if (whole == 4 && parts == 2)
    return packing ? &pack<std::uint32_t, std::uint16_t> : &unpack<std::uint32_t, std::uint16_t>;
  return nullptr;
}

template <class T>
LaneFunction round_loop(Rounding rounding) {
  switch (rounding) {
    case Rounding::kNearestInt: return &unary<RoundOp<Rounding::kNearestInt>, T, T>;
    case Rounding::kZeroInt: return &unary<RoundOp<Rounding::kZeroInt>, T, T>;
    case Rounding::kDownInt: return &unary<RoundOp<Rounding::kDownInt>, T, T>;
    case Rounding::kUpInt: return &unary<RoundOp<Rounding::kUpInt>, T, T>;
    default: return nullptr;
  }
}

// A loop for the conversion if it is a common one: registers as wide as their types, no saturation,
// usual rounding.
LaneFunction common_conversion(const Instruction& i, OperandSizes sizes) {
  if (i.saturate || i.relu || i.flush_to_zero || sizes.destination != size_of(i.type))
    return nullptr;
  const bool from_float = is_float(i.source_type);
  const bool to_float = is_float(i.type);
  const Rounding r = i.rounding;
  if (from_float && to_float) {
    if (i.type == i.source_type && i.type == Type::kF32) return round_loop<float>(r);
    if (i.type == i.source_type && i.type == Type::kF64) return round_loop<double>(r);
    if (r != Rounding::kNone && r != Rounding::kNearestEven) return nullptr;
  }
  if (from_float && !to_float && r != Rounding::kZeroInt) return nullptr;
  if (!from_float && to_float && r != Rounding::kNearestEven) return nullptr;
  switch (i.source_type) {
    case Type::kU8:
    case Type::kB8:
      return sizes.source == 2   ? convert_from<std::uint8_t, std::uint16_t>(i.type)
             : sizes.source == 4 ? convert_from<std::uint8_t, std::uint32_t>(i.type)
                                 : nullptr;
    case Type::kS8:
      return sizes.source == 2   ? convert_from<std::int8_t, std::uint16_t>(i.type)
             : sizes.source == 4 ? convert_from<std::int8_t, std::uint32_t>(i.type)
                                 : nullptr;
    case Type::kU16:
    case Type::kB16:
      return sizes.source == 2   ? convert_from<std::uint16_t, std::uint16_t>(i.type)
             : sizes.source == 4 ? convert_from<std::uint16_t, std::uint32_t>(i.type)
                                 : nullptr;
    case Type::kS16:
      return sizes.source == 2   ? convert_from<std::int16_t, std::uint16_t>(i.type)
             : sizes.source == 4 ? convert_from<std::int16_t, std::uint32_t>(i.type)
                                 : nullptr;
    case Type::kU32:
    case Type::kB32:
      return sizes.source == 4 ? convert_from<std::uint32_t, std::uint32_t>(i.type) : nullptr;
    case Type::kS32:
      return sizes.source == 4 ? convert_from<std::int32_t, std::uint32_t>(i.type) : nullptr;
    case Type::kU64:
    case Type::kB64: return convert_from<std::uint64_t, std::uint64_t>(i.type);
    case Type::kS64: return convert_from<std::int64_t, std::uint64_t>(i.type);
    case Type::kF32: return convert_from<float, float>(i.type);
    case Type::kF64: return convert_from<double, double>(i.type);
    default: return nullptr;
  }
}

// --- logic --------------------------------------------------------------------------------------------------------------

LaneFunction select_funnel(Mode mode) {
  using U = std::uint32_t;
  switch (mode) {
    case Mode::kFunnelLeftClamp: return &ternary<FunnelOp<Mode::kFunnelLeftClamp>, U, U, U, U>;
    case Mode::kFunnelLeftWrap: return &ternary<FunnelOp<Mode::kFunnelLeftWrap>, U, U, U, U>;
    case Mode::kFunnelRightClamp: return &ternary<FunnelOp<Mode::kFunnelRightClamp>, U, U, U, U>;
    default: return &ternary<FunnelOp<Mode::kFunnelRightWrap>, U, U, U, U>;
  }
}
LaneFunction select_permute(Mode mode) {
  using U = std::uint32_t;
  switch (mode) {
    case Mode::kPermuteF4e: return &ternary<PermuteOp<Mode::kPermuteF4e>, U, U, U, U>;
    case Mode::kPermuteB4e: return &ternary<PermuteOp<Mode::kPermuteB4e>, U, U, U, U>;
    case Mode::kPermuteRc8: return &ternary<PermuteOp<Mode::kPermuteRc8>, U, U, U, U>;
    case Mode::kPermuteEcl: return &ternary<PermuteOp<Mode::kPermuteEcl>, U, U, U, U>;
    case Mode::kPermuteEcr: return &ternary<PermuteOp<Mode::kPermuteEcr>, U, U, U, U>;
    case Mode::kPermuteRc16: return &ternary<PermuteOp<Mode::kPermuteRc16>, U, U, U, U>;
    default: return &ternary<PermuteOp<Mode::kNone>, U, U, U, U>;
  }
}
template <class F>
LaneFunction count_bits(Type type) {
  if (size_of(type) == 8) return &unary<F, std::uint32_t, std::uint64_t>;
  return &unary<F, std::uint32_t, std::uint32_t>;
}
template <bool kShiftAmount>
LaneFunction find_bit(Type type) {
  using F = BfindOp<kShiftAmount>;
  switch (type) {
    case Type::kS32: return &unary<F, std::uint32_t, std::int32_t>;
    case Type::kS64: return &unary<F, std::uint32_t, std::int64_t>;
    case Type::kU64: return &unary<F, std::uint32_t, std::uint64_t>;
    default: return &unary<F, std::uint32_t, std::uint32_t>;
  }
}
template <class T>
LaneFunction extract_field() {
  return &ternary<BfeOp, T, T, std::uint32_t, std::uint32_t>;
}
LaneFunction select_field(const Instruction& i) {
  using U = std::uint32_t;
  switch (i.opcode) {
    case Opcode::kBfe:
      if (i.type == Type::kS32) return extract_field<std::int32_t>();
      if (i.type == Type::kS64) return extract_field<std::int64_t>();
      return size_of(i.type) == 8 ? extract_field<std::uint64_t>() : extract_field<std::uint32_t>();
    case Opcode::kBfi:
      return size_of(i.type) == 8
                 ? &quaternary<BfiOp, std::uint64_t, std::uint64_t, std::uint64_t, U, U>
                 : &quaternary<BfiOp, U, U, U, U, U>;
    case Opcode::kBmsk:
      return i.mode == Mode::kWrap ? &binary<BmskOp<true>, U, U, U>
                                   : &binary<BmskOp<false>, U, U, U>;
    default:
      if (is_signed(i.type)) {
        using S = std::int32_t;
        return i.mode == Mode::kWrap ? &binary<SzextOp<true>, S, S, U>
                                     : &binary<SzextOp<false>, S, S, U>;
      }
      return i.mode == Mode::kWrap ? &binary<SzextOp<true>, U, U, U>
                                   : &binary<SzextOp<false>, U, U, U>;
  }
}
template <class F>
LaneFunction bitwise(Type type) {
  if (type == Type::kPred) return &logic_predicate<F>;
  return by_bits<BinaryBits<F>::template Choose>(type);
}
LaneFunction select_logic(const Instruction& i) {
  using U = std::uint32_t;
  switch (i.opcode) {
    case Opcode::kAnd: return bitwise<AndOp>(i.type);
    case Opcode::kOr: return bitwise<OrOp>(i.type);
    case Opcode::kXor: return bitwise<XorOp>(i.type);
    case Opcode::kNot:
      return i.type == Type::kPred ? &not_predicate : by_bits<UnaryBits<NotOp>::Choose>(i.type);
    case Opcode::kCnot: return by_bits<UnaryBits<CnotOp>::Choose>(i.type);
    case Opcode::kShl: return shift<ShlOp>(i.type);
    case Opcode::kShr: return shift<ShrOp>(i.type);
    case Opcode::kShf: return select_funnel(i.mode);
    case Opcode::kLop3: return &quaternary<Lop3Op, U, U, U, U, U>;
    case Opcode::kPrmt: return select_permute(i.mode);
    case Opcode::kPopc: return count_bits<PopcOp>(i.type);
    case Opcode::kClz: return count_bits<ClzOp>(i.type);
    case Opcode::kBfind:
      return i.mode == Mode::kShiftAmount ? find_bit<true>(i.type) : find_bit<false>(i.type);
    case Opcode::kBrev: return by_bits<UnaryBits<BrevOp>::Choose>(i.type);
    case Opcode::kFns: return &ternary<FnsOp, U, U, U, U>;
    default: return select_field(i);
  }
}

template <class T, class C, bool kFlush>
struct SlctOp {
  static T apply(T a, T b, C c) { return (kFlush ? flushed(c) : c) >= 0 ? a : b; }
};
template <class T>
LaneFunction select_slct_of(const Instruction& i) {
  if (i.source_type != Type::kF32)
    return &ternary<SlctOp<T, std::int32_t, false>, T, T, T, std::int32_t>;
  return i.flush_to_zero ? &ternary<SlctOp<T, float, true>, T, T, T, float>
                         : &ternary<SlctOp<T, float, false>, T, T, T, float>;
}
LaneFunction select_slct(const Instruction& i) {
  switch (size_of(i.type)) {
    case 2: return select_slct_of<std::uint16_t>(i);
    case 8: return select_slct_of<std::uint64_t>(i);
    default: return select_slct_of<std::uint32_t>(i);
  }
}

}  // namespace

namespace RADDLE_LANE_ISA {

extern const AddressLoops kAddressLoops;
const AddressLoops kAddressLoops{&scan_addresses, &same_address_pattern};

LaneFunction select(const Instruction& i, OperandSizes sizes) {
  switch (i.opcode) {
    case Opcode::kMov: return select_move(i, sizes);
    case Opcode::kPack:
    case Opcode::kUnpack: return select_pack(i);
    case Opcode::kCvta:
      return sizes.destination == 8 ? &convert_address<std::uint64_t>
                                    : &convert_address<std::uint32_t>;
    case Opcode::kIsSpace: return &is_space;
    case Opcode::kSelp:
      return sizes.destination == 0 ? &select_predicate : by_bits<SelectBits>(i.type);
    case Opcode::kSlct: return select_slct(i);
    case Opcode::kCvt: {
      const LaneFunction common = common_conversion(i, sizes);
      return common != nullptr ? common : &convert_generic;
    }
    case Opcode::kAdd:
    case Opcode::kSub:
    case Opcode::kMul:
    case Opcode::kMad:
    case Opcode::kFma:
    case Opcode::kDiv:
    case Opcode::kRem:
    case Opcode::kMin:
    case Opcode::kMax:
    case Opcode::kAbs:
    case Opcode::kNeg:
    case Opcode::kSad: return select_arithmetic(i);
    case Opcode::kMul24:
    case Opcode::kMad24: return select_24_bit(i);
    case Opcode::kDp4a:
    case Opcode::kDp2a: return select_dot_product(i);
    case Opcode::kCopysign:
      return i.type == Type::kF64 ? &binary<FloatCopysign, double, double, double>
                                  : &binary<FloatCopysign, float, float, float>;
    case Opcode::kRcp:
    case Opcode::kSqrt:
    case Opcode::kRsqrt:
    case Opcode::kSin:
    case Opcode::kCos:
    case Opcode::kLg2:
    case Opcode::kEx2:
    case Opcode::kTanh: return select_special(i);
    case Opcode::kTestp:
      return i.type == Type::kF64 ? property_of<double>(i.mode) : property_of<float>(i.mode);
    case Opcode::kSet:
    case Opcode::kSetp: return select_compare(i);
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor:
    case Opcode::kNot:
    case Opcode::kCnot:
    case Opcode::kLop3:
    case Opcode::kShl:
    case Opcode::kShr:
    case Opcode::kShf:
    case Opcode::kPrmt:
    case Opcode::kPopc:
    case Opcode::kClz:
    case Opcode::kBfind:
    case Opcode::kFns:
    case Opcode::kBrev:
    case Opcode::kBfe:
    case Opcode::kBfi:
    case Opcode::kBmsk:
    case Opcode::kSzext: return select_logic(i);
    default: return nullptr;
  }
}

}  // namespace RADDLE_LANE_ISA
}  // namespace raddle::kernel::exec
