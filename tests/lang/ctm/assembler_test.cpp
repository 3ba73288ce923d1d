// CTM assembly to words: the golden words of the reference, each construct, what is refused.
#include "lang/ctm/assembler.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "machine/overlay/isa.h"

namespace raddle::ctm {
namespace {

using machine::overlay::encode;
using machine::overlay::Instruction;
using machine::overlay::Shader;
using machine::overlay::Words;

Shader assembled(const std::string& text) { return assemble(text, "t.ctm"); }

std::string words_text(const Instruction& word) {
  std::vector<std::string> parts;
  for (const std::uint32_t part : encode(word)) parts.push_back(fmt::format("{:08x}", part));
  return fmt::format("{}", fmt::join(parts, " "));
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (const Instruction& word : assembled(text).code) words.push_back(words_text(word));
  return words;
}

Instruction only(const std::string& text) {
  const Shader shader = assembled(text);
  EXPECT_EQ(shader.code.size(), 1U) << text;
  return shader.code.at(0);
}

std::string error_of(const std::string& text) {
  try {
    assembled(text);
  } catch (const Error& error) {
    return error.full_text();
  }
  return "no error";
}

TEST(Assembler, GivesTheGoldenWordsOfThePapersFigure2) {
  const std::string program =
      "multadd:\n"
      "    TEX r1 r0.rg s1\n"
      "    // r1 = r0.r + (r0.g*s1.width) + s1.base\n"
      "    TEX r0 r0.rg s0\n"
      "    MAD o0 r1 r0 c0\n"
      "    mad o0 r1 r0 c0\n"
      "    END\n";
  EXPECT_EQ(words_of(program),
            (std::vector<std::string>{"00007803 08410000 e4010400 00000000 00000000 00000000",
                                      "00007807 0a400000 e4000400 00000000 00000000 00000000",
                                      "00078105 10000001 10000001 00442220 0068c000 1c222000"}));
  EXPECT_EQ(assembled(program).name, "multadd");
  EXPECT_EQ(assembled(program).temporaries, 2);
  EXPECT_EQ(assembled(program).lines, (std::vector<std::uint32_t>{2, 4, 5}));
}

TEST(Assembler, GivesTheWordsOfAnotherAssemblersExample) {
  EXPECT_EQ(words_of("TEX r0 r0.rgaa s0 scaled\nMAX o0 r0 r0\nmax o0 r0 r0\n"),
            (std::vector<std::string>{"00007807 02400000 e400f400 00000000 00000000 00000000",
                                      "00078005 08020000 08020000 00440220 0060c003 00000005"}));
}

TEST(Assembler, WritesFlowControlAsTheKnownIdioms) {
  const auto words = words_of(
      ".semaphores manual\n"
      "IF\nENDIF\n"
      "IF\nELSE\nENDIF\n"
      "LOOP i3\nIF\nBRK\nENDIF\nCONT\nENDLOOP\n"
      "NOP\n");
  const auto second = [&](std::size_t i) { return words.at(i).substr(18, 17); };
  EXPECT_EQ(words[0].substr(0, 17), "00000402 00000000");
  EXPECT_EQ(second(0), "12000f00 00020000");   // IF, after its ENDIF
  EXPECT_EQ(second(1), "01010020 00020000");   // ENDIF
  EXPECT_EQ(second(2), "1a000f00 00040000");   // IF with ELSE, after it
  EXPECT_EQ(second(3), "04010010 00050000");   // ELSE
  EXPECT_EQ(second(5), "10000001 000b0300");   // LOOP
  EXPECT_EQ(second(7), "1401ff05 000b0000");   // BRK in one branch
  EXPECT_EQ(second(9), "1400ff07 000a0000");   // CONT
  EXPECT_EQ(second(10), "1000ff22 00060300");  // ENDLOOP
}

TEST(Assembler, TellsConditionsByTheirTruthTables) {
  const Shader shader =
      assembled("IF !result\nENDIF\nIF p.g\nENDIF\nIF !b5\nENDIF\nREP i0\nBRK p.a\nENDREP\nEND");
  EXPECT_EQ(shader.code[0].flow.jump_function, 0xF0);
  EXPECT_EQ(shader.code[2].flow.jump_function, 0x33);
  EXPECT_EQ(shader.code[2].vector.predicate, machine::overlay::PredicateSelect::kGreen);
  EXPECT_EQ(shader.code[4].flow.jump_function, 0xAA);
  EXPECT_EQ(shader.code[4].flow.boolean_constant, 5);
  EXPECT_EQ(shader.code[7].flow.jump_function, 0xCC);
  EXPECT_EQ(shader.code[7].flow.op, machine::overlay::FlowOp::kBreakRep);
}

TEST(Assembler, CallsAndReturnsByLabel) {
  const Shader shader = assembled("CALL f\nMOV o0 r0\nEND\nf:\nMOV r0 r1\nRET\n");
  ASSERT_EQ(shader.code.size(), 4U);
  EXPECT_EQ(shader.code[0].flow.jump_address, 2);
  EXPECT_EQ(shader.code[0].flow.address_op, machine::overlay::AddressOp::kPush);
  EXPECT_EQ(shader.code[3].flow.address_op, machine::overlay::AddressOp::kPop);
  EXPECT_EQ(shader.end, 1);
  EXPECT_TRUE(shader.code[1].last);
  EXPECT_TRUE(shader.full_flow_control);
}

TEST(Assembler, PutsAWordBehindABranchThatEndsTheProgram) {
  const Shader shader = assembled("IF\nMOV o0 r0\nENDIF\nEND\n");
  ASSERT_EQ(shader.code.size(), 4U);
  EXPECT_EQ(shader.end, 3);
  EXPECT_EQ(shader.code[0].flow.jump_address, 3);
  EXPECT_FALSE(shader.full_flow_control);
}

TEST(Assembler, JoinsHalvesAndEndsThemAtTwoDashes) {
  EXPECT_EQ(assembled("MOV r1 r0\nrcp r1 r0.r\n").code.size(), 1U);
  EXPECT_EQ(assembled("MOV r1 r0\n--\nrcp r1 r0.r\n").code.size(), 2U);
  EXPECT_EQ(assembled("rcp r1 r0.r\nrcp r1 r0.g\n").code.size(), 2U);
  EXPECT_EQ(assembled("MOV r1 r0\nMOV r2 r0\nrcp r1 r0.r\n").code.size(), 2U);
}

TEST(Assembler, SharesSourcesBetweenHalvesAndMixesChannels) {
  // The vector operand's a comes from the scalar addresses, the scalar operand's r from the
  // vector's.
  const Instruction word = only("MAD r3 r1.rga r2 c7\nmad r4 r1.r r5 r6\n");
  EXPECT_EQ(word.vector.sources[0].address, 1);
  EXPECT_EQ(word.scalar.sources[0].address, 1);
  EXPECT_EQ(word.vector.sources[1].address, 2);
  EXPECT_EQ(word.scalar.sources[1].address, 5);
  EXPECT_TRUE(word.vector.sources[2].is_constant);
  EXPECT_EQ(word.scalar.sources[2].address, 6);
  EXPECT_EQ(word.scalar.operands[0].select, machine::overlay::SourceSelect::kSource0);
}

TEST(Assembler, FindsAPlacementThatTheFirstTryMisses) {
  // r1 for the vector takes source 0; the mixed operand then needs both halves of a free source.
  const Instruction word = only("MAD r0 r1 r2 r3\nmad r0 r4 r5 r3.a\n");
  EXPECT_EQ(word.vector.sources[2].address, 3);
  EXPECT_EQ(word.scalar.sources[2].address, 3);
  const Instruction mixed = only("MAD r0 r1 r2.rga r3\nmad r0 r4 r5 r5\n");
  EXPECT_EQ(mixed.vector.sources[1].address, 2);
  EXPECT_EQ(mixed.scalar.sources[1].address, 2);
}

TEST(Assembler, ReadsModifiersMasksAndSuffixes) {
  const Instruction word =
      only("(!p.g) MAD_x2_sat r9.rb -|r1.bbb| 0.5 (1-2*r1)\n(p) cnd_d4 r8 -c200.g 1 2.0\n");
  EXPECT_EQ(word.vector.write_mask, 5);
  EXPECT_TRUE(word.vector.clamp);
  EXPECT_FALSE(word.scalar.clamp);
  EXPECT_EQ(word.vector.output_modifier, machine::overlay::OutputModifier::kTimes2);
  EXPECT_EQ(word.scalar.output_modifier, machine::overlay::OutputModifier::kBy4);
  EXPECT_EQ(word.vector.predicate, machine::overlay::PredicateSelect::kGreen);
  EXPECT_TRUE(word.vector.predicate_invert);
  EXPECT_EQ(word.scalar.predicate, machine::overlay::PredicateSelect::kPerChannel);
  EXPECT_EQ(word.vector.operands[0].modifier, machine::overlay::SourceModifier::kNegateAbsolute);
  EXPECT_EQ(word.vector.operands[1].swizzle[0], machine::overlay::Swizzle::kHalf);
  EXPECT_EQ(word.vector.operands[2].select, machine::overlay::SourceSelect::kPresubtract);
  EXPECT_EQ(word.vector.presubtract, machine::overlay::Presubtract::kOneMinusTwiceSource0);
  EXPECT_EQ(word.scalar.operands[0].modifier, machine::overlay::SourceModifier::kNegate);
  EXPECT_TRUE(word.scalar.sources[0].is_inline());
  EXPECT_EQ(machine::overlay::inline_value(word.scalar.sources[0].address), 2.0F);
}

TEST(Assembler, ReadsPredicateAndResultWrites) {
  const Instruction word = only("MAD _ r1 1 -r2 pred.rg<0 result.r>=0\nmax r3 r1 r1 pred!=0 nop\n");
  EXPECT_EQ(word.type, machine::overlay::InstructionType::kAlu);
  EXPECT_EQ(word.vector.output_mask, 3);
  EXPECT_EQ(word.vector.target, 1);
  EXPECT_TRUE(word.scalar.output_mask);
  EXPECT_EQ(word.scalar.target, 3);
  EXPECT_TRUE(word.writes_alu_result);
  EXPECT_EQ(word.alu_result_test, machine::overlay::Comparison::kGreaterEqual);
  EXPECT_TRUE(word.nop_after);
}

TEST(Assembler, ReadsRelativeAddressesAndBothDestinations) {
  const Instruction word = only("MAD o2.rg+r[aL+3].b r[aL] c[aL+250] r1\n");
  EXPECT_EQ(word.type, machine::overlay::InstructionType::kOut);
  EXPECT_EQ(word.vector.target, 2);
  EXPECT_EQ(word.vector.output_mask, 3);
  EXPECT_EQ(word.vector.write_mask, 4);
  EXPECT_EQ(word.vector.destination, 3);
  EXPECT_TRUE(word.vector.destination_relative);
  EXPECT_TRUE(word.vector.sources[0].relative);
  EXPECT_EQ(word.vector.sources[1].address, 250);
  EXPECT_EQ(assembled("MOV r[aL] r1\n").temporaries, 128);
  EXPECT_EQ(assembled(".temporaries 12\nMOV r[aL] r1\n").temporaries, 12);
}

TEST(Assembler, FillsTheFourthProductOfALoneDp4) {
  const Instruction word = only("DP4 r3.r r1 -c2\n");
  EXPECT_EQ(word.scalar.op, machine::overlay::ScalarOp::kDp);
  EXPECT_EQ(word.scalar.sources[0].address, 1);
  EXPECT_EQ(word.scalar.sources[1].address, 2);
  EXPECT_EQ(word.scalar.operands[1].modifier, machine::overlay::SourceModifier::kNegate);
  EXPECT_FALSE(word.scalar.write_mask);
}

TEST(Assembler, TakesConstantsAndNamesForTheHost) {
  const Shader shader = assembled(
      ".const c3 1 -2.5 3e2 0.125\n.const c4 7\n.int i2 10 4 -3\n.bool b7 true\n"
      ".name c8 weights 5\n.name s1 image\n.name o0 result\nMOV o0 c8\nEND\n");
  ASSERT_EQ(shader.constants.size(), 2U);
  EXPECT_EQ(shader.constants[0].number, 3);
  EXPECT_EQ(shader.constants[0].value, (machine::overlay::Float4{1, -2.5F, 300, 0.125F}));
  EXPECT_EQ(shader.constants[1].value, (machine::overlay::Float4{7, 7, 7, 7}));
  ASSERT_EQ(shader.loops.size(), 1U);
  EXPECT_EQ(shader.loops[0], (machine::overlay::LoopConstant{2, 10, 4, -3}));
  EXPECT_EQ(shader.booleans, 1U << 7);
  EXPECT_EQ(shader.constant_names.at(0), (machine::overlay::RegisterName{"weights", 8, 5}));
  EXPECT_EQ(shader.sampler_names.at(0), (machine::overlay::RegisterName{"image", 1, 1}));
  EXPECT_EQ(shader.output_names.at(0), (machine::overlay::RegisterName{"result", 0, 1}));
}

TEST(Assembler, SetsFieldsByName) {
  const Instruction word = only("MAD r1 r2 r3 r4 [RGB_ADDR2=9 stat_we=15]\n");
  EXPECT_EQ(word.vector.sources[2].address, 9);
  EXPECT_EQ(word.statistics, 15);
  EXPECT_EQ(assembled("FC [FC_OP=5 JUMP_ADDR=on]\non:\nNOP\n").code[0].flow.jump_address, 1);
  EXPECT_EQ(words_of(".semaphores manual\n.word 0x00007803 0x08410000 0xe4010400 0 0 0\n"),
            (std::vector<std::string>{"00007803 08410000 e4010400 00000000 00000000 00000000"}));
}

struct Refused {
  const char* text;
  const char* message;
};

TEST(Assembler, SaysWhatIsWrongAndWhere) {
  const std::vector<Refused> cases = {
      {"  MADD r1 r2 r3 r4",
       "t.ctm:1:3: unknown instruction 'MADD'\n      MADD r1 r2 r3 r4\n      ^~~~\nhint: did you "
       "mean 'MAD'?"},
      {"MAD r1 r2 r3", "t.ctm:1:13: MAD takes 3 sources\n    MAD r1 r2 r3\n                ^"},
      {"MOV r1 r2 r3",
       "t.ctm:1:11: MOV takes at most 1 source\n    MOV r1 r2 r3\n              ^~"},
      {"MOV r128 r0",
       "t.ctm:1:5: only 128 temporaries exist, 0 to 127\n    MOV r128 r0\n        ^~~~"},
      {"MOV r1 c256",
       "t.ctm:1:8: only 256 constants exist, 0 to 255\n    MOV r1 c256\n           ^~~~"},
      {"TEX r1 r0.rg s16",
       "t.ctm:1:14: only 16 samplers exist, 0 to 15\n    TEX r1 r0.rg s16\n                 ^~~"},
      {"MOV o4 r0", "t.ctm:1:5: only 4 outputs exist, 0 to 3\n    MOV o4 r0\n        ^~"},
      {"MOV r1.a r0",
       "t.ctm:1:8: 'a' cannot be written here\n    MOV r1.a r0\n           ^\n"
       "hint: the vector half writes r, g and b; the scalar half, in lower case on the next line, "
       "writes a"},
      {"MOV r1.gr r0",
       "t.ctm:1:8: channels of a mask are written in order\n    MOV r1.gr r0\n           ^~"},
      {"MOV r1.rr r0", "t.ctm:1:8: 'r' appears twice in a mask\n    MOV r1.rr r0\n           ^~"},
      {"MOV r1 r0.rgba",
       "t.ctm:1:11: a vector operand has one channel or three\n    MOV r1 r0.rgba\n              "
       "^~~~\n"
       "hint: the scalar half on the next line, in lower case, takes the fourth channel"},
      {"MOV r1 r0.rgq",
       "t.ctm:1:11: unknown channel 'q'\n    MOV r1 r0.rgq\n              ^~~\n"
       "hint: channels are r g b a (or x y z w), and the constants 0, h (one half) and 1"},
      {"MOV r1 0.3",
       "t.ctm:1:8: 0.3 is not an inline float\n    MOV r1 0.3\n           ^~~\n"
       "hint: inline floats are (8 to 15) * 2^e/8 with e from -6 to 8, and multiples of 2^-9 "
       "below; "
       "put others into a constant with .const"},
      {"MAD r1 r2 r3 r4\nmad r1 r2.r r5.r r6",
       "t.ctm:2:13: no source is left for this operand\n    mad r1 r2.r r5.r r6\n                "
       "^~~~\n"
       "hint: a word has three sources; each reads one register for r, g, b and one for a, and (…) "
       "takes the first ones"},
      {"MAD_copy r1 r2 r3 r4",
       "t.ctm:1:1: _copy is valid only with MIN, MAX, CMP and CND\n    MAD_copy r1 r2 r3 r4\n    "
       "^~~~~~~~"},
      {"MAD_x3 r1 r2 r3 r4",
       "t.ctm:1:1: unknown suffix '_x3'\n    MAD_x3 r1 r2 r3 r4\n    ^~~~~~\n"
       "hint: suffixes are _sat, _x2, _x4, _x8, _d2, _d4, _d8 and _copy"},
      {"ELSE", "t.ctm:1:1: ELSE without IF\n    ELSE\n    ^~~~"},
      {"IF\nMOV r1 r0", "t.ctm:1:1: IF without ENDIF\n    IF\n    ^~"},
      {"REP i0\nENDLOOP", "t.ctm:2:1: ENDLOOP without LOOP\n    ENDLOOP\n    ^~~~~~~"},
      {"BRK", "t.ctm:1:1: BRK outside a loop\n    BRK\n    ^~~"},
      {"LOOP i32",
       "t.ctm:1:6: only 32 integer constants exist, 0 to 31\n    LOOP i32\n         ^~~"},
      {"CALL nobody\nEND", "t.ctm:1:6: unknown label 'nobody'\n    CALL nobody\n         ^~~~~~"},
      {"a:\na:\nNOP", "t.ctm:2:1: the label 'a' is defined twice\n    a:\n    ^~"},
      {"NOP\nEND\nEND", "t.ctm:3:1: END appears twice\n    END\n    ^~~"},
      {"MOV r1 r0 wiat",
       "t.ctm:1:11: unknown attribute 'wiat'\n    MOV r1 r0 wiat\n              ^~~~\nhint: did "
       "you mean 'wait'?"},
      {"MOV o0 r0 pred<0",
       "t.ctm:1:1: an instruction with an output writes neither predicates nor the ALU result\n"
       "    MOV o0 r0 pred<0\n    ^~~\nhint: write the output by an instruction of its own"},
      {"MOV r1 r0 [RGB_ADR0=1]",
       "t.ctm:1:12: this word has no field 'RGB_ADR0'\n    MOV r1 r0 [RGB_ADR0=1]\n               "
       "^~~~~~~~\n"
       "hint: did you mean 'RGB_ADDR0'?"},
      {"MOV r1 r0 [RGB_OP=16]",
       "t.ctm:1:12: RGB_OP is at most 15\n    MOV r1 r0 [RGB_OP=16]\n               ^~~~~~"},
      {"MOV r1 r0 [TYPE=3]",
       "t.ctm:1:12: TYPE changes between 0 (ALU) and 1 (OUT) only\n    MOV r1 r0 [TYPE=3]\n        "
       "       ^~~~"},
      {".word 3 1 0 0 0 0",
       "t.ctm:1:1: reserved bits of this word are set\n    .word 3 1 0 0 0 0\n    "
       "^~~~~~~~~~~~~~~~~"},
      {".konst c0 1",
       "t.ctm:1:1: unknown directive '.konst'\n    .konst c0 1\n    ^~~~~~\nhint: did you mean "
       "'const'?"},
      {".const c0 1\n.const c0 2\nNOP",
       "t.ctm:2:1: this constant already has a value\n    .const c0 2\n    ^~~~~~~~~"},
      {"(p.r) IF\nENDIF",
       "t.ctm:1:7: IF cannot be predicated\n    (p.r) IF\n          ^~\nhint: write the condition "
       "after it: IF p.r"},
      {"IF p\nENDIF",
       "t.ctm:1:4: a branch tests one predicate bit\n    IF p\n       ^\nhint: p.r, p.g, p.b or "
       "p.a"},
      {"// nothing", "t.ctm: the program has no instructions"},
      {"MOV r1 r0 }", "t.ctm:1:11: expected the end of the line\n    MOV r1 r0 }\n              ^"},
  };
  for (const Refused& refused : cases) EXPECT_EQ(error_of(refused.text), refused.message);
}

TEST(Assembler, EnforcesTheLimitsOfTheProcessor) {
  std::string long_program;
  for (int i = 0; i < 512; ++i) long_program += "MOV r1 r0\n";
  EXPECT_EQ(assembled(long_program).code.size(), 512U);
  EXPECT_EQ(error_of(long_program + "NOP\n").substr(0, 52),
            "t.ctm:513:1: the program has more than 512 instructi");
  std::string deep, open;
  for (int i = 0; i < 32; ++i) deep += "IF\n";
  for (int i = 0; i < 32; ++i) deep += "ENDIF\n";
  EXPECT_TRUE(assembled(deep + "END").full_flow_control);
  for (int i = 0; i < 33; ++i) open += "IF\n";
  EXPECT_EQ(error_of(open).substr(0, 53), "t.ctm:33:1: branches are nested more than 32 deep\n   ");
  open.clear();
  for (int i = 0; i < 9; ++i) open += "LOOP i0\n";
  EXPECT_EQ(error_of(open).substr(0, 46), "t.ctm:9:1: loops are nested more than 8 deep\n ");
}

}  // namespace
}  // namespace raddle::ctm
