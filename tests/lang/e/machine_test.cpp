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
void expect_same(std::uint64_t seed, const std::vector<std::string>& assignments) {
  const std::string text = random_program(seed);
  const auto which = [&] { return "seed " + std::to_string(seed) + "\n" + text; };
  try {
    machine::ParameterTable table = machine::load_parameters("tpa");
    for (const std::string& assignment : assignments) table.set(assignment);
    const machine::tpa::TpaParameters parameters(table);
    CompileOptions options;
    options.backends = parameters.backends_of_frontend();
    options.step_cache_lines = std::min(parameters.step_cache_lines, parameters.scratchpad_entries);
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

class ERandomOnMachine : public testing::TestWithParam<std::uint64_t> {};

TEST_P(ERandomOnMachine, ComputesWhatTheInterpreterComputes) {
  for (std::uint64_t seed = GetParam(); seed < GetParam() + 200; ++seed) expect_same(seed, {});
}

INSTANTIATE_TEST_SUITE_P(Seeds, ERandomOnMachine, testing::Values(1u, 201u, 401u, 601u));

// Sizes that the paper's machine has not: programs mean the same on all of them.
using Assignments = std::vector<std::string>;
class ERandomOnOddMachine : public testing::TestWithParam<Assignments> {};

TEST_P(ERandomOnOddMachine, ComputesWhatTheInterpreterComputes) {
  for (std::uint64_t seed = 2001; seed < 2081; ++seed) expect_same(seed, GetParam());
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

}  // namespace
}  // namespace raddle::e::test
