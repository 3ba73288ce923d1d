// Words to text and back to the same words.
#include "lang/ctm/disassembler.h"

#include <gtest/gtest.h>

#include <random>

#include "lang/ctm/assembler.h"
#include "machine/overlay/isa.h"

namespace raddle::ctm {
namespace {

using machine::overlay::decode;
using machine::overlay::encode;
using machine::overlay::Instruction;
using machine::overlay::Shader;
using machine::overlay::Words;

void expect_same(const Shader& a, const Shader& b, const std::string& text) {
  ASSERT_EQ(a.code.size(), b.code.size()) << text;
  for (std::size_t i = 0; i < a.code.size(); ++i)
    ASSERT_EQ(encode(a.code[i]), encode(b.code[i])) << i << "\n" << text;
  EXPECT_EQ(a.start, b.start);
  EXPECT_EQ(a.end, b.end);
  EXPECT_EQ(a.constants, b.constants);
  EXPECT_EQ(a.loops, b.loops);
  EXPECT_EQ(a.booleans, b.booleans);
  EXPECT_EQ(a.temporaries, b.temporaries);
}

// There and back; gives the text.
std::string round_trip(const Shader& shader) {
  const std::string text = disassemble(shader);
  expect_same(assemble(text, "back.ctm"), shader, text);
  const std::string listing = word_listing(shader);
  expect_same(assemble(listing, "listing.ctm"), shader, listing);
  return text;
}

TEST(Disassembler, GivesBackWhatWasWritten) {
  const std::string program =
      "multadd:\n"
      "    TEX r1 r0.rg s1\n"
      "    TEX r0 r0.rg s0\n"
      "    MAD o0 r1 r0 c0\n"
      "    mad o0 r1 r0 c0\n"
      "    END\n";
  EXPECT_EQ(round_trip(assemble(program, "t.ctm")), program);
}

TEST(Disassembler, KnowsModifiersPredicatesAndBothDestinations) {
  const std::string program =
      ".const c0 1 2 3 4\n"
      ".int i0 8 0 1\n"
      ".bool b2 true\n"
      ".name s0 image\n"
      ".name c1 weights 4\n"
      "program:\n"
      "    (!p.g) MAD_x2_sat r9.rb -|r1.b| 0.5 (1-2*r1)\n"
      "    cnd_d4 r8 -c200.g 1 #2\n"
      "    MAD _ r1 1 -r2 pred.rg<0 result.r>=0\n"
      "    --\n"
      "    max r3 r1 r1 nop\n"
      "    MAD o2.rg+r[aL+3].b r[aL] c[aL+250] r1\n"
      "    (p) TEX r4.rg r3.ba s0.abgr scaled\n"
      "    TEXKILL r4\n"
      "    SOP r1\n"
      "    rcp r1 r4.r\n"
      "    NOP\n"
      "    END\n";
  EXPECT_EQ(round_trip(assemble(program, "program.ctm")), program);
}

TEST(Disassembler, KnowsStructuredFlowControl) {
  const std::string program =
      "main:\n"
      "    MAD _ r0 1 0 result.r<0\n"
      "    IF result\n"
      "    LOOP i3\n"
      "    IF !p.a\n"
      "    BRK\n"
      "    ELSE\n"
      "    CONT b4\n"
      "    ENDIF\n"
      "    ENDLOOP\n"
      "    ENDIF\n"
      "    CALL L16 !result\n"
      "    REP i0\n"
      "    BRK p.r\n"
      "    ENDREP\n"
      "    NOP\n"
      "    END\n"
      "L16:\n"
      "    MAX r1 r0 r0\n"
      "    RET\n";
  Shader shader = assemble(program, "t.ctm");
  const std::string text = round_trip(shader);
  EXPECT_NE(text.find("    ELSE\n    CONT b4\n"), std::string::npos) << text;
  EXPECT_NE(text.find("    CALL L15 !result\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("FC"), std::string::npos) << text;
}

TEST(Disassembler, PrintsSourcesWhereTheyAreNotTheAssemblersOwnChoice) {
  const Shader shader = assemble("MAD r0 r1@2 r2@0 r3@1\nmad r0 r4@1 r5@0 0\n", "t.ctm");
  EXPECT_NE(round_trip(shader).find("MAD r0 r1@2 r2@0 r3@1"), std::string::npos);
}

TEST(Disassembler, SaysInBracketsWhatTheTextCannot) {
  Shader shader = assemble("MAD r0 r1 r2 r3\nNOP\nEND", "t.ctm");
  shader.code[0].statistics = 5;
  shader.code[0].vector.operands[1].select = machine::overlay::SourceSelect::kSource2;
  const std::string text = round_trip(shader);
  EXPECT_NE(text.find("STAT_WE=5"), std::string::npos) << text;
}

// Every field of every type with random content, one word and whole programs.
TEST(Disassembler, TakesRandomWordsThereAndBack) {
  std::mt19937 random(11);
  for (int i = 0; i < 400; ++i) {
    Shader shader;
    shader.name = "program";
    shader.file = "t.ctm";
    const unsigned length = 1 + random() % 12;
    while (shader.code.size() < length) {
      Words words;
      for (std::uint32_t& part : words) part = static_cast<std::uint32_t>(random());
      const Words reserved = machine::overlay::reserved_bits(words);
      for (std::size_t j = 0; j < words.size(); ++j) words[j] &= ~reserved[j];
      shader.code.push_back(*decode(words));
    }
    shader.start = static_cast<std::uint16_t>(random() % length);
    shader.end = static_cast<std::uint16_t>(random() % length);
    derive_needs(shader);
    round_trip(shader);
    if (HasFatalFailure()) return;
  }
}

// Fields one at a time in an otherwise plain word: texts stay close to what people write.
TEST(Disassembler, TakesEveryFieldThereAndBack) {
  std::mt19937 random(3);
  for (const char* plain : {"MAD r1 r2 r3 r4\nmad r1 r2 r3 r4", "MAX o0 r1 r1\nmax o0 r1 r1",
                            "TEX r1 r0.rg s3", "IF\nENDIF\nNOP", "LOOP i1\nBRK\nENDLOOP\nNOP"}) {
    const Shader base = assemble(std::string(plain) + "\nNOP\nEND\n", "t.ctm");
    for (const auto& field : machine::overlay::fields()) {
      if (!has_field(base.code[0].type, field) || field.name == "TYPE") continue;
      Shader shader = base;
      field.put(shader.code[0], static_cast<std::uint32_t>(random()) & field.largest());
      derive_needs(shader);
      round_trip(shader);
      if (HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace raddle::ctm
