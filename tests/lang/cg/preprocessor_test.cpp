// The preprocessor.
#include "lang/cg/syntax/preprocessor.h"

#include <gtest/gtest.h>

#include <string>

#include "base/error.h"

namespace raddle::cg {
namespace {

std::string expanded(std::string_view text, const std::vector<PredefinedMacro>& macros = {}) {
  Diagnostics diagnostics(text, "test.cg");
  std::string joined;
  for (const Token& token : preprocess(text, macros, diagnostics).tokens) {
    if (token.kind != TokenKind::kEnd)
      joined += (joined.empty() ? "" : " ") + std::string(token.text);
  }
  try {
    diagnostics.throw_if_errors();
  } catch (const Error& error) {
    return error.full_text();
  }
  return joined;
}

TEST(CgPreprocessor, ReplacesMacrosWithAndWithoutParameters) {
  EXPECT_EQ(expanded("#define N 4\nN x N"), "4 x 4");
  EXPECT_EQ(expanded("#define SQ(x) ((x)*(x))\nSQ(a+1) SQ"), "( ( a + 1 ) * ( a + 1 ) ) SQ");
  EXPECT_EQ(expanded("#define F(a, b) a-b\n#define G F\nG((1,2),3)"), "( 1 , 2 ) - 3");
  EXPECT_EQ(expanded("#define A A + B\n#define B A\nA"), "A + A");
  EXPECT_EQ(expanded("#define F (x)\nF"), "( x )");
  EXPECT_EQ(expanded("#define M(x) \\\n  x + \\\n  1\nM(2)"), "2 + 1");
  EXPECT_EQ(expanded("#define N 1\n#undef N\nN"), "N");
  EXPECT_EQ(expanded("SIZE", {{"SIZE", "8 + 1"}}), "8 + 1");
}

TEST(CgPreprocessor, KeepsTheBranchThatHolds) {
  EXPECT_EQ(expanded("#if 1\na\n#else\nb\n#endif"), "a");
  EXPECT_EQ(expanded("#if 0\na\n#elif 2 > 1\nb\n#elif 1\nc\n#else\nd\n#endif"), "b");
  EXPECT_EQ(expanded("#define N 3\n#if N * 2 == 6 && !defined(M)\na\n#endif"), "a");
  EXPECT_EQ(expanded("#ifdef N\na\n#endif\n#ifndef N\nb\n#endif"), "b");
  EXPECT_EQ(expanded("#if 0\n#if 1\na\n#else\nb\n#endif\n#else\nc\n#endif"), "c");
  EXPECT_EQ(expanded("#if -(4 - 2) % 3 < 0 || nothing\na\n#endif"), "a");
}

TEST(CgPreprocessor, SkipsCommentsAndUnknownPragmas) {
  EXPECT_EQ(expanded("a // b\n/* c\n d */ e\n#pragma whatever\n#line 3\n#\nf"), "a e f");
}

TEST(CgPreprocessor, CollectsTheWordsOfItsOwnPragmas) {
  const std::string_view text =
      "# pragma raddle s0=random:64x64  size=1 // see below\n#pragma other 3x\n#if 0\n#pragma "
      "raddle "
      "no\n#endif\na\n#pragma raddle o0=x.png";
  Diagnostics diagnostics(text, "test.cg");
  const Preprocessed result = preprocess(text, {}, diagnostics);
  EXPECT_EQ(result.pragmas, (std::vector<std::string>{"s0=random:64x64", "size=1", "o0=x.png"}));
  EXPECT_EQ(result.tokens.size(), 2u);
  EXPECT_FALSE(diagnostics.has_errors());
}

TEST(CgPreprocessor, PlacesWhatAMacroGivesWhereItIsUsed) {
  const std::string_view text = "#define N (1 + 2)\nx N";
  Diagnostics diagnostics(text, "test.cg");
  const std::vector<Token> tokens = preprocess(text, {}, diagnostics).tokens;
  ASSERT_EQ(tokens.size(), 7u);
  for (std::size_t i = 1; i < 6; ++i) EXPECT_EQ(tokens[i].place, (Place{2, 3, 1}));
}

TEST(CgPreprocessor, SaysWhatIsWrong) {
  EXPECT_EQ(expanded("#if 1"),
            "test.cg:1:2: error: unterminated condition: #endif is missing\n  #if 1\n   ^~");
  EXPECT_EQ(expanded("#endif"),
            "test.cg:1:2: error: #endif without an #if before it\n  #endif\n   ^~~~~");
  EXPECT_EQ(expanded("#if 1\n#else\n#else\n#endif"),
            "test.cg:3:2: error: #else after #else\n  #else\n   ^~~~");
  EXPECT_EQ(expanded("#define F(x) x\nF(1,2)"),
            "test.cg:2:1: error: the macro takes 1 arguments, not 2\n  F(1,2)\n  ^");
  EXPECT_EQ(expanded("#include \"a.h\""),
            "test.cg:1:2: error: #include is not supported\n  #include \"a.h\"\n   ^~~~~~~\n"
            "hint: put the included text into this file");
  EXPECT_EQ(
      expanded("#define A a##b"),
      "test.cg:1:12: error: '##' in a macro is not supported\n  #define A a##b\n             ^~");
  EXPECT_EQ(expanded("#error too old"),
            "test.cg:1:2: error: #error too old\n  #error too old\n   ^~~~~");
  EXPECT_EQ(expanded("#frob"), "test.cg:1:2: error: unknown directive '#frob'\n  #frob\n   ^~~~");
  EXPECT_EQ(expanded("#if 1 +\n#endif"),
            "test.cg:1:2: error: the condition is not complete\n  #if 1 +\n   ^~");
  EXPECT_EQ(expanded("#if 1 / 0\n#endif"),
            "test.cg:1:2: error: division by zero in a condition\n  #if 1 / 0\n   ^~");
}

TEST(CgPreprocessor, EndsWhateverMacrosDo) {
  std::string text = "#define A0 x x\n";
  for (int i = 1; i < 40; ++i)
    text += "#define A" + std::to_string(i) + " A" + std::to_string(i - 1) + " A" +
            std::to_string(i - 1) + "\n";
  EXPECT_TRUE(expanded(text + "A39")
                  .starts_with("test.cg:41:1: error: the macros expand to too much text"));
}

}  // namespace
}  // namespace raddle::cg
