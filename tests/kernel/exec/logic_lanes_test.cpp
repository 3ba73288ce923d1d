// Bitwise operations, shifts and bit fields; the oracles go bit by bit, as the PTX manual's
// pseudo-code does.
#include <gtest/gtest.h>

#include <string>

#include "lane_check.h"

namespace raddle::kernel::exec {
namespace {

const Type kU32 = Type::kU32;

std::string title(std::string_view word, Type type) {
  return std::string(word) + "." + std::string(name_of(type));
}
bool bit(std::uint64_t word, int index) { return (word >> index & 1) != 0; }

TEST(LogicLanes, BitwiseOperationsOnEveryWidth) {
  for (Type type : {Type::kB16, Type::kB32, Type::kB64, Type::kPred}) {
    auto check = [&](const char* word, Opcode opcode,
                     std::uint64_t (*f)(std::uint64_t, std::uint64_t)) {
      check_lanes({title(word, type),
                   instruction_of(opcode, type),
                   {type},
                   {type, type},
                   [=](const Operands& o) -> Results {
                     return {type == Type::kPred ? f(o[0], o[1]) & 1
                                                 : truncated(f(o[0], o[1]), size_of(type))};
                   }});
    };
    check("and", Opcode::kAnd, [](std::uint64_t a, std::uint64_t b) { return a & b; });
    check("or", Opcode::kOr, [](std::uint64_t a, std::uint64_t b) { return a | b; });
    check("xor", Opcode::kXor, [](std::uint64_t a, std::uint64_t b) { return a ^ b; });
    check_lanes({title("not", type),
                 instruction_of(Opcode::kNot, type),
                 {type},
                 {type},
                 [=](const Operands& o) -> Results {
                   return {type == Type::kPred ? o[0] ^ 1 : truncated(~o[0], size_of(type))};
                 }});
    if (type == Type::kPred) continue;
    check_lanes({title("cnot", type),
                 instruction_of(Opcode::kCnot, type),
                 {type},
                 {type},
                 [](const Operands& o) -> Results { return {o[0] == 0 ? 1u : 0u}; }});
  }
}

TEST(LogicLanes, ShiftsBeyondTheWidthGiveZeroOrTheSign) {
  for (Type type : {Type::kB16, Type::kB32, Type::kB64}) {
    const int bits = size_of(type) * 8;
    check_lanes({title("shl", type),
                 instruction_of(Opcode::kShl, type),
                 {type},
                 {type, kU32},
                 [=](const Operands& o) -> Results {
                   return {o[1] >= static_cast<std::uint64_t>(bits)
                               ? 0
                               : truncated(o[0] << o[1], bits / 8)};
                 }});
  }
  for (Type type : {Type::kU16, Type::kU32, Type::kU64, Type::kS16, Type::kS32, Type::kS64}) {
    const int bits = size_of(type) * 8;
    check_lanes({title("shr", type),
                 instruction_of(Opcode::kShr, type),
                 {type},
                 {type, kU32},
                 [=](const Operands& o) -> Results {
                   std::uint64_t result = 0;
                   for (int i = 0; i < bits; ++i) {
                     const std::uint64_t from = static_cast<std::uint64_t>(i) + o[1];
                     const bool set = from < static_cast<std::uint64_t>(bits)
                                          ? bit(o[0], static_cast<int>(from))
                                          : is_signed(type) && bit(o[0], bits - 1);
                     result |= std::uint64_t{set} << i;
                   }
                   return {result};
                 }});
  }
}

TEST(LogicLanes, FunnelShiftsClampOrWrap) {
  for (Mode mode : {Mode::kFunnelLeftClamp, Mode::kFunnelLeftWrap, Mode::kFunnelRightClamp,
                    Mode::kFunnelRightWrap}) {
    const bool clamp = mode == Mode::kFunnelLeftClamp || mode == Mode::kFunnelRightClamp;
    const bool left = mode == Mode::kFunnelLeftClamp || mode == Mode::kFunnelLeftWrap;
    check_lanes({"shf." + std::string(name_of(mode)),
                 instruction_of(Opcode::kShf, Type::kB32, [=](Instruction& i) { i.mode = mode; }),
                 {kU32},
                 {kU32, kU32, kU32},
                 [=](const Operands& o) -> Results {
                   const int n = clamp ? (o[2] > 32 ? 32 : static_cast<int>(o[2]))
                                       : static_cast<int>(o[2] & 31);
                   std::uint64_t result = 0;
                   for (int i = 0; i < 32; ++i) {
                     const int from = left ? i + 32 - n : i + n;  // a bit of {src1, src0}
                     const bool set = from < 32 ? bit(o[0], from) : bit(o[1], from - 32);
                     result |= std::uint64_t{set} << i;
                   }
                   return {result};
                 }});
  }
}

TEST(LogicLanes, CountingReversingAndFindingBits) {
  for (Type type : {Type::kB32, Type::kB64}) {
    const int bits = size_of(type) * 8;
    check_lanes({title("popc", type),
                 instruction_of(Opcode::kPopc, type),
                 {kU32},
                 {type},
                 [=](const Operands& o) -> Results {
                   std::uint64_t count = 0;
                   for (int i = 0; i < bits; ++i) count += bit(o[0], i) ? 1 : 0;
                   return {count};
                 }});
    check_lanes({title("clz", type),
                 instruction_of(Opcode::kClz, type),
                 {kU32},
                 {type},
                 [=](const Operands& o) -> Results {
                   std::uint64_t count = 0;
                   while (count < static_cast<std::uint64_t>(bits) &&
                          !bit(o[0], bits - 1 - static_cast<int>(count)))
                     ++count;
                   return {count};
                 }});
    check_lanes({title("brev", type),
                 instruction_of(Opcode::kBrev, type),
                 {type},
                 {type},
                 [=](const Operands& o) -> Results {
                   std::uint64_t result = 0;
                   for (int i = 0; i < bits; ++i)
                     result |= std::uint64_t{bit(o[0], i)} << (bits - 1 - i);
                   return {result};
                 }});
  }
  for (Type type : {Type::kU32, Type::kS32, Type::kU64, Type::kS64}) {
    const int top = size_of(type) * 8 - 1;
    for (const bool amount : {false, true}) {
      auto modify = [=](Instruction& i) { i.mode = amount ? Mode::kShiftAmount : Mode::kNone; };
      check_lanes({title(amount ? "bfind.shiftamt" : "bfind", type),
                   instruction_of(Opcode::kBfind, type, modify),
                   {kU32},
                   {type},
                   [=](const Operands& o) -> Results {
                     const bool flip = is_signed(type) && bit(o[0], top);
                     for (int i = top; i >= 0; --i) {
                       if (bit(o[0], i) != flip)
                         return {static_cast<std::uint64_t>(amount ? top - i : i)};
                     }
                     return {0xffffffffu};
                   }});
    }
  }
}

TEST(LogicLanes, FindsTheNthSetBitInEitherDirection) {
  check_lanes(
      {"fns",
       instruction_of(Opcode::kFns, Type::kB32),
       {kU32},
       {kU32, kU32, kU32},
       [](const Operands& o) -> Results {
         const std::int64_t nth = sign_extended(o[2], 4);
         std::int64_t position = static_cast<std::int64_t>(o[1]);
         if (nth == 0)
           return {position < 32 && bit(o[0], static_cast<int>(position)) ? o[1] : 0xffffffffu};
         const std::int64_t step = nth > 0 ? 1 : -1;
         std::int64_t count = 0;
         for (; position >= 0 && position < 32; position += step) {
           if (bit(o[0], static_cast<int>(position)) && ++count == nth * step)
             return {static_cast<std::uint64_t>(position)};
         }
         return {0xffffffffu};
       }},
      40);
}

TEST(LogicLanes, BitFieldsAreExtractedAndInserted) {
  for (Type type : {Type::kU32, Type::kS32, Type::kU64, Type::kS64}) {
    const int top = size_of(type) * 8 - 1;
    check_lanes({title("bfe", type),
                 instruction_of(Opcode::kBfe, type),
                 {type},
                 {type, kU32, kU32},
                 [=](const Operands& o) -> Results {
                   const int position = static_cast<int>(o[1] & 0xff);
                   const int length = static_cast<int>(o[2] & 0xff);
                   const bool sign = is_signed(type) && length > 0 &&
                                     bit(o[0], std::min(position + length - 1, top));
                   std::uint64_t result = 0;
                   for (int i = 0; i <= top; ++i) {
                     const bool set =
                         i < length && position + i <= top ? bit(o[0], position + i) : sign;
                     result |= std::uint64_t{set} << i;
                   }
                   return {result};
                 }},
                40);
  }
  for (Type type : {Type::kB32, Type::kB64}) {
    const int top = size_of(type) * 8 - 1;
    check_lanes({title("bfi", type),
                 instruction_of(Opcode::kBfi, type),
                 {type},
                 {type, type, kU32, kU32},
                 [=](const Operands& o) -> Results {
                   const int position = static_cast<int>(o[2] & 0xff);
                   const int length = static_cast<int>(o[3] & 0xff);
                   std::uint64_t result = o[1];
                   for (int i = 0; i < length && position + i <= top; ++i) {
                     const std::uint64_t place = std::uint64_t{1} << (position + i);
                     result = bit(o[0], i) ? result | place : result & ~place;
                   }
                   return {result};
                 }},
                40);
  }
}

TEST(LogicLanes, MasksAndExtensionsClampOrWrap) {
  for (Mode mode : {Mode::kClamp, Mode::kWrap}) {
    const bool wrap = mode == Mode::kWrap;
    auto modify = [=](Instruction& i) { i.mode = mode; };
    check_lanes({"bmsk",
                 instruction_of(Opcode::kBmsk, Type::kB32, modify),
                 {kU32},
                 {kU32, kU32},
                 [=](const Operands& o) -> Results {
                   const std::uint64_t first = wrap ? o[0] & 31 : std::min<std::uint64_t>(o[0], 32);
                   const std::uint64_t count = wrap ? o[1] & 31 : std::min<std::uint64_t>(o[1], 32);
                   std::uint64_t result = 0;
                   for (std::uint64_t i = first; i < first + count && i < 32; ++i)
                     result |= std::uint64_t{1} << i;
                   return {result};
                 }});
    for (Type type : {Type::kU32, Type::kS32}) {
      check_lanes({title("szext", type),
                   instruction_of(Opcode::kSzext, type, modify),
                   {type},
                   {type, kU32},
                   [=](const Operands& o) -> Results {
                     const int count =
                         static_cast<int>(wrap ? o[1] & 31 : std::min<std::uint64_t>(o[1], 32));
                     if (count == 0) return {0};
                     std::uint64_t result = 0;
                     for (int i = 0; i < 32; ++i) {
                       const bool set =
                           i < count ? bit(o[0], i) : is_signed(type) && bit(o[0], count - 1);
                       result |= std::uint64_t{set} << i;
                     }
                     return {result};
                   }});
    }
  }
}

TEST(LogicLanes, Lop3FollowsItsTruthTable) {
  check_lanes({"lop3",
               instruction_of(Opcode::kLop3, Type::kB32),
               {kU32},
               {kU32, kU32, kU32, kU32},
               [](const Operands& o) -> Results {
                 std::uint64_t result = 0;
                 for (int i = 0; i < 32; ++i) {
                   const int row =
                       (bit(o[0], i) ? 4 : 0) + (bit(o[1], i) ? 2 : 0) + (bit(o[2], i) ? 1 : 0);
                   result |= std::uint64_t{bit(o[3], row)} << i;
                 }
                 return {result};
               }},
              40);
}

TEST(LogicLanes, PermuteFollowsTheTablesOfTheManual) {
  // For each mode and selector, which byte of {src1, src0} lands in result bytes 3, 2, 1, 0 (PTX
  // manual, prmt).
  struct Row {
    Mode mode;
    int table[4][4];
  };
  const Row rows[] = {
      {Mode::kPermuteF4e, {{3, 2, 1, 0}, {4, 3, 2, 1}, {5, 4, 3, 2}, {6, 5, 4, 3}}},
      {Mode::kPermuteB4e, {{5, 6, 7, 0}, {6, 7, 0, 1}, {7, 0, 1, 2}, {0, 1, 2, 3}}},
      {Mode::kPermuteRc8, {{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}}},
      {Mode::kPermuteEcl, {{3, 2, 1, 0}, {3, 2, 1, 1}, {3, 2, 2, 2}, {3, 3, 3, 3}}},
      {Mode::kPermuteEcr, {{0, 0, 0, 0}, {1, 1, 1, 0}, {2, 2, 1, 0}, {3, 2, 1, 0}}},
      {Mode::kPermuteRc16, {{1, 0, 1, 0}, {3, 2, 3, 2}, {1, 0, 1, 0}, {3, 2, 3, 2}}},
  };
  auto byte_of = [](const Operands& o, int index) {
    return (index < 4 ? o[0] >> (8 * index) : o[1] >> (8 * (index - 4))) & 0xff;
  };
  for (const Row& row : rows) {
    check_lanes(
        {"prmt." + std::string(name_of(row.mode)),
         instruction_of(Opcode::kPrmt, Type::kB32, [&](Instruction& i) { i.mode = row.mode; }),
         {kU32},
         {kU32, kU32, kU32},
         [&](const Operands& o) -> Results {
           std::uint64_t result = 0;
           for (int i = 0; i < 4; ++i) result |= byte_of(o, row.table[o[2] & 3][3 - i]) << (8 * i);
           return {result};
         }});
  }
  check_lanes(
      {"prmt",
       instruction_of(Opcode::kPrmt, Type::kB32),
       {kU32},
       {kU32, kU32, kU32},
       [&](const Operands& o) -> Results {
         std::uint64_t result = 0;
         for (int i = 0; i < 4; ++i) {
           const std::uint64_t control = o[2] >> (4 * i);
           const std::uint64_t byte = byte_of(o, static_cast<int>(control & 7));
           result |= ((control & 8) == 0 ? byte : (byte & 0x80) != 0 ? 0xffu : 0u) << (8 * i);
         }
         return {result};
       }},
      40);
}

TEST(MoveLanes, SelectsByPredicateOrSign) {
  for (Type type : {Type::kB16, Type::kB32, Type::kB64, Type::kF32, Type::kF64, Type::kPred}) {
    check_lanes({title("selp", type),
                 instruction_of(Opcode::kSelp, type),
                 {type},
                 {type, type, Type::kPred},
                 [](const Operands& o) -> Results { return {o[2] != 0 ? o[0] : o[1]}; }});
  }
  for (Type type : {Type::kB16, Type::kB32, Type::kB64}) {
    for (const bool flush : {false, true}) {
      for (Type chooser : {Type::kS32, Type::kF32}) {
        if (flush && chooser == Type::kS32) continue;
        auto modify = [=](Instruction& i) {
          i.source_type = chooser;
          i.flush_to_zero = flush;
        };
        check_lanes({title(flush ? "slct.ftz" : "slct", type),
                     instruction_of(Opcode::kSlct, type, modify),
                     {type},
                     {type, type, chooser},
                     [=](const Operands& o) -> Results {
                       if (chooser == Type::kS32)
                         return {sign_extended(o[2], 4) >= 0 ? o[0] : o[1]};
                       const bool tiny = (o[2] & 0x7f800000u) == 0;  // zero, or flushed to it
                       return {as_float(o[2]) >= 0 || (flush && tiny) ? o[0] : o[1]};
                     }});
      }
    }
  }
}

TEST(MoveLanes, MovesPacksAndUnpacks) {
  for (Type type : {Type::kB16, Type::kB32, Type::kB64, Type::kPred}) {
    check_lanes({title("mov", type),
                 instruction_of(Opcode::kMov, type),
                 {type},
                 {type},
                 [](const Operands& o) -> Results { return {o[0]}; }});
  }
  auto sources = [](std::size_t count) { return [=](Instruction& i) { i.sources.resize(count); }; };
  auto destinations = [](std::size_t count) {
    return [=](Instruction& i) { i.destinations.resize(count); };
  };
  check_lanes({"pack.b64",
               instruction_of(Opcode::kPack, Type::kB64, sources(2)),
               {Type::kB64},
               {kU32, kU32},
               [](const Operands& o) -> Results { return {o[1] << 32 | o[0]}; }});
  check_lanes(
      {"pack.b64 of four",
       instruction_of(Opcode::kPack, Type::kB64, sources(4)),
       {Type::kB64},
       {Type::kU16, Type::kU16, Type::kU16, Type::kU16},
       [](const Operands& o) -> Results { return {o[3] << 48 | o[2] << 32 | o[1] << 16 | o[0]}; }});
  check_lanes({"pack.b32",
               instruction_of(Opcode::kPack, Type::kB32, sources(2)),
               {Type::kB32},
               {Type::kU16, Type::kU16},
               [](const Operands& o) -> Results { return {o[1] << 16 | o[0]}; }});
  check_lanes({"unpack.b64",
               instruction_of(Opcode::kUnpack, Type::kB64, destinations(2)),
               {kU32, kU32},
               {Type::kB64},
               [](const Operands& o) -> Results { return {o[0] & 0xffffffffu, o[0] >> 32}; }});
  check_lanes({"unpack.b32",
               instruction_of(Opcode::kUnpack, Type::kB32, destinations(2)),
               {Type::kU16, Type::kU16},
               {Type::kB32},
               [](const Operands& o) -> Results { return {o[0] & 0xffffu, o[0] >> 16}; }});
}

}  // namespace
}  // namespace raddle::kernel::exec
