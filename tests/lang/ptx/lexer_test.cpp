// Tokens.
#include "lang/ptx/lexer.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace raddle::ptx {
namespace {

std::vector<Token> tokens_of(std::string_view text) {
  Lexer lexer(text);
  lexer.advance();
  std::vector<Token> tokens;
  while (lexer.current().kind != TokenKind::kEnd) tokens.push_back(lexer.advance());
  return tokens;
}

std::string texts_of(std::string_view text) {
  std::string joined;
  for (const Token& token : tokens_of(text))
    joined += (joined.empty() ? "" : " ") + std::string(token.text);
  return joined;
}

std::string error_of(std::string_view text) {
  try {
    tokens_of(text);
  } catch (const LexicalError& error) {
    return std::to_string(error.line) + ": " + error.message;
  }
  return {};
}

TEST(PtxLexer, TakesInstructionsApart) {
  EXPECT_EQ(texts_of("@!%p1 ld.global.L2::128B.v4.f32 {%f1,_}, [%rd1+-4];"),
            "@ ! %p1 ld .global .L2::128B .v4 .f32 { %f1 , _ } , [ %rd1 + - 4 ] ;");
  EXPECT_EQ(texts_of("$L__BB0_2: tex.1d %tid.x"), "$L__BB0_2 : tex .1d %tid .x");
}

TEST(PtxLexer, CountsLinesThroughCommentsAndSkipsThem) {
  const std::vector<Token> tokens = tokens_of("a // b\n/* c\n d */ e\n#line 3\n@@DWARF .byte 1\nf");
  ASSERT_EQ(tokens.size(), 3u);
  EXPECT_EQ(tokens[0].line, 1u);
  EXPECT_EQ(tokens[1].text, "e");
  EXPECT_EQ(tokens[1].line, 3u);
  EXPECT_EQ(tokens[2].text, "f");
  EXPECT_EQ(tokens[2].line, 6u);
}

TEST(PtxLexer, ReadsNumbersInEveryNotation) {
  const std::vector<Token> tokens = tokens_of(
      "12 0x1F 017 0b101 7U 0 0f3F800000 0d3FF0000000000000 1.5 2e3 18446744073709551615");
  ASSERT_EQ(tokens.size(), 11u);
  const std::uint64_t expected[] = {12,
                                    0x1f,
                                    15,
                                    5,
                                    7,
                                    0,
                                    0x3f800000,
                                    0x3ff0000000000000,
                                    0x3ff8000000000000,
                                    0x409f400000000000,
                                    ~std::uint64_t{0}};
  for (std::size_t i = 0; i < tokens.size(); ++i)
    EXPECT_EQ(tokens[i].bits, expected[i]) << tokens[i].text;
  EXPECT_EQ(tokens[5].kind, TokenKind::kInteger);
  EXPECT_EQ(tokens[6].kind, TokenKind::kSingle);
  EXPECT_EQ(tokens[7].kind, TokenKind::kDouble);
  EXPECT_EQ(tokens[8].kind, TokenKind::kDouble);
}

TEST(PtxLexer, ReadsStringsWithEscapes) {
  const std::vector<Token> tokens = tokens_of(R"("a \" b" "c")");
  ASSERT_EQ(tokens.size(), 2u);
  EXPECT_EQ(tokens[0].text, R"(a \" b)");
  EXPECT_EQ(tokens[1].text, "c");
}

TEST(PtxLexer, SaysWhatIsNoToken) {
  EXPECT_EQ(error_of("\n/* no end"), "2: unterminated comment");
  EXPECT_EQ(error_of("\"no end\n\""), "1: unterminated string");
  EXPECT_EQ(error_of("0x"), "1: malformed number '0x'");
  EXPECT_EQ(error_of("089"), "1: malformed number '089'");
  EXPECT_EQ(error_of("12abc"), "1: malformed number '12abc'");
  EXPECT_EQ(error_of("1e"), "1: malformed number '1e'");
  EXPECT_EQ(error_of("0f3F80"),
            "1: a floating-point number that begins with '0f' has 8 hexadecimal digits");
  EXPECT_EQ(error_of("0d3F80"),
            "1: a floating-point number that begins with '0d' has 16 hexadecimal digits");
  EXPECT_EQ(error_of("0f3F8000001"), "1: malformed number '0f3F8000001'");
  EXPECT_EQ(error_of("18446744073709551616"), "1: an integer of more than 64 bits");
  EXPECT_EQ(error_of("a\n\\"), "2: unexpected character '\\'");
  EXPECT_EQ(error_of(". x"), "1: unexpected character '.'");
  EXPECT_EQ(error_of("\xff"), "1: unexpected character with code 0xff");
}

}  // namespace
}  // namespace raddle::ptx
