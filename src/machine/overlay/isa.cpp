#include "machine/overlay/isa.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <type_traits>

namespace raddle::machine::overlay {
namespace {

// One row of the table: where the field lies and which member of Instruction holds it.
#define RADDLE_FIELD(name, set, word, bit, width, member, meaning)                 \
  Field {                                                                          \
    name, FieldSet::set, word, bit, width, meaning,                                \
        [](const Instruction& i) { return static_cast<std::uint32_t>(i.member); }, \
        [](Instruction& i, std::uint32_t value) {                                  \
          i.member = static_cast<std::remove_cvref_t<decltype(i.member)>>(value);  \
        }                                                                          \
  }

// Registers US_CMN_INST, US_ALU_*, US_TEX_* and US_FC_* of the R5xx documentation, by dword.
constexpr std::array kFields = {
    RADDLE_FIELD("TYPE", kCommon, 0, 0, 2, type, "0 ALU, 1 OUT, 2 FC, 3 TEX"),
    RADDLE_FIELD("TEX_SEM_WAIT", kCommon, 0, 2, 1, texture_wait,
                 "do not issue until the texture semaphore is free"),
    RADDLE_FIELD("RGB_PRED_SEL", kCommon, 0, 3, 3, vector.predicate,
                 "predicate: 0 none, 1 per channel, 2 R, 3 G, 4 B, 5 A; of FC: of the instruction"),
    RADDLE_FIELD("RGB_PRED_INV", kCommon, 0, 6, 1, vector.predicate_invert, "invert the predicate"),
    RADDLE_FIELD("WRITE_INACTIVE", kCommon, 0, 7, 1, write_inactive, "also write inactive pixels"),
    RADDLE_FIELD("LAST", kCommon, 0, 8, 1, last, "active pixels may end here (a hint)"),
    RADDLE_FIELD("NOP", kCommon, 0, 9, 1, nop_after, "insert a NOP after"),
    RADDLE_FIELD("ALU_WAIT", kCommon, 0, 10, 1, alu_wait, "wait for pending ALU instructions"),
    RADDLE_FIELD("RGB_WMASK", kCommon, 0, 11, 3, vector.write_mask, "R, G, B to the temporary"),
    RADDLE_FIELD("ALPHA_WMASK", kCommon, 0, 14, 1, scalar.write_mask, "A to the temporary"),
    RADDLE_FIELD("RGB_OMASK", kCommon, 0, 15, 3, vector.output_mask,
                 "OUT: R, G, B to the output; ALU: predicate bits R, G, B to rewrite"),
    RADDLE_FIELD("ALPHA_OMASK", kCommon, 0, 18, 1, scalar.output_mask,
                 "OUT: A to the output; ALU: predicate bit A to rewrite"),
    RADDLE_FIELD("RGB_CLAMP", kCommon, 0, 19, 1, vector.clamp, "clamp R, G, B to [0, 1]"),
    RADDLE_FIELD("ALPHA_CLAMP", kCommon, 0, 20, 1, scalar.clamp, "clamp A to [0, 1]"),
    RADDLE_FIELD("ALU_RESULT_SEL", kCommon, 0, 21, 1, alu_result_from_alpha,
                 "ALU result from 0 red, 1 alpha"),
    RADDLE_FIELD("ALPHA_PRED_INV", kCommon, 0, 22, 1, scalar.predicate_invert,
                 "invert the scalar half's predicate"),
    RADDLE_FIELD("ALU_RESULT_OP", kCommon, 0, 23, 2, alu_result_test,
                 "ALU result: compare with zero, 0 ==, 1 <, 2 >=, 3 !="),
    RADDLE_FIELD("ALPHA_PRED_SEL", kCommon, 0, 25, 3, scalar.predicate,
                 "the scalar half's predicate, as RGB_PRED_SEL"),
    RADDLE_FIELD("STAT_WE", kCommon, 0, 28, 4, statistics, "statistics count of R, G, B, A"),

    RADDLE_FIELD("RGB_ADDR0", kAlu, 1, 0, 8, vector.sources[0].address, "vector source 0"),
    RADDLE_FIELD("RGB_ADDR0_CONST", kAlu, 1, 8, 1, vector.sources[0].is_constant, "a constant"),
    RADDLE_FIELD("RGB_ADDR0_REL", kAlu, 1, 9, 1, vector.sources[0].relative, "add aL"),
    RADDLE_FIELD("RGB_ADDR1", kAlu, 1, 10, 8, vector.sources[1].address, "vector source 1"),
    RADDLE_FIELD("RGB_ADDR1_CONST", kAlu, 1, 18, 1, vector.sources[1].is_constant, "a constant"),
    RADDLE_FIELD("RGB_ADDR1_REL", kAlu, 1, 19, 1, vector.sources[1].relative, "add aL"),
    RADDLE_FIELD("RGB_ADDR2", kAlu, 1, 20, 8, vector.sources[2].address, "vector source 2"),
    RADDLE_FIELD("RGB_ADDR2_CONST", kAlu, 1, 28, 1, vector.sources[2].is_constant, "a constant"),
    RADDLE_FIELD("RGB_ADDR2_REL", kAlu, 1, 29, 1, vector.sources[2].relative, "add aL"),
    RADDLE_FIELD("RGB_SRCP_OP", kAlu, 1, 30, 2, vector.presubtract,
                 "presubtract: 0 1-2*s0, 1 s1-s0, 2 s1+s0, 3 1-s0"),

    RADDLE_FIELD("ALPHA_ADDR0", kAlu, 2, 0, 8, scalar.sources[0].address, "scalar source 0"),
    RADDLE_FIELD("ALPHA_ADDR0_CONST", kAlu, 2, 8, 1, scalar.sources[0].is_constant, "a constant"),
    RADDLE_FIELD("ALPHA_ADDR0_REL", kAlu, 2, 9, 1, scalar.sources[0].relative, "add aL"),
    RADDLE_FIELD("ALPHA_ADDR1", kAlu, 2, 10, 8, scalar.sources[1].address, "scalar source 1"),
    RADDLE_FIELD("ALPHA_ADDR1_CONST", kAlu, 2, 18, 1, scalar.sources[1].is_constant, "a constant"),
    RADDLE_FIELD("ALPHA_ADDR1_REL", kAlu, 2, 19, 1, scalar.sources[1].relative, "add aL"),
    RADDLE_FIELD("ALPHA_ADDR2", kAlu, 2, 20, 8, scalar.sources[2].address, "scalar source 2"),
    RADDLE_FIELD("ALPHA_ADDR2_CONST", kAlu, 2, 28, 1, scalar.sources[2].is_constant, "a constant"),
    RADDLE_FIELD("ALPHA_ADDR2_REL", kAlu, 2, 29, 1, scalar.sources[2].relative, "add aL"),
    RADDLE_FIELD("ALPHA_SRCP_OP", kAlu, 2, 30, 2, scalar.presubtract,
                 "presubtract, as RGB_SRCP_OP"),

    RADDLE_FIELD("RGB_SEL_A", kAlu, 3, 0, 2, vector.operands[0].select,
                 "operand A: 0 src0, 1 src1, 2 src2, 3 presubtract"),
    RADDLE_FIELD("RED_SWIZ_A", kAlu, 3, 2, 3, vector.operands[0].swizzle[0],
                 "0 R, 1 G, 2 B, 3 A, 4 zero, 5 half, 6 one, 7 unused"),
    RADDLE_FIELD("GREEN_SWIZ_A", kAlu, 3, 5, 3, vector.operands[0].swizzle[1], "as RED_SWIZ_A"),
    RADDLE_FIELD("BLUE_SWIZ_A", kAlu, 3, 8, 3, vector.operands[0].swizzle[2], "as RED_SWIZ_A"),
    RADDLE_FIELD("RGB_MOD_A", kAlu, 3, 11, 2, vector.operands[0].modifier,
                 "0 none, 1 negate, 2 absolute, 3 negated absolute"),
    RADDLE_FIELD("RGB_SEL_B", kAlu, 3, 13, 2, vector.operands[1].select, "operand B"),
    RADDLE_FIELD("RED_SWIZ_B", kAlu, 3, 15, 3, vector.operands[1].swizzle[0], "as RED_SWIZ_A"),
    RADDLE_FIELD("GREEN_SWIZ_B", kAlu, 3, 18, 3, vector.operands[1].swizzle[1], "as RED_SWIZ_A"),
    RADDLE_FIELD("BLUE_SWIZ_B", kAlu, 3, 21, 3, vector.operands[1].swizzle[2], "as RED_SWIZ_A"),
    RADDLE_FIELD("RGB_MOD_B", kAlu, 3, 24, 2, vector.operands[1].modifier, "as RGB_MOD_A"),
    RADDLE_FIELD("RGB_OMOD", kAlu, 3, 26, 3, vector.output_modifier,
                 "0 x1, 1 x2, 2 x4, 3 x8, 4 /2, 5 /4, 6 /8, 7 exact copy"),
    RADDLE_FIELD("RGB_TARGET", kAlu, 3, 29, 2, vector.target,
                 "OUT: the output; ALU: predicate test with zero, 0 ==, 1 <, 2 >=, 3 !="),
    RADDLE_FIELD("ALU_WMASK", kAlu, 3, 31, 1, writes_alu_result, "rewrite the ALU result"),

    RADDLE_FIELD("ALPHA_OP", kAlu, 4, 0, 4, scalar.op,
                 "0 MAD, 1 DP, 2 MIN, 3 MAX, 5 CND, 6 CMP, 7 FRC, 8 EX2, 9 LN2, 10 RCP, 11 RSQ, "
                 "12 SIN, 13 COS, 14 MDH, 15 MDV"),
    RADDLE_FIELD("ALPHA_ADDRD", kAlu, 4, 4, 7, scalar.destination, "the scalar half's temporary"),
    RADDLE_FIELD("ALPHA_ADDRD_REL", kAlu, 4, 11, 1, scalar.destination_relative, "add aL"),
    RADDLE_FIELD("ALPHA_SEL_A", kAlu, 4, 12, 2, scalar.operands[0].select, "as RGB_SEL_A"),
    RADDLE_FIELD("ALPHA_SWIZ_A", kAlu, 4, 14, 3, scalar.operands[0].swizzle[0], "as RED_SWIZ_A"),
    RADDLE_FIELD("ALPHA_MOD_A", kAlu, 4, 17, 2, scalar.operands[0].modifier, "as RGB_MOD_A"),
    RADDLE_FIELD("ALPHA_SEL_B", kAlu, 4, 19, 2, scalar.operands[1].select, "as RGB_SEL_A"),
    RADDLE_FIELD("ALPHA_SWIZ_B", kAlu, 4, 21, 3, scalar.operands[1].swizzle[0], "as RED_SWIZ_A"),
    RADDLE_FIELD("ALPHA_MOD_B", kAlu, 4, 24, 2, scalar.operands[1].modifier, "as RGB_MOD_A"),
    RADDLE_FIELD("ALPHA_OMOD", kAlu, 4, 26, 3, scalar.output_modifier, "as RGB_OMOD"),
    RADDLE_FIELD("ALPHA_TARGET", kAlu, 4, 29, 2, scalar.target, "as RGB_TARGET"),
    RADDLE_FIELD("W_OMASK", kAlu, 4, 31, 1, scalar.depth, "the scalar result goes to depth"),

    RADDLE_FIELD("RGB_OP", kAlu, 5, 0, 4, vector.op,
                 "0 MAD, 1 DP3, 2 DP4, 3 D2A, 4 MIN, 5 MAX, 7 CND, 8 CMP, 9 FRC, 10 SOP, 11 MDH, "
                 "12 MDV"),
    RADDLE_FIELD("RGB_ADDRD", kAlu, 5, 4, 7, vector.destination, "the vector half's temporary"),
    RADDLE_FIELD("RGB_ADDRD_REL", kAlu, 5, 11, 1, vector.destination_relative, "add aL"),
    RADDLE_FIELD("RGB_SEL_C", kAlu, 5, 12, 2, vector.operands[2].select, "as RGB_SEL_A"),
    RADDLE_FIELD("RED_SWIZ_C", kAlu, 5, 14, 3, vector.operands[2].swizzle[0], "as RED_SWIZ_A"),
    RADDLE_FIELD("GREEN_SWIZ_C", kAlu, 5, 17, 3, vector.operands[2].swizzle[1], "as RED_SWIZ_A"),
    RADDLE_FIELD("BLUE_SWIZ_C", kAlu, 5, 20, 3, vector.operands[2].swizzle[2], "as RED_SWIZ_A"),
    RADDLE_FIELD("RGB_MOD_C", kAlu, 5, 23, 2, vector.operands[2].modifier, "as RGB_MOD_A"),
    RADDLE_FIELD("ALPHA_SEL_C", kAlu, 5, 25, 2, scalar.operands[2].select, "as RGB_SEL_A"),
    RADDLE_FIELD("ALPHA_SWIZ_C", kAlu, 5, 27, 3, scalar.operands[2].swizzle[0], "as RED_SWIZ_A"),
    RADDLE_FIELD("ALPHA_MOD_C", kAlu, 5, 30, 2, scalar.operands[2].modifier, "as RGB_MOD_A"),

    RADDLE_FIELD("TEX_ID", kTex, 1, 16, 4, tex.sampler, "the sampler"),
    RADDLE_FIELD("TEX_INST", kTex, 1, 22, 3, tex.op,
                 "0 NOP, 1 LD, 2 TEXKILL, 3 PROJ, 4 LODBIAS, 5 LOD, 6 DXDY"),
    RADDLE_FIELD("TEX_SEM_ACQUIRE", kTex, 1, 25, 1, tex.acquire,
                 "hold the texture semaphore until the data is written"),
    RADDLE_FIELD("TEX_IGNORE_UNCOVERED", kTex, 1, 26, 1, tex.ignore_uncovered,
                 "do not read for uncovered pixels"),
    RADDLE_FIELD("UNSCALED", kTex, 1, 27, 1, tex.unscaled, "coordinates are texels, not [0, 1]"),

    RADDLE_FIELD("SRC_ADDR", kTex, 2, 0, 7, tex.source.address, "temporary with the coordinates"),
    RADDLE_FIELD("SRC_ADDR_REL", kTex, 2, 7, 1, tex.source.relative, "add aL"),
    RADDLE_FIELD("SRC_S_SWIZ", kTex, 2, 8, 2, tex.source.channels[0], "channel of S: R, G, B, A"),
    RADDLE_FIELD("SRC_T_SWIZ", kTex, 2, 10, 2, tex.source.channels[1], "channel of T"),
    RADDLE_FIELD("SRC_R_SWIZ", kTex, 2, 12, 2, tex.source.channels[2], "channel of R"),
    RADDLE_FIELD("SRC_Q_SWIZ", kTex, 2, 14, 2, tex.source.channels[3], "channel of Q"),
    RADDLE_FIELD("DST_ADDR", kTex, 2, 16, 7, tex.destination, "temporary that is written"),
    RADDLE_FIELD("DST_ADDR_REL", kTex, 2, 23, 1, tex.destination_relative, "add aL"),
    RADDLE_FIELD("DST_R_SWIZ", kTex, 2, 24, 2, tex.result_channels[0], "returned channel for R"),
    RADDLE_FIELD("DST_G_SWIZ", kTex, 2, 26, 2, tex.result_channels[1], "returned channel for G"),
    RADDLE_FIELD("DST_B_SWIZ", kTex, 2, 28, 2, tex.result_channels[2], "returned channel for B"),
    RADDLE_FIELD("DST_A_SWIZ", kTex, 2, 30, 2, tex.result_channels[3], "returned channel for A"),

    RADDLE_FIELD("DX_ADDR", kTex, 3, 0, 7, tex.dx.address, "DXDY: temporary of the x derivative"),
    RADDLE_FIELD("DX_ADDR_REL", kTex, 3, 7, 1, tex.dx.relative, "add aL"),
    RADDLE_FIELD("DX_S_SWIZ", kTex, 3, 8, 2, tex.dx.channels[0], "channel of S"),
    RADDLE_FIELD("DX_T_SWIZ", kTex, 3, 10, 2, tex.dx.channels[1], "channel of T"),
    RADDLE_FIELD("DX_R_SWIZ", kTex, 3, 12, 2, tex.dx.channels[2], "channel of R"),
    RADDLE_FIELD("DX_Q_SWIZ", kTex, 3, 14, 2, tex.dx.channels[3], "channel of Q"),
    RADDLE_FIELD("DY_ADDR", kTex, 3, 16, 7, tex.dy.address, "DXDY: temporary of the y derivative"),
    RADDLE_FIELD("DY_ADDR_REL", kTex, 3, 23, 1, tex.dy.relative, "add aL"),
    RADDLE_FIELD("DY_S_SWIZ", kTex, 3, 24, 2, tex.dy.channels[0], "channel of S"),
    RADDLE_FIELD("DY_T_SWIZ", kTex, 3, 26, 2, tex.dy.channels[1], "channel of T"),
    RADDLE_FIELD("DY_R_SWIZ", kTex, 3, 28, 2, tex.dy.channels[2], "channel of R"),
    RADDLE_FIELD("DY_Q_SWIZ", kTex, 3, 30, 2, tex.dy.channels[3], "channel of Q"),

    RADDLE_FIELD("FC_OP", kFlow, 2, 0, 3, flow.op,
                 "0 JUMP, 1 LOOP, 2 ENDLOOP, 3 REP, 4 ENDREP, 5 BREAKLOOP, 6 BREAKREP, 7 CONTINUE"),
    RADDLE_FIELD("B_ELSE", kFlow, 2, 4, 1, flow.branch_else,
                 "first swap active pixels with branch-inactive ones whose counter is 0"),
    RADDLE_FIELD("JUMP_ANY", kFlow, 2, 5, 1, flow.jump_any,
                 "0: jump if all active pixels vote for it, or none is active; 1: if any does"),
    RADDLE_FIELD("A_OP", kFlow, 2, 6, 2, flow.address_op,
                 "on a jump: 0 nothing, 1 pop the address and go there, 2 push the next address"),
    RADDLE_FIELD(
        "JUMP_FUNC", kFlow, 2, 8, 8, flow.jump_function,
        "a pixel votes for the jump iff bit (ALU result << 2 | predicate << 1 | bool) is 1"),
    RADDLE_FIELD("B_POP_CNT", kFlow, 2, 16, 5, flow.pop_count,
                 "how much is taken from branch counters"),
    RADDLE_FIELD("B_OP0", kFlow, 2, 24, 2, flow.if_not_jumping,
                 "without a jump: 0 nothing, 1 decrement counters, 2 increment them and park the "
                 "pixels that voted for it"),
    RADDLE_FIELD("B_OP1", kFlow, 2, 26, 2, flow.if_jumping,
                 "on a jump: 0 nothing, 1 decrement counters, 2 increment them and park the pixels "
                 "that voted against it"),
    RADDLE_FIELD("FC_IGNORE_UNCOVERED", kFlow, 2, 28, 1, flow.ignore_uncovered,
                 "uncovered pixels do not take part"),

    RADDLE_FIELD("BOOL_ADDR", kFlow, 3, 0, 5, flow.boolean_constant, "the boolean constant"),
    RADDLE_FIELD("INT_ADDR", kFlow, 3, 8, 5, flow.integer_constant,
                 "the integer constant: count, first aL and step of a loop"),
    RADDLE_FIELD("JUMP_ADDR", kFlow, 3, 16, 9, flow.jump_address, "target address"),
    RADDLE_FIELD("JUMP_GLOBAL", kFlow, 3, 31, 1, flow.jump_global, "do not add US_CODE_OFFSET"),
};
#undef RADDLE_FIELD

std::uint32_t field_bits(const Field& field) { return field.largest() << field.bit; }

InstructionType type_of(const Words& words) { return static_cast<InstructionType>(words[0] & 3); }

bool same_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::toupper(x) == std::toupper(y); });
}

}  // namespace

std::span<const Field> fields() { return kFields; }

bool has_field(InstructionType type, const Field& field) {
  switch (field.set) {
    case FieldSet::kCommon: return true;
    case FieldSet::kAlu: return type == InstructionType::kAlu || type == InstructionType::kOut;
    case FieldSet::kTex: return type == InstructionType::kTex;
    case FieldSet::kFlow: return type == InstructionType::kFlow;
  }
  return false;
}

const Field* find_field(InstructionType type, std::string_view name) {
  const auto found = std::ranges::find_if(kFields, [&](const Field& field) {
    return has_field(type, field) && same_name(field.name, name);
  });
  return found == kFields.end() ? nullptr : &*found;
}

Words encode(const Instruction& instruction) {
  Words words{};
  for (const Field& field : kFields) {
    if (!has_field(instruction.type, field)) continue;
    words[field.word] |= (field.get(instruction) & field.largest()) << field.bit;
  }
  return words;
}

Words reserved_bits(const Words& words) {
  Words reserved = words;
  for (const Field& field : kFields) {
    if (has_field(type_of(words), field)) reserved[field.word] &= ~field_bits(field);
  }
  return reserved;
}

std::optional<Instruction> decode(const Words& words) {
  if (reserved_bits(words) != Words{}) return std::nullopt;
  Instruction instruction;
  for (const Field& field : kFields) {
    if (!has_field(type_of(words), field)) continue;
    field.put(instruction, (words[field.word] >> field.bit) & field.largest());
  }
  return instruction;
}

float inline_value(std::uint8_t address) {
  const int exponent = (address >> 3) & 15;
  const int mantissa = address & 7;
  if (exponent == 0) return std::ldexp(static_cast<float>(mantissa), -9);
  return std::ldexp(static_cast<float>(8 + mantissa), exponent - 10);
}

std::optional<std::uint8_t> inline_address(float value) {
  for (unsigned bits = 0; bits < 128; ++bits) {
    const auto address = static_cast<std::uint8_t>(SourceAddress::kInline | bits);
    if (inline_value(address) == value) return address;
  }
  return std::nullopt;
}

}  // namespace raddle::machine::overlay
