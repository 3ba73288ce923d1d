// Includes, arrays with several indices as parameters, par for and print: what they do, and what is
// refused.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "lang/e/e_program.h"
#include "lang/e/interpreter.h"
#include "reading.h"
#include "running.h"

namespace raddle::e::test {
namespace {

using Words = std::vector<std::int64_t>;

// On the machine; the interpreter must leave the same.
Words words(const CompiledProgram& program, const std::string& variable,
            const std::vector<std::string>& assignments = {}) {
  SharedData expected = program.initial;
  interpret(program.program, expected);
  const MachineRun run = run_on_machine(program, "tpa", assignments);
  EXPECT_EQ(run.faults, "");
  EXPECT_EQ(run.memory, expected) << program.assembly;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (program.program.shared[i]->name == variable) return run.memory[i];
  }
  return {};
}

Words words(const std::string& text, const std::string& variable,
            const CompileOptions& options = {}) {
  return words(compile(text, "t.e", ".", {}, options), variable);
}

class EInclude : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::path(testing::TempDir()) /
        ("e_include_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::create_directories(folder_ / "more");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }
  CompiledProgram compiled(const std::string& text) const {
    return compile(text, "p.e", folder_, {}, {});
  }
  std::string error_of(const std::string& text) const {
    try {
      compiled(text);
    } catch (const Error& error) {
      return error.full_text();
    }
    return {};
  }

  std::filesystem::path folder_;
};

TEST_F(EInclude, TakesFilesBesideTheProgramAndBesideEachOtherOnce) {
  write("a.e", "#include \"more/b.e\"\nint twice(int x) { return 2 * one(x); }");
  write("more/b.e", "#include \"c.e\"\nint one(int x) { return x + c; }\n");
  write("more/c.e", "const c = 5;\n");
  EXPECT_EQ(
      words(compiled("#include \"a.e\"\n#include \"more/c.e\"\nint r_;\nr_ = twice(c);"), "r_"),
      (Words{20}));
}

TEST_F(EInclude, NamesTheFileAndLineOfAnError) {
  write("a.e", "// one\nint f(int x) { return y; }\n");
  EXPECT_EQ(error_of("int r_;\n#include \"a.e\"\nr_ = f(1);\n"),
            "a.e:2:23: unknown name 'y'\n  int f(int x) { return y; }\n                        ^");
  write("a.e", "int f(int x) { return x; }");
  EXPECT_EQ(error_of("#include \"a.e\"\nint r_;\nr_ = z;\n"),
            "p.e:3:6: unknown name 'z'\n  r_ = z;\n       ^");
  write("a.e", "const c = 1;");
  EXPECT_EQ(error_of("int r_;\n#include \"a.e\"\nconst c = 2;\n"),
            "p.e:3:7: 'c' is declared twice\n  const c = 2;\n        ^\n"
            "  hint: the first is on line 1 of a.e");
}

TEST_F(EInclude, NamesTheFileAndLineOfAFault) {
  write("a.e", "\nint div(int x, int y) { return x / y; }\n");
  const CompiledProgram program = compiled("#include \"a.e\"\nint z_, r_;\nr_ = div(1, z_);");
  const MachineRun run = run_on_machine(program);
  ASSERT_EQ(run.fault_places.size(), 1u);
  EXPECT_EQ(run.fault_places[0], "a.e:2");
}

TEST_F(EInclude, SaysWhatItCannotFind) {
  EXPECT_EQ(error_of("int r_;\n  #include \"b.e\"\n"),
            "p.e:2:12: cannot find 'b.e'\nhint: names in quotes are looked up beside this file");
  EXPECT_EQ(
      error_of("#include <none.e>\n"),
      "p.e:1:10: cannot find 'none.e'\nhint: names in <…> are those of Raddle's library; quote "
      "your own files");
}

TEST(EArrays, WithTwoIndicesAreParameters) {
  EXPECT_EQ(
      words("const N = 3, M = 5; int A_[N][M] = [$], B_[M][N], s_[N];\n"
            "void transpose(int X_[][], int Y_[][], int rows, int columns) {\n"
            "#rows * columns: Y_[$ % columns][$ / columns] = X_[$ / columns][$ % columns]; }\n"
            "void last(int X_[][], int R_[], int n, int k) { #n: R_[$] = X_[$][k]; R_[0] += "
            "X_[1][k]; }\n"
            "transpose(A_, B_, N, M); last(A_, s_, N, M - 1);",
            "B_"),
      (Words{0, 5, 10, 1, 6, 11, 2, 7, 12, 3, 8, 13, 4, 9, 14}));
  EXPECT_EQ(words("int A_[2][3] = [$], s_[2]; void last(int X_[][], int R_[]) {\n"
                  "#2: R_[$] = X_[$][2]; R_[0] += X_[1][1]; } last(A_, s_);",
                  "s_"),
            (Words{6, 5}));
}

TEST(EParFor, StartsAFlowForEachTurn) {
  EXPECT_EQ(
      words("int A_[10][4]; int k = 100;\n"
            "par for (int i = 1; i < 10; i += 3) #4: A_[i][$] = k * i + $;",
            "A_"),
      (Words{0, 0, 0, 0, 100, 101, 102, 103, 0,   0,   0,   0,   0, 0, 0, 0, 400, 401, 402, 403,
             0, 0, 0, 0, 0,   0,   0,   0,   700, 701, 702, 703, 0, 0, 0, 0, 0,   0,   0,   0}));
}

// par (i : 300) would need more flows than the buffers hold.
TEST(EParFor, WaitsWhereTheBuffersAreFull) {
  Words expected(300);
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = static_cast<std::int64_t>(i) * 2;
  const std::string text = "int A_[300]; par for (int i = 0; i < 300; i += 1) A_[i] = 2 * i;";
  EXPECT_EQ(words(text, "A_"), expected);
  CompileOptions options;
  options.flows = 4;
  const CompiledProgram program = compile(text, "t.e", ".", {}, options);
  EXPECT_EQ(words(program, "A_", {"frontend.flows=4"}), expected);
}

TEST(EPrint, WritesTextsAndValuesOfAllTypes) {
  const CompiledProgram program = compile(
      "int A_[3] = {4, 5, 6}; double h_ = 0.5; float t_ = 0.1f; A_[0] = 7;\n"
      "check { print(\"A_[0] was \", initial(A_[0]), \", is \", A_[0]);\n"
      "for (int i = 1; i < 3; i += 1) print(A_[i] * h_); print(t_, \" \", -1); }",
      "t.e", ".", {}, {});
  std::string printed;
  finish(program, run_on_machine(program).memory, ".", &printed);
  EXPECT_EQ(printed, "A_[0] was 4, is 7\n2.5\n3\n0.1 -1\n");
}

struct Case {
  const char* text;
  const char* message;
};

class ELanguageMessages : public testing::TestWithParam<Case> {};

TEST_P(ELanguageMessages, SayWhatIsWrong) {
  const std::string errors = errors_of(GetParam().text);
  EXPECT_EQ(errors.substr(0, errors.find('\n')), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    All, ELanguageMessages,
    testing::Values(
        Case{"int A_[4][4]; void f(int X_[]) {} f(A_);",
             "t.e:1:37: 'f' takes an array with 1 index here, 'A_' has 2"},
        Case{"int A_[4]; void f(int X_[][]) {} f(A_);",
             "t.e:1:36: 'f' takes an array with 2 indices here, 'A_' has 1"},
        Case{"void f(int X_[][]) { X_[0] = 1; }", "t.e:1:22: 'X_' takes 2 indices, not 1"},
        Case{"print(1);", "t.e:1:1: 'print' is valid only inside check"},
        Case{"par for (int i = 0; ; i += 1) ;", "t.e:1:5: par for needs a condition"},
        Case{"#4: if ($) par for (int i = 0; i < 2; i += 1) ;",
             "t.e:1:16: 'par' is not allowed where fibers diverge"},
        Case{"#4: par for (int i = 0; i < $; i += 1) ;",
             "t.e:1:27: the condition of par for must be common to the flow, this is a value per "
             "fiber"},
        Case{"par for (int i = 0; i < 4; i += 1) i = 7;",
             "t.e:1:36: 'i' belongs to the flow that started this one, which can only read it"},
        Case{"par 4;", "t.e:1:5: expected '{', '(' or 'for', found '4'"}));

}  // namespace
}  // namespace raddle::e::test
