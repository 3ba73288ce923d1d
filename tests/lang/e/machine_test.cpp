// Compiled programs on the machine: what they leave in memory is what the interpreter leaves.
#include <gtest/gtest.h>

#include <string>

#include "base/error.h"
#include "lang/e/e_program.h"
#include "lang/e/interpreter.h"
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

class ERandomOnMachine : public testing::TestWithParam<std::uint64_t> {};

TEST_P(ERandomOnMachine, ComputesWhatTheInterpreterComputes) {
  const std::uint64_t first = GetParam();
  for (std::uint64_t seed = first; seed < first + 25; ++seed) {
    const std::string text = random_program(seed);
    try {
      const CompiledProgram program = compile(text, "r.e", ".", {}, {});
      SharedData expected = program.initial;
      interpret(program.program, expected);
      const MachineRun run = run_on_machine(program);
      ASSERT_EQ(run.faults, "") << "seed " << seed << "\n" << text;
      ASSERT_EQ(difference(program, expected, run.memory), "") << "seed " << seed << "\n"
                                                               << text << program.assembly;
    } catch (const Error& error) {
      FAIL() << "seed " << seed << ": " << error.full_text() << "\n" << text;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, ERandomOnMachine, testing::Values(1u, 26u, 51u, 76u));

}  // namespace
}  // namespace raddle::e::test
