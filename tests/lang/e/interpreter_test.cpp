// What programs compute by the synchronous semantics.
#include "lang/e/interpreter.h"

#include <gtest/gtest.h>

#include <atomic>

#include "base/stop_token.h"
#include "reading.h"

namespace raddle::e::test {
namespace {

using Words = std::vector<std::int64_t>;

TEST(EInterpreter, RunsThePrefixLoopOfSectionOne) {
  EXPECT_EQ(interpreted("const N = 8; int i; int A_[N] = [$ + 1];\n"
                        "for (i = 1, # = N - 1; i < N; # -= i, i <<= 1) A_[$ + i] += A_[$];",
                        "A_"),
            (Words{1, 3, 6, 10, 15, 21, 28, 36}));
}

TEST(EInterpreter, EndsWhenItIsStopped) {
  const std::atomic<bool> interrupted = true;
  const Program program = program_of("int x; while (1) x = 1;");
  SharedData memory;
  const StopScope scope{StopToken(&interrupted)};
  EXPECT_THROW(interpret(program, memory), Stopped);
}

TEST(EInterpreter, ReadsBeforeItWritesInEveryStatement) {
  EXPECT_EQ(interpreted("int A_[4] = {1, 2, 3, 4}; #4: A_[$] = A_[($ + 1) & 3];", "A_"),
            (Words{2, 3, 4, 1}));
}

TEST(EInterpreter, KeepsTheLowestFiberWhereSeveralWriteOneWord) {
  EXPECT_EQ(interpreted("int x_; #5: x_ = $ + 7;", "x_"), (Words{7}));
}

TEST(EInterpreter, GivesExclusivePrefixesInOrderOfFibers) {
  const char* text =
      "int A_[6] = {5, 1, 4, 1, 5, 9}; int P_[6]; int s_[2] = {100, 0};\n"
      "#6: prefix(P_[$], ADD, s_[$ & 1], A_[$]);";
  EXPECT_EQ(interpreted(text, "P_"), (Words{100, 0, 105, 1, 109, 2}));
  EXPECT_EQ(interpreted(text, "s_"), (Words{114, 11}));
}

TEST(EInterpreter, SubtractsEveryOperandOfAMultioperationFromTheTarget) {
  EXPECT_EQ(interpreted("int x_ = 100; #4: multi(SUB, x_, $);", "x_"), (Words{94}));
}

TEST(EInterpreter, RunsTheListingsOfThePaper) {
  EXPECT_EQ(
      interpreted("const N = 4, log_n = 2; int A_[N] = {3, 7, 2, 5}, tmp_[N];\n"
                  "#N*N: fast_multi(ADD, &tmp_[$ & (N-1)], (A_[$>>log_n] < A_[$ & (N-1)]) & 1);\n"
                  "#N: A_[tmp_[$]] = A_[$];",
                  "A_"),
      (Words{2, 3, 5, 7}));
}

TEST(EInterpreter, LetsFibersDecideApart) {
  EXPECT_EQ(interpreted("int A_[6]; #6: { if ($ & 1) A_[$] = 10 + $; else A_[$] = $; }", "A_"),
            (Words{0, 11, 2, 13, 4, 15}));
}

TEST(EInterpreter, DoesNotEvaluateWhatAFiberDoesNotNeed) {
  EXPECT_EQ(interpreted("int A_[4] = {1, 2, 3, 4}, B_[4];\n"
                        "#4: { B_[$] = $ > 0 ? A_[$ - 1] : 0;\n"
                        "if ($ < 3 && A_[$ + 1] == 4) B_[$] = 12 / ($ - 1); }",
                        "B_"),
            (Words{0, 1, 12, 3}));
}

TEST(EInterpreter, TakesTheSameWordForAllFibersWhereACommonConditionChoosesTheIndex) {
  EXPECT_EQ(interpreted("int b = 1; int A_[5] = {1, 2, 3, 4, 5}, B_[5];\n"
                        "#5: B_[$] = A_[b ? 3 : $] + A_[b ? $ : 3];",
                        "B_"),
            (Words{5, 6, 7, 8, 9}));
}

TEST(EInterpreter, LooksForNoTargetWhereNoFiberTakesPart) {
  EXPECT_EQ(interpreted("int k = 9; int s_[4], P_[4]; #4: if ($ > 7) { multi(ADD, s_[k], 1);\n"
                        "prefix(P_[k], ADD, s_[k], 1); }",
                        "s_"),
            (Words{0, 0, 0, 0}));
}

TEST(EInterpreter, LoopsUntilNoFiberIsLeft) {
  EXPECT_EQ(interpreted("int A_[5] = {1, 2, 3, 6, 7}, steps_[5];\n"
                        "#5: { int x$ = A_[$], n$; while (x$ != 1) {\n"
                        "if (x$ & 1) x$ = 3 * x$ + 1; else x$ >>= 1; n$ += 1; } steps_[$] = n$; }",
                        "steps_"),
            (Words{0, 1, 7, 8, 16}));
}

TEST(EInterpreter, SplitsAFlowAndJoinsItsBranches) {
  const char* text =
      "int A_[6] = {5, 0, 4, 0, 0, 9}, E_[6], n_[2], R_[6];\n"
      "#6: { int v$ = A_[$]; split (v$) { n_[0] = #; E_[$] = $$; v$ += 1; }\n"
      "else { n_[1] = #; v$ = -$; } R_[$] = v$; }";
  EXPECT_EQ(interpreted(text, "E_"), (Words{0, 2, 5, 0, 0, 0}));
  EXPECT_EQ(interpreted(text, "n_"), (Words{3, 3}));
  EXPECT_EQ(interpreted(text, "R_"), (Words{6, 0, 5, -1, -2, 10}));
}

TEST(EInterpreter, RunsSeveralFlows) {
  EXPECT_EQ(interpreted("int A_[12]; par (i : 3) #4: A_[4 * i + $] = 10 * i + $;", "A_"),
            (Words{0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23}));
  EXPECT_EQ(interpreted("int a_, b_; par { a_ = 3; #2: b_ = 4; }", "b_"), (Words{4}));
}

TEST(EInterpreter, CallsFunctionsOncePerFlow) {
  EXPECT_EQ(
      interpreted("int A_[4] = {1, 2, 3, 4}, n_; \n"
                  "int$ square(int x$) { return x$ * x$; }\n"
                  "int count(int T_[], int n) { #n: multi(ADD, n_, 1); return reduce(MAX, 5); }\n"
                  "#4: A_[$] = square(A_[$]) + count(A_, 4);",
                  "A_"),
      (Words{6, 9, 14, 21}));
}

TEST(EInterpreter, PutsCompactedValuesBehindOneAnother) {
  const char* text =
      "int A_[6] = {5, 0, 4, 0, 0, 9}, D_[6], n_, E_[6], m_;\n"
      "#6: partition(D_, n_, E_, m_, A_[$], $);";
  EXPECT_EQ(interpreted(text, "D_"), (Words{0, 2, 5, 0, 0, 0}));
  EXPECT_EQ(interpreted(text, "E_"), (Words{1, 3, 4, 0, 0, 0}));
  EXPECT_EQ(interpreted(text, "n_"), (Words{3}));
}

TEST(EInterpreter, FindsIndicesOutsideOfArrays) {
  EXPECT_EQ(fault_of("int A_[4]; #5: A_[$] = 1;"), "t.e:1:16: index 4 is outside A_[4] in fiber 4");
}

TEST(EInterpreter, FindsDivisionsByZero) {
  EXPECT_EQ(fault_of("int A_[4]; #4: A_[$] = 1 / (2 - $);"),
            "t.e:1:26: division by zero in fiber 2");
}

TEST(EInterpreter, FindsRacesBetweenFlows) {
  EXPECT_EQ(fault_of("int A_[4]; int b_;\npar { A_[1] = 1;\n b_ = A_[1]; }"),
            "t.e:3:7: two flows that run at the same time use A_[1], and one changes it; the other "
            "use is on line 2\n"
            "hint: let the flows join before, or give each its own place");
  EXPECT_EQ(fault_of("int n_; par (i : 4) multi(ADD, n_, i); check { assert(n_ == 6); }"), "");
}

TEST(EInterpreter, SaysWhichCheckFailed) {
  EXPECT_EQ(
      fault_of(
          "int A_[3] = {1, 2, 3}; #3: A_[$] += 1;\n"
          "check { for (int i = 0; i < 3; i += 1) assert(A_[i] == initial(A_[i]), \"kept\"); }"),
      "t.e:2:40: the check failed: kept");
}

}  // namespace
}  // namespace raddle::e::test
