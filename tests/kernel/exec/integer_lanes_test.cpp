// Every integer and bitwise loop against a scalar computation written from the PTX manual's own
// pseudo-code.
#include <gtest/gtest.h>

#include <string>

#include "lane_check.h"

namespace raddle::kernel::exec {
namespace {

__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 UnsignedWide;

const std::vector<Type> kSigned{Type::kS16, Type::kS32, Type::kS64};
const std::vector<Type> kIntegers{Type::kU16, Type::kS16, Type::kU32,
                                  Type::kS32, Type::kU64, Type::kS64};

// An operand as the number its type says.
Wide number(Type type, std::uint64_t bits) {
  if (is_signed(type)) return sign_extended(bits, size_of(type));
  return static_cast<Wide>(UnsignedWide{truncated(bits, size_of(type))});
}
std::uint64_t low(Type type, Wide value) {
  return truncated(static_cast<std::uint64_t>(value), size_of(type));
}
std::string title(std::string_view word, Type type) {
  return std::string(word) + "." + std::string(name_of(type));
}

using Binary = Wide (*)(Wide, Wide);
void check_binary(const char* word, Opcode opcode, Type type, Binary f,
                  const std::function<void(Instruction&)>& modify = {}) {
  check_lanes({title(word, type),
               instruction_of(opcode, type, modify),
               {type},
               {type, type},
               [=](const Operands& o) -> Results {
                 return {low(type, f(number(type, o[0]), number(type, o[1])))};
               }});
}

TEST(IntegerLanes, AddSubtractAndLowMultiplyWrap) {
  for (Type type : kIntegers) {
    check_binary("add", Opcode::kAdd, type, [](Wide a, Wide b) { return a + b; });
    check_binary("sub", Opcode::kSub, type, [](Wide a, Wide b) { return a - b; });
    check_binary(
        "mul.lo", Opcode::kMul, type,
        [](Wide a, Wide b) { return static_cast<Wide>(UnsignedWide(a) * UnsignedWide(b)); },
        [](Instruction& i) { i.part = MultiplyPart::kLow; });
  }
}

TEST(IntegerLanes, MinimumAndMaximumFollowTheSign) {
  for (Type type : kIntegers) {
    check_binary("min", Opcode::kMin, type, [](Wide a, Wide b) { return a < b ? a : b; });
    check_binary("max", Opcode::kMax, type, [](Wide a, Wide b) { return a > b ? a : b; });
  }
}

TEST(IntegerLanes, DivisionByZeroGivesAllOnesAndTheRemainderTheDividend) {
  for (Type type : kIntegers) {
    check_binary("div", Opcode::kDiv, type,
                 [](Wide a, Wide b) { return b == 0 ? Wide{-1} : a / b; });
    check_binary("rem", Opcode::kRem, type, [](Wide a, Wide b) { return b == 0 ? a : a % b; });
  }
}

TEST(IntegerLanes, SaturatingAddAndSubtractStayInRange) {
  auto cut = [](Wide v) {
    return v > INT32_MAX ? Wide{INT32_MAX} : v < INT32_MIN ? Wide{INT32_MIN} : v;
  };
  static auto saturate = cut;
  auto modify = [](Instruction& i) { i.saturate = true; };
  check_binary(
      "add.sat", Opcode::kAdd, Type::kS32, [](Wide a, Wide b) { return saturate(a + b); }, modify);
  check_binary(
      "sub.sat", Opcode::kSub, Type::kS32, [](Wide a, Wide b) { return saturate(a - b); }, modify);
}

TEST(IntegerLanes, AbsoluteValueAndNegationWrapAtTheLeastNumber) {
  for (Type type : kSigned) {
    check_lanes({title("abs", type),
                 instruction_of(Opcode::kAbs, type),
                 {type},
                 {type},
                 [=](const Operands& o) -> Results {
                   const Wide a = number(type, o[0]);
                   return {low(type, a < 0 ? -a : a)};
                 }});
    check_lanes({title("neg", type),
                 instruction_of(Opcode::kNeg, type),
                 {type},
                 {type},
                 [=](const Operands& o) -> Results { return {low(type, -number(type, o[0]))}; }});
  }
}

// The product in 128 bits, whose upper half for 64-bit operands needs care with the sign.
UnsignedWide product(Type type, std::uint64_t a, std::uint64_t b) {
  return static_cast<UnsignedWide>(number(type, a)) * static_cast<UnsignedWide>(number(type, b));
}
std::uint64_t high(Type type, UnsignedWide value) {
  return truncated(static_cast<std::uint64_t>(value >> (8 * size_of(type))), size_of(type));
}
Type twice(Type type) {
  switch (type) {
    case Type::kU16: return Type::kU32;
    case Type::kS16: return Type::kS32;
    case Type::kU32: return Type::kU64;
    default: return Type::kS64;
  }
}

TEST(IntegerLanes, HighMultiplyGivesTheUpperHalf) {
  for (Type type : kIntegers) {
    check_lanes(
        {title("mul.hi", type),
         instruction_of(Opcode::kMul, type, [](Instruction& i) { i.part = MultiplyPart::kHigh; }),
         {type},
         {type, type},
         [=](const Operands& o) -> Results { return {high(type, product(type, o[0], o[1]))}; }});
  }
}

TEST(IntegerLanes, WideMultiplyGivesTheWholeProduct) {
  for (Type type : {Type::kU16, Type::kS16, Type::kU32, Type::kS32}) {
    const Type wide = twice(type);
    auto modify = [](Instruction& i) { i.part = MultiplyPart::kWide; };
    check_lanes({title("mul.wide", type),
                 instruction_of(Opcode::kMul, type, modify),
                 {wide},
                 {type, type},
                 [=](const Operands& o) -> Results {
                   return {low(wide, static_cast<Wide>(product(type, o[0], o[1])))};
                 }});
    check_lanes(
        {title("mad.wide", type),
         instruction_of(Opcode::kMad, type, modify),
         {wide},
         {type, type, wide},
         [=](const Operands& o) -> Results {
           return {low(wide, static_cast<Wide>(product(type, o[0], o[1]) + UnsignedWide{o[2]}))};
         }});
  }
}

TEST(IntegerLanes, MultiplyAddTakesTheLowOrHighHalf) {
  for (Type type : kIntegers) {
    check_lanes(
        {title("mad.lo", type),
         instruction_of(Opcode::kMad, type, [](Instruction& i) { i.part = MultiplyPart::kLow; }),
         {type},
         {type, type, type},
         [=](const Operands& o) -> Results {
           return {truncated(static_cast<std::uint64_t>(product(type, o[0], o[1])) + o[2],
                             size_of(type))};
         }});
    check_lanes(
        {title("mad.hi", type),
         instruction_of(Opcode::kMad, type, [](Instruction& i) { i.part = MultiplyPart::kHigh; }),
         {type},
         {type, type, type},
         [=](const Operands& o) -> Results {
           return {truncated(high(type, product(type, o[0], o[1])) + o[2], size_of(type))};
         }});
  }
  auto saturating = [](Instruction& i) {
    i.part = MultiplyPart::kHigh;
    i.saturate = true;
  };
  check_lanes({"mad.hi.sat.s32",
               instruction_of(Opcode::kMad, Type::kS32, saturating),
               {Type::kS32},
               {Type::kS32, Type::kS32, Type::kS32},
               [](const Operands& o) -> Results {
                 const Wide sum =
                     sign_extended(high(Type::kS32, product(Type::kS32, o[0], o[1])), 4) +
                     sign_extended(o[2], 4);
                 return {low(Type::kS32, sum > INT32_MAX   ? Wide{INT32_MAX}
                                         : sum < INT32_MIN ? Wide{INT32_MIN}
                                                           : sum)};
               }});
}

TEST(IntegerLanes, CarriesTravelThroughAddAndSubtract) {
  for (Type type : {Type::kU32, Type::kS32, Type::kU64, Type::kS64}) {
    const int bits = size_of(type) * 8;
    for (int form = 1; form < 4; ++form) {
      const bool in = (form & 1) != 0;
      const bool out = (form & 2) != 0;
      auto modify = [=](Instruction& i) {
        i.carry_in = in;
        i.carry_out = out;
      };
      std::vector<Type> destinations{type};
      if (out) destinations.push_back(Type::kPred);
      std::vector<Type> sources{type, type};
      if (in) sources.push_back(Type::kPred);
      const std::string suffix = std::string(in ? "c" : "") + (out ? ".cc" : "");
      check_lanes({title("add" + suffix, type), instruction_of(Opcode::kAdd, type, modify),
                   destinations, sources, [=](const Operands& o) -> Results {
                     const UnsignedWide sum = UnsignedWide{o[0]} + o[1] + (in ? o[2] : 0);
                     return {truncated(static_cast<std::uint64_t>(sum), bits / 8),
                             static_cast<std::uint64_t>(sum >> bits & 1)};
                   }});
      check_lanes(
          {title("sub" + suffix, type), instruction_of(Opcode::kSub, type, modify), destinations,
           sources, [=](const Operands& o) -> Results {
             const UnsignedWide taken = UnsignedWide{o[1]} + (in ? o[2] : 0);
             return {truncated(static_cast<std::uint64_t>(UnsignedWide{o[0]} - taken), bits / 8),
                     UnsignedWide{o[0]} < taken ? 1u : 0u};
           }});
    }
  }
}

TEST(IntegerLanes, CarriesTravelThroughMultiplyAdd) {
  for (Type type : {Type::kU32, Type::kS32, Type::kU64, Type::kS64}) {
    for (const bool upper : {false, true}) {
      auto modify = [=](Instruction& i) {
        i.part = upper ? MultiplyPart::kHigh : MultiplyPart::kLow;
        i.carry_in = i.carry_out = true;
      };
      check_lanes({title(upper ? "madc.hi.cc" : "madc.lo.cc", type),
                   instruction_of(Opcode::kMad, type, modify),
                   {type, Type::kPred},
                   {type, type, type, Type::kPred},
                   [=](const Operands& o) -> Results {
                     const UnsignedWide p = product(type, o[0], o[1]);
                     const std::uint64_t part =
                         upper ? high(type, p) : low(type, static_cast<Wide>(p));
                     const UnsignedWide sum = UnsignedWide{part} + o[2] + o[3];
                     return {low(type, static_cast<Wide>(sum)),
                             static_cast<std::uint64_t>(sum >> (8 * size_of(type)) & 1)};
                   }});
    }
  }
}

TEST(IntegerLanes, SumOfAbsoluteDifferences) {
  for (Type type : kIntegers) {
    check_lanes({title("sad", type),
                 instruction_of(Opcode::kSad, type),
                 {type},
                 {type, type, type},
                 [=](const Operands& o) -> Results {
                   const Wide a = number(type, o[0]);
                   const Wide b = number(type, o[1]);
                   return {low(type, number(type, o[2]) + (a < b ? b - a : a - b))};
                 }});
  }
}

TEST(IntegerLanes, TwentyFourBitMultiply) {
  for (Type type : {Type::kU32, Type::kS32}) {
    for (const bool upper : {false, true}) {
      auto p = [=](const Operands& o) {
        auto cut = [=](std::uint64_t v) {
          const auto w = static_cast<std::int64_t>(v & 0xffffffu);
          return is_signed(type) && w >= 0x800000 ? w - 0x1000000 : w;
        };
        return static_cast<std::uint32_t>(upper ? cut(o[0]) * cut(o[1]) >> 16
                                                : cut(o[0]) * cut(o[1]));
      };
      auto modify = [=](Instruction& i) {
        i.part = upper ? MultiplyPart::kHigh : MultiplyPart::kLow;
      };
      check_lanes({title("mul24", type),
                   instruction_of(Opcode::kMul24, type, modify),
                   {type},
                   {type, type},
                   [=](const Operands& o) -> Results { return {p(o)}; }});
      check_lanes({title("mad24", type),
                   instruction_of(Opcode::kMad24, type, modify),
                   {type},
                   {type, type, type},
                   [=](const Operands& o) -> Results { return {truncated(p(o) + o[2], 4)}; }});
    }
  }
}

TEST(IntegerLanes, DotProductsOfBytesAndHalves) {
  const Type u32 = Type::kU32;
  for (Type a_type : {Type::kU32, Type::kS32}) {
    for (Type b_type : {Type::kU32, Type::kS32}) {
      auto part = [](Type type, std::uint64_t word, int index, int bytes) {
        const std::uint64_t piece = truncated(word >> (8 * bytes * index), bytes);
        return is_signed(type) ? sign_extended(piece, bytes) : static_cast<std::int64_t>(piece);
      };
      auto modify = [=](Instruction& i) { i.source_type = b_type; };
      check_lanes({"dp4a",
                   instruction_of(Opcode::kDp4a, a_type, modify),
                   {u32},
                   {u32, u32, u32},
                   [=](const Operands& o) -> Results {
                     std::int64_t sum = static_cast<std::int64_t>(o[2]);
                     for (int i = 0; i < 4; ++i)
                       sum += part(a_type, o[0], i, 1) * part(b_type, o[1], i, 1);
                     return {truncated(static_cast<std::uint64_t>(sum), 4)};
                   }});
      for (const bool upper : {false, true}) {
        auto pair = [=](Instruction& i) {
          i.source_type = b_type;
          i.mode = upper ? Mode::kHigh : Mode::kLow;
        };
        check_lanes({"dp2a",
                     instruction_of(Opcode::kDp2a, a_type, pair),
                     {u32},
                     {u32, u32, u32},
                     [=](const Operands& o) -> Results {
                       std::int64_t sum = static_cast<std::int64_t>(o[2]);
                       for (int i = 0; i < 2; ++i)
                         sum +=
                             part(a_type, o[0], i, 2) * part(b_type, o[1], i + (upper ? 2 : 0), 1);
                       return {truncated(static_cast<std::uint64_t>(sum), 4)};
                     }});
      }
    }
  }
}

}  // namespace
}  // namespace raddle::kernel::exec
