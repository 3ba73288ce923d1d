// cvt between all types with all roundings and saturation, and all comparisons.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "exact_float.h"
#include "kernel/exec/scalar_operations.h"
#include "lane_check.h"

namespace raddle::kernel::exec {
namespace {

const std::vector<Type> kIntegers{Type::kU8,  Type::kS8,  Type::kU16, Type::kS16,
                                  Type::kU32, Type::kS32, Type::kU64, Type::kS64};
const std::vector<Type> kFloats{Type::kF16, Type::kBF16, Type::kF32, Type::kF64};
const std::vector<Rounding> kRoundings{Rounding::kNearestEven, Rounding::kZero, Rounding::kDown,
                                       Rounding::kUp};
const std::vector<Rounding> kWholeRoundings{Rounding::kNearestInt, Rounding::kZeroInt,
                                            Rounding::kDownInt, Rounding::kUpInt};

__extension__ typedef __int128 Wide;

Wide number(Type type, std::uint64_t bits) {
  if (is_signed(type)) return sign_extended(bits, size_of(type));
  return static_cast<Wide>(truncated(bits, size_of(type)));
}
Wide least(Type type) { return is_signed(type) ? -(Wide{1} << (8 * size_of(type) - 1)) : Wide{0}; }
Wide greatest(Type type) {
  return (Wide{1} << (8 * size_of(type) - (is_signed(type) ? 1 : 0))) - 1;
}

// A register may be wider than the type it holds: the rest is filled by the type's sign.
std::uint64_t in_register(Type type, Wide value, int register_bytes) {
  const std::uint64_t low = truncated(static_cast<std::uint64_t>(value), size_of(type));
  return truncated(
      is_signed(type) ? static_cast<std::uint64_t>(sign_extended(low, size_of(type))) : low,
      register_bytes);
}

struct Conversion {
  Type to;
  Type from;
  Rounding rounding = Rounding::kNone;
  bool saturate = false;
  bool flush = false;
};
std::string title(const Conversion& c) {
  return "cvt " + std::string(name_of(c.to)) + " from " + std::string(name_of(c.from)) + " " +
         std::string(name_of(c.rounding)) + (c.saturate ? " sat" : "") + (c.flush ? " ftz" : "");
}
void check_conversion(const Conversion& c, Type to_register, Type from_register,
                      const Oracle& oracle) {
  auto modify = [&](Instruction& i) {
    i.source_type = c.from;
    i.rounding = c.rounding;
    i.saturate = c.saturate;
    i.flush_to_zero = c.flush;
  };
  check_lanes({title(c),
               instruction_of(Opcode::kCvt, c.to, modify),
               {to_register},
               {from_register},
               oracle},
              9);
}
Type register_for(Type type) { return size_of(type) == 1 ? Type::kU16 : type; }

TEST(ConversionLanes, IntegersAreExtendedCutOrSaturated) {
  for (Type to : kIntegers) {
    for (Type from : kIntegers) {
      for (const bool saturate : {false, true}) {
        // clang keeps bytes and shorts in 16-bit and 32-bit registers alike.
        for (Type to_register : {register_for(to), Type::kU32}) {
          for (Type from_register : {register_for(from), Type::kU32}) {
            if (size_of(to_register) < size_of(to) || size_of(from_register) < size_of(from))
              continue;
            check_conversion({to, from, Rounding::kNone, saturate}, to_register, from_register,
                             [=](const Operands& o) -> Results {
                               Wide value = number(from, o[0]);
                               if (saturate) value = std::clamp(value, least(to), greatest(to));
                               return {in_register(to, value, size_of(to_register))};
                             });
          }
        }
      }
    }
  }
}

TEST(ConversionLanes, IntegersBecomeFloatsRoundedOnce) {
  for (Type to : kFloats) {
    for (Type from : kIntegers) {
      for (Rounding rounding : kRoundings) {
        check_conversion(
            {to, from, rounding}, to, register_for(from), [=](const Operands& o) -> Results {
              return {round_exact(to, {static_cast<Quad>(number(from, o[0])), 0}, rounding)};
            });
      }
    }
  }
}

TEST(ConversionLanes, IntegersBecomeFloatsWithinZeroAndOne) {
  for (Type to : kFloats) {
    for (Type from : kIntegers) {
      check_conversion(
          {to, from, Rounding::kNearestEven, true}, to, register_for(from),
          [=](const Operands& o) -> Results {
            const Wide cut = std::clamp<Wide>(number(from, o[0]), 0, 1);
            return {round_exact(to, {static_cast<Quad>(cut), 0}, Rounding::kNearestEven)};
          });
    }
  }
}

TEST(ConversionLanes, IntegersNearATieOfBfloatAreNotRoundedTwice) {
  // 2^32 + 2^24 lies half-way between two bfloats; one more must go up, although a float cannot
  // hold it.
  for (Type from : {Type::kU64, Type::kS64}) {
    const Instruction instruction = instruction_of(Opcode::kCvt, Type::kBF16, [=](Instruction& i) {
      i.source_type = from;
      i.rounding = Rounding::kNearestEven;
    });
    EXPECT_EQ(convert_scalar(instruction, (1ull << 32) + (1ull << 24)), 0x4f80u);
    EXPECT_EQ(convert_scalar(instruction, (1ull << 32) + (1ull << 24) + 1), 0x4f81u);
    EXPECT_EQ(convert_scalar(instruction, (1ull << 60) + (1ull << 52) + 1), 0x5d81u);
    EXPECT_EQ(convert_scalar(instruction, (1ull << 60) + (1ull << 52)), 0x5d80u);
  }
}

TEST(ConversionLanes, FloatsBecomeIntegersSaturatedWithNanAsTheManualSays) {
  for (Type to : kIntegers) {
    for (Type from : kFloats) {
      for (Rounding rounding : kWholeRoundings) {
        for (const bool flush : {false, true}) {
          if (flush && from != Type::kF32) continue;
          const Type to_register = register_for(to);
          check_conversion(
              {to, from, rounding, false, flush}, to_register, from,
              [=](const Operands& o) -> Results {
                const Quad value = quad_of(from, flush ? flushed_bits(from, o[0]) : o[0]);
                if (value != value) {
                  const bool wide = from == Type::kF64 || size_of(to) == 8;
                  return {in_register(to, wide ? Wide{1} << (8 * size_of(to) - 1) : Wide{0},
                                      size_of(to_register))};
                }
                const Quad whole = round_to_whole(value, rounding);
                Wide result = whole >= static_cast<Quad>(greatest(to)) ? greatest(to)
                              : whole <= static_cast<Quad>(least(to))  ? least(to)
                                                                       : static_cast<Wide>(whole);
                return {in_register(to, result, size_of(to_register))};
              });
        }
      }
    }
  }
}

TEST(ConversionLanes, FloatsBecomeFloatsRoundedOnce) {
  for (Type to : kFloats) {
    for (Type from : kFloats) {
      for (Rounding rounding : kRoundings) {
        for (const bool saturate : {false, true}) {
          for (const bool flush : {false, true}) {
            if (to == from && rounding != Rounding::kNearestEven) continue;
            if (flush && from != Type::kF32 && to != Type::kF32) continue;
            check_conversion({to, from, to == from ? Rounding::kNone : rounding, saturate, flush},
                             to, from, [=](const Operands& o) -> Results {
                               const std::uint64_t in =
                                   flush && from == Type::kF32 ? flushed_bits(from, o[0]) : o[0];
                               const Quad value = quad_of(from, in);
                               if (saturate) {
                                 const Quad cut =
                                     value > 0 ? (value < 1 ? value : Quad(1)) : Quad(0);
                                 const std::uint64_t bits = round_exact(to, {cut, 0}, rounding);
                                 return {flush && to == Type::kF32 ? flushed_bits(to, bits) : bits};
                               }
                               const std::uint64_t bits = round_exact(to, {value, 0}, rounding);
                               return {flush && to == Type::kF32 ? flushed_bits(to, bits) : bits};
                             });
          }
        }
      }
    }
  }
}

TEST(ConversionLanes, FloatsAreRoundedToWholeNumbers) {
  for (Type type : {Type::kF16, Type::kF32, Type::kF64}) {
    for (Rounding rounding : kWholeRoundings) {
      check_conversion({type, type, rounding}, type, type, [=](const Operands& o) -> Results {
        return {round_exact(type, {round_to_whole(quad_of(type, o[0]), rounding), 0},
                            Rounding::kNearestEven)};
      });
    }
  }
}

TEST(ConversionLanes, TwoFloatsArePackedIntoHalves) {
  for (Type pair : {Type::kF16x2, Type::kBF16x2}) {
    const Type half = pair == Type::kF16x2 ? Type::kF16 : Type::kBF16;
    for (const bool relu : {false, true}) {
      for (Rounding rounding : {Rounding::kNearestEven, Rounding::kZero}) {
        auto modify = [=](Instruction& i) {
          i.source_type = Type::kF32;
          i.rounding = rounding;
          i.relu = relu;
        };
        auto one = [=](std::uint64_t bits) {
          const Quad value = quad_of(Type::kF32, bits);
          return round_exact(half, {relu && !(value > 0) && value == value ? Quad(0) : value, 0},
                             rounding);
        };
        check_lanes({"cvt " + std::string(name_of(pair)),
                     instruction_of(Opcode::kCvt, pair, modify),
                     {pair},
                     {Type::kF32, Type::kF32},
                     [=](const Operands& o) -> Results { return {one(o[0]) << 16 | one(o[1])}; }});
      }
    }
  }
}

// --- comparisons --------------------------------------------------------------------------------------------------------

const std::vector<Compare> kOrdered{Compare::kEq, Compare::kNe, Compare::kLt,
                                    Compare::kLe, Compare::kGt, Compare::kGe};
const std::vector<Compare> kUnsignedWords{Compare::kLo, Compare::kLs, Compare::kHi, Compare::kHs};
const std::vector<Compare> kUnordered{Compare::kEqu, Compare::kNeu, Compare::kLtu, Compare::kLeu,
                                      Compare::kGtu, Compare::kGeu, Compare::kNum, Compare::kNan};

// sign: -1, 0 or 1 for less, equal, greater; 2 for unordered.
bool holds(Compare compare, int sign) {
  const bool unordered = sign == 2;
  switch (compare) {
    case Compare::kEq: return sign == 0;
    case Compare::kNe: return sign == 1 || sign == -1;
    case Compare::kLt:
    case Compare::kLo: return sign == -1;
    case Compare::kLe:
    case Compare::kLs: return sign == -1 || sign == 0;
    case Compare::kGt:
    case Compare::kHi: return sign == 1;
    case Compare::kGe:
    case Compare::kHs: return sign == 1 || sign == 0;
    case Compare::kEqu: return unordered || sign == 0;
    case Compare::kNeu: return unordered || sign != 0;
    case Compare::kLtu: return unordered || sign == -1;
    case Compare::kLeu: return unordered || sign <= 0;
    case Compare::kGtu: return unordered || sign == 1;
    case Compare::kGeu: return unordered || sign >= 0;
    case Compare::kNum: return !unordered;
    default: return unordered;
  }
}
int order_of(Type type, std::uint64_t a, std::uint64_t b, bool flush) {
  if (!is_float(type)) {
    const Wide x = number(type, a);
    const Wide y = number(type, b);
    return x < y ? -1 : x > y ? 1 : 0;
  }
  const Quad x = quad_of(type, flush ? flushed_bits(type, a) : a);
  const Quad y = quad_of(type, flush ? flushed_bits(type, b) : b);
  return x < y ? -1 : x > y ? 1 : x == y ? 0 : 2;
}
bool combine(Combine combine, bool a, bool b) {
  switch (combine) {
    case Combine::kAnd: return a && b;
    case Combine::kOr: return a || b;
    case Combine::kXor: return a != b;
    default: return a;
  }
}

void check_comparison(Type type, Compare compare, Combine with, bool flush) {
  auto modify = [=](Instruction& i) {
    i.compare = compare;
    i.combine = with;
    i.flush_to_zero = flush;
  };
  const std::string name = std::string(name_of(compare)) + "." + std::string(name_of(type)) +
                           (flush ? " ftz " : " ") + std::string(name_of(with));
  std::vector<Type> sources{type, type};
  if (with != Combine::kNone) sources.push_back(Type::kPred);
  check_lanes({"setp." + name,
               instruction_of(Opcode::kSetp, type, modify),
               {Type::kPred, Type::kPred},
               sources,
               [=](const Operands& o) -> Results {
                 const bool result = holds(compare, order_of(type, o[0], o[1], flush));
                 return {combine(with, result, o[2] != 0), combine(with, !result, o[2] != 0)};
               }},
              6);
  for (Type to : {Type::kU32, Type::kF32}) {
    auto value = [=](Instruction& i) {
      modify(i);
      i.source_type = type;
    };
    check_lanes({"set." + name,
                 instruction_of(Opcode::kSet, to, value),
                 {to},
                 sources,
                 [=](const Operands& o) -> Results {
                   const bool result =
                       combine(with, holds(compare, order_of(type, o[0], o[1], flush)), o[2] != 0);
                   return {!result ? 0u : to == Type::kF32 ? 0x3f800000u : 0xffffffffu};
                 }},
                6);
  }
}

TEST(CompareLanes, IntegersCompareByTheirSign) {
  for (Type type : {Type::kU16, Type::kS16, Type::kU32, Type::kS32, Type::kU64, Type::kS64}) {
    for (Compare compare : kOrdered) check_comparison(type, compare, Combine::kNone, false);
  }
  for (Type type : {Type::kU16, Type::kU32, Type::kU64}) {
    for (Compare compare : kUnsignedWords) check_comparison(type, compare, Combine::kNone, false);
  }
}

TEST(CompareLanes, FloatsCompareOrderedAndUnordered) {
  for (Type type : kFloats) {
    for (Compare compare : kOrdered) check_comparison(type, compare, Combine::kNone, false);
    for (Compare compare : kUnordered) check_comparison(type, compare, Combine::kNone, false);
  }
  for (Compare compare : kOrdered) check_comparison(Type::kF32, compare, Combine::kNone, true);
  for (Compare compare : kOrdered) check_comparison(Type::kF16, compare, Combine::kNone, true);
}

TEST(CompareLanes, ResultsCombineWithAPredicate) {
  for (Combine with : {Combine::kAnd, Combine::kOr, Combine::kXor}) {
    check_comparison(Type::kS32, Compare::kLt, with, false);
    check_comparison(Type::kF64, Compare::kNeu, with, false);
    check_comparison(Type::kF32, Compare::kGe, with, true);
  }
}

TEST(CompareLanes, PackedHalvesGiveTwoPredicates) {
  for (Type pair : {Type::kF16x2, Type::kBF16x2}) {
    const Type half = pair == Type::kF16x2 ? Type::kF16 : Type::kBF16;
    for (Compare compare : {Compare::kEq, Compare::kLt, Compare::kNeu, Compare::kNan}) {
      check_lanes(
          {"setp." + std::string(name_of(pair)),
           instruction_of(Opcode::kSetp, pair, [=](Instruction& i) { i.compare = compare; }),
           {Type::kPred, Type::kPred},
           {pair, pair},
           [=](const Operands& o) -> Results {
             return {holds(compare, order_of(half, o[0] & 0xffff, o[1] & 0xffff, false)),
                     holds(compare, order_of(half, o[0] >> 16, o[1] >> 16, false))};
           }});
    }
  }
}

}  // namespace
}  // namespace raddle::kernel::exec
