// Floating point in e: types, conversions and results, against the host's own arithmetic and the
// interpreter.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "lang/e/e_program.h"
#include "lang/e/interpreter.h"
#include "reading.h"
#include "running.h"

namespace raddle::e::test {
namespace {

std::int64_t bits(double value) { return std::bit_cast<std::int64_t>(value); }
std::int64_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }

using Words = std::vector<std::int64_t>;

// What the variable holds after a run on the machine; the interpreter must leave the same.
Words words(const std::string& text, const std::string& variable) {
  const CompiledProgram program = compile(text, "t.e", ".", {}, {});
  SharedData expected = program.initial;
  interpret(program.program, expected);
  const MachineRun run = run_on_machine(program);
  EXPECT_EQ(run.faults, "");
  EXPECT_EQ(run.memory, expected) << text << program.assembly;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (program.program.shared[i]->name == variable) return run.memory[i];
  }
  return {};
}

TEST(EFloat, ComputesDoublesAsTheHostDoes) {
  Words expected;
  for (int i = 0; i < 40; ++i) {
    const double x = 0.37 * i - 4;
    const double y = x * x - 1.0 / (x + 100.25);
    expected.push_back(bits(std::sqrt(y < 0 ? -y : y) + std::max(x, 0.5)));
  }
  EXPECT_EQ(words("double X_[40] = [0.37 * $ - 4], R_[40];\n"
                  "#40: { double x$ = X_[$]; double y$ = x$ * x$ - 1 / (x$ + 100.25);\n"
                  "R_[$] = sqrt(abs(y$)) + max(x$, 0.5); }",
                  "R_"),
            expected);
}

TEST(EFloat, RoundsSinglesAfterEveryOperation) {
  Words expected;
  for (int i = 0; i < 20; ++i) {
    const float x = 0.1F * static_cast<float>(i);
    const float product = x * 0.3F;
    expected.push_back(bits(product + 1e-3F));
  }
  EXPECT_EQ(words("float X_[20] = [0.1f * $], R_[20]; #20: R_[$] = X_[$] * 0.3f + 1e-3f;", "R_"),
            expected);
}

TEST(EFloat, ConvertsAsC) {
  EXPECT_EQ(words("double R_[4]; int x = -7; float f = 0.1f; #4: R_[$] = $ == 0 ? x / 2 : $ == 1 ? "
                  "x / 2.0 : $ == 2 ? f : float(0.1) * f;",
                  "R_"),
            (Words{bits(-3.0), bits(-3.5), bits(static_cast<double>(0.1F)),
                   bits(static_cast<double>(0.1F * 0.1F))}));
  EXPECT_EQ(words("int R_[5]; double X_[5] = {2.9, -2.9, 1e30, -1e30, 0.0};\n"
                  "#5: R_[$] = int(X_[$]);",
                  "R_"),
            (Words{2, -2, 0x7fffffffffffffff, static_cast<std::int64_t>(1ULL << 63), 0}));
  EXPECT_EQ(words("int R_; R_ = (int) (2.5 * 3) + int(0.99f);", "R_"), (Words{7}));
}

TEST(EFloat, GivesConstantsTheTypeThatIsWritten) {
  EXPECT_EQ(
      words("const double three = 3; const half = 0.5; const float tenth = 0.1; double R_[2];\n"
            "#2: R_[$] = $ ? tenth : three / 2 + half;",
            "R_"),
      (Words{bits(2.0), bits(static_cast<double>(0.1F))}));
}

TEST(EFloat, ComparesAndDecidesByValueNotByBits) {
  EXPECT_EQ(words("double Z_[4] = {0.0, -0.0, 1e-300, -1.0}; int R_[4];\n"
                  "#4: { int r$; double z$ = Z_[$]; if (z$) r$ = 1; r$ += z$ > -0.5 ? 10 : 20;\n"
                  "r$ += (z$ >= 0) & 100; r$ += !z$ & 1000; r$ += (z$ && 1) & 10000; R_[$] = r$; }",
                  "R_"),
            (Words{1110, 1110, 10111, 10021}));
}

TEST(EFloat, DividesByZeroWithoutAFault) {
  EXPECT_EQ(words("double R_[3]; double z = 0; #3: if ($ < 2) R_[$] = ($ - 1.0) / z;", "R_"),
            (Words{bits(-HUGE_VAL), 0x7ff8000000000000, 0}));
}

TEST(EFloat, FusesWhereAskedAlone) {
  const double a = 1 + 0x1p-30;
  EXPECT_EQ(words("double R_[2]; double a = 1 + 0x40000000 / 1152921504606846976.0;\n"
                  "#2: R_[$] = $ ? fma(a, a, -1.0) : a * a - 1.0;",
                  "R_"),
            (Words{bits(a * a - 1.0), bits(std::fma(a, a, -1.0))}));
}

TEST(EFloat, WorksInTheFrontend) {
  double sum = 0;
  for (int i = 1; i < 10; ++i) sum += 1.0 / i;
  EXPECT_EQ(words("double s_; double s; for (int i = 1; i < 10; i += 1) s += 1.0 / i;\n"
                  "s_ = s > 2 ? s : -s;",
                  "s_"),
            (Words{bits(sum)}));
}

TEST(EFloat, PassesThroughFunctionsCompactionsAndSplits) {
  EXPECT_EQ(words("double X_[6] = [$ - 2.5], D_[6]; int n_;\n"
                  "double$ half(double x$) { return x$ / 2; }\n"
                  "#6: compact(D_, n_, X_[$] > 0.0, half(X_[$]));",
                  "D_"),
            (Words{bits(0.25), bits(0.75), bits(1.25), 0, 0, 0}));
  EXPECT_EQ(words("float X_[4] = [$ * 1.0f];\n"
                  "#4: { float v$ = X_[$]; split (v$ > 1.5f) { v$ = v$ * 2; } else { v$ = -v$; }\n"
                  "X_[$] = v$; }",
                  "X_"),
            (Words{bits(-0.0F), bits(-1.0F), bits(4.0F), bits(6.0F)}));
}

TEST(EFloat, ComputesInitialValuesByTheHost) {
  const Program program =
      program_of("const PI = 3.14159265358979; double C_[3] = [cos($ * PI / 2)];");
  Diagnostics diagnostics("t.e", "");
  const SharedData data = initial_data(program, ".", {}, diagnostics);
  EXPECT_EQ(data[0], (Words{bits(1.0), bits(std::cos(1 * 3.14159265358979 / 2)),
                            bits(std::cos(2 * 3.14159265358979 / 2))}));
}

struct Case {
  const char* text;
  const char* message;
  const char* hint;
};

class EFloatMessages : public testing::TestWithParam<Case> {};

TEST_P(EFloatMessages, SayWhatIsWrong) {
  const std::string errors = errors_of(GetParam().text);
  EXPECT_EQ(errors.substr(0, errors.find('\n')), GetParam().message);
  EXPECT_NE(errors.find(GetParam().hint), std::string::npos) << errors;
}

INSTANTIATE_TEST_SUITE_P(
    All, EFloatMessages,
    testing::Values(
        Case{"int x = 1.5;", "t.e:1:9: 'x' must be an int, not a double",
             "int(…) rounds towards zero"},
        Case{"int A_[4]; #4: A_[$ / 2.0] = 1;", "t.e:1:21: an index must be an int, not a double",
             "int(…)"},
        Case{"double x; #x: ;", "t.e:1:12: the thickness must be an int, not a double", "int(…)"},
        Case{"float s_; #4: multi(ADD, s_, $);",
             "t.e:1:26: the target of a multioperation must be an int, not a float", "int(…)"},
        Case{"int s_; #4: multi(ADD, s_, 0.5);",
             "t.e:1:28: what a multioperation combines must be an int, not a double", "int(…)"},
        Case{"int x; #4: { double v$; x = reduce(MAX, v$); }",
             "t.e:1:41: what reduce combines must be an int, not a double", "int(…)"},
        Case{"double x; x = x & 1;", "t.e:1:17: this operator takes integers, not a double",
             "int(…)"},
        Case{"double x; x <<= 1;", "t.e:1:11: this assignment takes integers, 'x' is a double", ""},
        Case{"double x; x = ~x;", "t.e:1:16: the operand of '~' must be an int, not a double",
             "int(…)"},
        Case{"double x; x = sin(x);", "t.e:1:15: 'sin' is computed by the host alone",
             "it is valid in constants, in initial values of shared arrays and in check"},
        Case{"const int X = 1.5;", "t.e:1:15: 'X' must be an int, not a double", "int(…)"},
        Case{"param X = 1.5;", "t.e:1:11: a param must be an int, not a double", "int(…)"},
        Case{"double x; x = sqrt(1, 2);", "t.e:1:15: 'sqrt' takes 1 argument, not 2", ""},
        Case{"double A_[4]; void f(int B_[]) {} f(A_);",
             "t.e:1:37: 'f' takes an array of int here, this is one of double", ""},
        Case{"int f(float x) { return x; } ",
             "t.e:1:25: the result of 'f' must be an int, not a float", "int(…)"}));

}  // namespace
}  // namespace raddle::e::test
