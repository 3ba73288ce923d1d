// Compiled programs on the machine: what they leave in memory is what the interpreter leaves.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.h"
#include "lang/e/e_program.h"
#include "lang/e/interpreter.h"
#include "machine/parameters.h"
#include "machine/tpa/tpa_parameters.h"
#include "random_program.h"
#include "running.h"

namespace raddle::e::test {
namespace {

// The first difference, empty if there is none.
std::string difference(const CompiledProgram& program, const SharedData& expected,
                       const SharedData& found) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    for (std::size_t k = 0; k < expected[i].size(); ++k) {
      if (expected[i][k] == found[i][k]) continue;
      return program.program.shared[i]->name + "[" + std::to_string(k) + "] is " +
             std::to_string(found[i][k]) + ", not " + std::to_string(expected[i][k]);
    }
  }
  return {};
}

// Runs a program on a machine that the compiler knows, and as the interpreter runs it.
void expect_same(const std::string& text, const std::vector<std::string>& assignments) {
  const auto which = [&] { return testing::PrintToString(assignments) + "\n" + text; };
  try {
    machine::ParameterTable table = machine::load_parameters("tpa");
    for (const std::string& assignment : assignments) table.set(assignment);
    const machine::tpa::TpaParameters parameters(table);
    CompileOptions options;
    options.backends = parameters.backends_of_frontend();
    options.step_cache_lines = std::min(parameters.step_cache_lines, parameters.scratchpad_entries);
    options.interleaved = parameters.back.interleaved;
    const CompiledProgram program = compile(text, "r.e", ".", {}, options);
    SharedData expected = program.initial;
    interpret(program.program, expected);
    const MachineRun run = run_on_machine(program, "tpa", assignments);
    ASSERT_EQ(run.faults, "") << which();
    ASSERT_EQ(difference(program, expected, run.memory), "") << which() << program.assembly;
  } catch (const Error& error) {
    FAIL() << error.full_text() << "\n" << which();
  }
}

class EUntaken : public testing::TestWithParam<const char*> {};

// What no fiber takes does not divide, read or trap.
TEST_P(EUntaken, BranchDoesNothing) {
  expect_same(std::string("int O_[4]; int A_[4]; int x[4]; int z; int k = 100000000; int z_;\n") +
                  GetParam(),
              {});
}

INSTANTIATE_TEST_SUITE_P(
    All, EUntaken,
    testing::Values("z_ = 3; #4: if ($ > 100) { while (z_ > 0) z_ = z_ - 1; } else O_[$] = 1;",
                    "z_ = 3; #4: if ($ > 1) { for (; z_ > 1;) { z_ -= 1; O_[$] += 2; } }",
                    "O_[0] = k ? 1 : 7 / z;", "O_[0] = k ? 1 : 7 / (3 > 9);",
                    "#4: O_[$] = $ < 100 ? 1 : 7 / z;", "#4: O_[$] = $ < 100 ? 1 : $ % (1 > 2);",
                    "#4: O_[$] = ($ >= 0 || 7 / z) & 1;", "#4: O_[$] = ($ > 9 && 7 % z) + 2;",
                    "#4: if ($ > 100) O_[$] = 7 / z; else O_[$] = 1;",
                    "#4: if ($ > 100) O_[$] /= z; else O_[$] = 1;",
                    "#4: if ($ > 100) { int q = 7 / z; q %= z; O_[$] = q; } else O_[$] = 1;",
                    "#4: if ($ > 100) { if (7 / z > 1) O_[$] = 3; } else O_[$] = 1;",
                    "#4: if ($ > 100) { int q = A_[k] + x[7 / z]; O_[$] = q; } else O_[$] = 1;",
                    "#4: O_[$] = $ > 100 ? x[k] : 5;", "#4: O_[$] = $ > 100 ? A_[k] : 5;",
                    "#4: O_[$] = $ > 100 ? O_[x[k] + $] : 5;",
                    "#4: O_[$] = $ > 100 ? x[z > 1 ? 7 / z : 1] + x[k / z] : 5;",
                    "#4: O_[$] = z_ != 0 ? 10 / z_ : 3;", "if (z != 0) O_[0] = 1 / 0;",
                    "#(-3): O_[$] = 1;", "#(z - 3): O_[$] = 1;",
                    "x[2] = 9; z = 3; #4: O_[$] = $ > 1 ? x[z - 1] + 7 / z : $;"));

struct Trap {
  const char* text;
  const char* place;
};
class ETrap : public testing::TestWithParam<Trap> {};

// Where a fiber does take part, it faults, on the line that divides or reads.
TEST_P(ETrap, NamesItsLine) {
  const CompiledProgram program = compile(GetParam().text, "t.e", ".", {}, {});
  const MachineRun run = run_on_machine(program);
  ASSERT_EQ(run.fault_places.size(), 1u) << program.assembly;
  EXPECT_EQ(run.fault_places[0], GetParam().place) << run.faults << program.assembly;
}

INSTANTIATE_TEST_SUITE_P(
    All, ETrap,
    testing::Values(Trap{"int O_[4]; int z;\nint y = 1;\nO_[0] =\n 7 / z;", "t.e:4"},
                    Trap{"int O_[4]; int z; int y;\ny = 3;\n#4: O_[$] = $ > 2 ? 7 / z : 1;",
                         "t.e:3"},
                    Trap{"int O_[4];\n#4: {\nint a$ = $;\nint b$ = 7 / a$;\nint c$ = b$ + 1;\n"
                         "O_[$] = c$;\n}",
                         "t.e:4"},
                    Trap{"int O_[4];\n#4: {\nint a$ = 7 / ($ + 1);\nint b$ = 7 / $;\n"
                         "O_[$] = a$ + b$;\n}",
                         "t.e:4"},
                    Trap{"int O_[4]; int x[4]; int k = 9;\n#4:\nif ($ > 2) {\n"
                         "O_[$] = x[k];\n}",
                         "t.e:4"}));

TEST(EMemory, IsCheckedBeforeArraysAreMade) {
  CompileOptions options;
  options.memory_bytes = 4096;
  try {
    compile("int A_[8];\nint B_[200000000] = [$];", "t.e", ".", {}, options);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.full_text(),
              "t.e:2:5: 'B_' ends at byte 1600000128, but shared memory has 4096 bytes\n"
              "  int B_[200000000] = [$];\n      ^~\n  hint: raise it with --set memory.bytes=…");
  }
}

TEST(EMemory, HoldsOfAnArrayWhatItsDeclarationGives) {
  const CompiledProgram program =
      compile("int A_[100000000]; int B_[1000] = {1, 2}; int c_;", "t.e", ".", {}, {});
  EXPECT_EQ(program.initial, (SharedData{{}, {1, 2}, {}}));
}

TEST(EMachines, WithoutReductionsRefuseLoopsOfFibersWhereTheyAreWritten) {
  CompileOptions options;
  options.all_techniques = false;
  try {
    compile("int O_[8];\n#8: { int x$ = $; while (x$ > 0) x$ -= 1; O_[$] = x$; }", "t.e", ".", {},
            options);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.full_text(),
              "t.e:2:19: reduce and loops with a condition per fiber need reductions in the "
              "frontend, which this machine does not have\n"
              "  #8: { int x$ = $; while (x$ > 0) x$ -= 1; O_[$] = x$; }\n"
              "                    ^~~~~\n  hint: run it on tpa");
  }
}

class ERandomOnMachine : public testing::TestWithParam<std::uint64_t> {};

TEST_P(ERandomOnMachine, ComputesWhatTheInterpreterComputes) {
  for (std::uint64_t seed = GetParam(); seed < GetParam() + 200; ++seed)
    expect_same(random_program(seed), {});
}

INSTANTIATE_TEST_SUITE_P(Seeds, ERandomOnMachine, testing::Values(1u, 201u, 401u, 601u));

// Sizes that the paper's machine has not: programs mean the same on all of them.
using Assignments = std::vector<std::string>;
class ERandomOnOddMachine : public testing::TestWithParam<Assignments> {};

TEST_P(ERandomOnOddMachine, ComputesWhatTheInterpreterComputes) {
  for (std::uint64_t seed = 2001; seed < 2081; ++seed)
    expect_same(random_program(seed), GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    Machines, ERandomOnOddMachine,
    testing::Values(
        Assignments{"backend.count=1", "network.width=1", "spread.queue=1"},
        Assignments{"backend.count=5", "network.width=5", "network.planes=1", "memory.hash=random"},
        Assignments{"backend.count=3", "network.width=1", "network.model=routers",
                    "network.queue=2", "network.module_queue=2"},
        Assignments{"backend.count=12", "network.width=3", "frontend.count=3", "network.planes=3"},
        Assignments{"backend.count=36", "network.width=9", "frontend.count=2",
                    "network.hop_cycles=5", "backend.memory_segment=20"},
        Assignments{"step_cache.lines=16", "step_cache.ways=1", "frontend.count=4"},
        Assignments{"backend.count=2", "network.width=2", "step_cache.lines=16",
                    "multioperations.scratchpad_entries=9"},
        Assignments{"memory.ideal=true", "frontend.count=16", "memory.hash=modulo"},
        Assignments{"backend.memory_segment=1", "backend.stages_before=1", "backend.stages_after=1",
                    "spread.latency=0", "spread.return_latency=0", "frontend.switch_cycles=3"}));

TEST(EPartition, TakesConditionAndValueThatAreCommonToTheFlow) {
  for (const char* condition : {"b", "b - b", "1", "$ & 1"}) {
    for (const char* value : {"-7", "b", "$", "0"}) {
      expect_same(
          std::string("int b = 11, E_[64], D_[64], n_ = 2, m_;\n#50: { partition(E_, n_, D_, "
                      "m_, ") +
              condition + ", " + value + ");\nif ($ > 7) compact(D_, m_, " + condition + ", " +
              value + "); }",
          {});
    }
  }
}

TEST(EMapping, IsStackedWhereConstructsNeedIt) {
  const std::vector<std::string> interleaved = {"backend.mapping=interleaved"};
  const std::string text =
      "int A_[99] = [random(1, -9, 9)], P_[99], s_, n_;\n"
      "#99: { int v$ = A_[$]; prefix(P_[$], ADD, s_, v$); split (v$ > 0) n_ = #; }\n"
      "par (i : 2) #50: multi(MAX, s_, $);";
  expect_same(text, interleaved);
  CompileOptions options;
  options.interleaved = true;
  EXPECT_EQ(compile(text, "t.e", ".", {}, options).warnings,
            "t.e:1:1: warning: fibers are mapped stacked, not interleaved as on this machine: "
            "multioperations and multiprefixes by scratchpads need it\n"
            "  int A_[99] = [random(1, -9, 9)], P_[99], s_, n_;\n  ^\n"
            "  hint: fast_multi and fast_prefix do not\n");
  expect_same("int s_; int x; #9: { x = reduce(ADD, $); s_ = x; }", interleaved);
  const std::string fast = "int A_[99], s_; #99: { A_[$] = 2 * $; fast_multi(ADD, s_, A_[$]); }";
  EXPECT_EQ(compile(fast, "t.e", ".", {}, options).warnings, "");
  expect_same(fast, interleaved);
}

// Flows share step caches and scratchpads; what one keeps there is not the others'.
TEST(EFlowsOnMachine, KeepTheirSymmetricMultioperationsApart) {
  const std::string text =
      "int X_[900], Y_[900];\n"
      "par { #14400: multi.S2(ADD, X_[$ % 900], $); #14400: multi.S2(MAX, Y_[$ % 900], $); }";
  expect_same(text, {});
  const std::string small =
      "int X_[50], Y_[50];\n"
      "par { #900: multi.S2(ADD, X_[$ % 50], $); #900: multi.S2(SUB, Y_[$ % 50], $); }";
  expect_same(small, {"step_cache.lines=64"});
  expect_same(small, {"step_cache.lines=64", "step_cache.ways=1"});
}

TEST(EFlowsOnMachine, LetAMultiprefixBesideLoadsThatFillTheStepCache) {
  expect_same(
      "int A_[65536] = [$], B_[65536], P_[5000], s_[500];\n"
      "par { #65536: B_[$] = A_[$] + 1; #5000: prefix(P_[$], ADD, s_[$ % 500], $); }",
      {});
}

TEST(EFlowsOnMachine, SpillSymmetricMultioperationsWhereTheScratchpadIsSmall) {
  expect_same("int G_[333] = [random(3, 0, 32)], X_[33]; #333: multi.S2(ADD, X_[G_[$]], 1);",
              {"multioperations.scratchpad_entries=4"});
}

TEST(EFlowsOnMachine, SayWhichOfThemFaulted) {
  const std::string text =
      "int P_[16000], s_[1000], Q_[16000], t_[1000];\n"
      "par { #16000: prefix(P_[$], ADD, s_[$ % 900], $);\n"
      "#16000: prefix(Q_[$], ADD, t_[$ % 900], $); }";
  const MachineRun run = run_on_machine(compile(text, "t.e", ".", {}, {}));
  EXPECT_EQ(
      run.faults,
      "the flows of a step have more than 1024 targets, as many as the scratchpad has entries "
      "(use a fast multiprefix, which keeps no order), by fiber 124\n");
  EXPECT_EQ(run.result.faults[0].location, "t.e:3");
}

}  // namespace
}  // namespace raddle::e::test
