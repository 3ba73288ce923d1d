// The preprocessor.
#include "lang/cg/syntax/preprocessor.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/temporary_folder.h"

namespace raddle::cg {
namespace {

std::string expanded(std::string_view text, const std::vector<PredefinedMacro>& macros = {}) {
  Diagnostics diagnostics(text, "test.cg");
  std::string joined;
  for (const Token& token : preprocess(diagnostics, macros).tokens) {
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
  const Preprocessed result = preprocess(diagnostics, {});
  EXPECT_EQ(result.pragmas, (std::vector<std::string>{"s0=random:64x64", "size=1", "o0=x.png"}));
  EXPECT_EQ(result.tokens.size(), 2u);
  EXPECT_FALSE(diagnostics.has_errors());
}

TEST(CgPreprocessor, PlacesWhatAMacroGivesWhereItIsUsed) {
  const std::string_view text = "#define N (1 + 2)\nx N";
  Diagnostics diagnostics(text, "test.cg");
  const std::vector<Token> tokens = preprocess(diagnostics, {}).tokens;
  ASSERT_EQ(tokens.size(), 7u);
  for (std::size_t i = 1; i < 6; ++i) EXPECT_EQ(tokens[i].place, (Place{2, 3, 1}));
}

TEST(CgPreprocessor, JoinsTokens) {
  EXPECT_EQ(expanded("#define NAME(a, n) a##n\n#define ONE 1\nNAME(x, 2) NAME(x, ONE)"), "x2 xONE");
  EXPECT_EQ(expanded("#define V(n) float##n w\nV(4)"), "float4 w");
}

class CgIncludes : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    const std::filesystem::path path = folder_.path() / name;
    std::filesystem::create_directories(path.parent_path());
    write_file_atomically(path, text);
  }
  // The tokens of main.cg, or what is wrong, with the folder's name left out.
  std::string read(const std::vector<std::string>& folders = {}) {
    const std::string root = folder_.path().string() + "/";
    Diagnostics diagnostics(read_file(folder_.path() / "main.cg"), root + "main.cg");
    std::vector<std::string> paths;
    for (const std::string& folder : folders) paths.push_back(root + folder);
    std::string joined;
    for (const Token& token : preprocess(diagnostics, {}, paths).tokens) {
      if (token.kind != TokenKind::kEnd) joined += std::string(token.text) + " ";
    }
    try {
      diagnostics.throw_if_errors();
    } catch (const Error& error) {
      joined = error.full_text();
    }
    for (std::size_t at = joined.find(root); at != std::string::npos; at = joined.find(root))
      joined.erase(at, root.size());
    return joined;
  }

  TemporaryFolder folder_;
};

TEST_F(CgIncludes, LookBesideTheFileThatNamesThemAndThenInFolders) {
  write("main.cg", "#include \"sub/a.inc\"\n#include <b.inc>\nN");
  write("sub/a.inc", "#include \"../up.inc\"\na");
  write("up.inc", "#define N 3\nup");
  write("lib/b.inc", "b");
  EXPECT_EQ(read({"lib"}), "up a b 3 ");
}

TEST_F(CgIncludes, KeepFileLineAndColumnInMessages) {
  write("main.cg", "x\n#include \"a.inc\"\n`");
  write("a.inc", "\n  `");
  EXPECT_EQ(read(),
            "main.cg:3:1: error: unexpected character '`'\n  `\n  ^\n"
            "a.inc:2:3: error: unexpected character '`'\n    `\n    ^");
}

TEST_F(CgIncludes, HappenOnceWhereTheFileSaysSo) {
  write("main.cg", "#include \"a.inc\"\n#include \"a.inc\"\nz");
  write("a.inc", "#pragma once\na");
  EXPECT_EQ(read(), "a z ");
}

TEST_F(CgIncludes, DoNotGoRoundForEver) {
  write("main.cg", "#include \"main.cg\"\n");
  EXPECT_TRUE(read().starts_with("main.cg:1:1: error: #include is nested deeper than 64"));
}

TEST(CgPreprocessor, NamesLinesAsLineDirectivesAndMarkersOfCppSay) {
  EXPECT_EQ(expanded("#line 10 \"real.cg\"\n\n `"),
            "real.cg:11:2: error: unexpected character '`'\n   `\n   ^");
  EXPECT_EQ(expanded("# 7 \"made.cg\" 2\n`"),
            "made.cg:7:1: error: unexpected character '`'\n  `\n  ^");
  EXPECT_EQ(expanded("#line 40\n`"), "test.cg:40:1: error: unexpected character '`'\n  `\n  ^");
}

TEST(CgPreprocessor, CollectsParameters) {
  Diagnostics diagnostics("#pragma parameter SIZE \"The size of it\" 2.5 0.0 10.0 0.1\n", "t.cg");
  const Preprocessed result = preprocess(diagnostics, {});
  ASSERT_EQ(result.parameters.size(), 1u);
  EXPECT_EQ(result.parameters[0].name, "SIZE");
  EXPECT_EQ(result.parameters[0].value, 2.5F);
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
  EXPECT_EQ(expanded("#include \"no/a.h\""),
            "test.cg:1:1: error: cannot find 'no/a.h'\n  #include \"no/a.h\"\n  ^~~~~~~~\n"
            "hint: it is looked for beside this file and in the folders of -I");
  EXPECT_EQ(expanded("#include a.h"),
            "test.cg:1:1: error: #include needs the name of a file\n  #include a.h\n  ^~~~~~~~\n"
            "hint: write #include \"FILE\" or #include <FILE>");
  EXPECT_EQ(expanded("#define A #b"),
            "test.cg:1:11: error: '#' in a macro is not supported\n  #define A #b\n            ^");
  EXPECT_EQ(expanded("#line x"),
            "test.cg:1:2: error: #line needs the number of a line\n  #line x\n   ^~~~");
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
