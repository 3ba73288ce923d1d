// The table of fields: it packs the words that others' tables give, owns every bit once, and takes
// each field there and back.
#include "machine/overlay/isa.h"

#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <random>

namespace raddle::machine::overlay {
namespace {

constexpr std::array kTypes = {InstructionType::kAlu, InstructionType::kOut, InstructionType::kFlow,
                               InstructionType::kTex};

Words word(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d, std::uint32_t e,
           std::uint32_t f) {
  return {a, b, c, d, e, f};
}

TEST(Isa, FieldsOfOneTypeNeverOverlap) {
  for (const InstructionType type : kTypes) {
    Words taken{};
    for (const Field& field : fields()) {
      if (!has_field(type, field)) continue;
      ASSERT_LE(field.bit + field.width, 32) << field.name;
      const std::uint32_t bits = field.largest() << field.bit;
      EXPECT_EQ(taken[field.word] & bits, 0U) << field.name;
      taken[field.word] |= bits;
    }
  }
}

TEST(Isa, NamesOfOneTypeAreUniqueAndFoundInAnyCase) {
  for (const InstructionType type : kTypes) {
    std::map<std::string_view, int> seen;
    for (const Field& field : fields()) {
      if (!has_field(type, field)) continue;
      EXPECT_EQ(++seen[field.name], 1) << field.name;
      EXPECT_EQ(find_field(type, field.name), &field);
    }
  }
  EXPECT_NE(find_field(InstructionType::kTex, "tex_id"), nullptr);
  EXPECT_EQ(find_field(InstructionType::kFlow, "TEX_ID"), nullptr);
  EXPECT_EQ(find_field(InstructionType::kAlu, "NO_SUCH_FIELD"), nullptr);
}

TEST(Isa, EveryValueOfEveryFieldGoesIntoItsBitsAloneAndBack) {
  for (const InstructionType type : kTypes) {
    Instruction empty;
    empty.type = type;
    for (const Field& field : fields()) {
      if (!has_field(type, field) || field.name == "TYPE") continue;
      for (std::uint32_t value = 0; value <= field.largest(); ++value) {
        Instruction instruction = empty;
        field.put(instruction, value);
        const Words words = encode(instruction);
        ASSERT_EQ((words[field.word] >> field.bit) & field.largest(), value) << field.name;
        Words difference = encode(empty);
        for (std::size_t i = 0; i < words.size(); ++i) difference[i] ^= words[i];
        difference[field.word] &= ~(field.largest() << field.bit);
        ASSERT_EQ(difference, Words{}) << field.name << " = " << value;
        ASSERT_EQ(decode(words), instruction) << field.name << " = " << value;
      }
    }
  }
}

TEST(Isa, RandomWordsDecodeAndEncodeToThemselvesOrSayWhichBitsAreReserved) {
  std::mt19937 random(5);
  for (int i = 0; i < 2000; ++i) {
    Words words;
    for (std::uint32_t& part : words) part = static_cast<std::uint32_t>(random());
    const Words reserved = reserved_bits(words);
    EXPECT_EQ(decode(words).has_value(), reserved == Words{});
    for (std::size_t j = 0; j < words.size(); ++j) words[j] &= ~reserved[j];
    const auto instruction = decode(words);
    ASSERT_TRUE(instruction.has_value());
    EXPECT_EQ(encode(*instruction), words);
  }
}

TEST(Isa, ReservedBitsOfEachTypeAreThoseTheDocumentationLeavesOut) {
  const std::uint32_t all = ~0U;
  // TYPE is part of the first word, so each type is asked for by its own.
  EXPECT_EQ(reserved_bits(word(all & ~3U, all, all, all, all, all)), Words{});
  EXPECT_EQ(reserved_bits(word(3, all, all, all, all, all)), word(0, 0xF030FFFF, 0, 0, all, all));
  EXPECT_EQ(reserved_bits(word(2, all, all, all, all, all)),
            word(0, all, 0xE0E00008, 0x7E00E0E0, all, all));
}

TEST(Isa, EmptyInstructionReadsTheInlineZeroEverywhere) {
  EXPECT_EQ(encode(Instruction{}), word(0, 0x08020080, 0x08020080, 0, 0, 0));
}

TEST(Isa, InlineFloatsAreThoseOfTheDocumentation) {
  EXPECT_EQ(inline_value(0x80), 0.0F);
  EXPECT_EQ(inline_value(48), 0.5F);
  EXPECT_EQ(inline_value(60), 1.5F);
  EXPECT_EQ(inline_value(1), 1.0F / 512);  // denormal: 1/8 * 2^-6
  EXPECT_EQ(inline_value(8), 1.0F / 64);   // the least with an implied one
  EXPECT_EQ(inline_value(127), 480.0F);
  EXPECT_EQ(inline_address(0.5F), 0x80 | 48);
  EXPECT_EQ(inline_address(480.0F), 0xFF);
  EXPECT_FALSE(inline_address(0.1F).has_value());
  EXPECT_FALSE(inline_address(-1.0F).has_value());
  EXPECT_FALSE(inline_address(481.0F).has_value());
}

}  // namespace
}  // namespace raddle::machine::overlay
