// The programs of benchmarks/e and examples/e on the machine: what they leave is what the
// interpreter leaves, and passes their own checks.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "lang/e/e_program.h"
#include "lang/e/interpreter.h"
#include "lang/tpa/assembler.h"
#include "lang/tpa/disassembler.h"
#include "lang/tpa/encoding.h"
#include "running.h"
#include "test_paths.h"

namespace raddle::e::test {
namespace {

CompiledProgram compiled(const std::string& path, const std::vector<std::string>& arguments = {}) {
  CompileOptions options;
  const Arguments parsed = parse_arguments(arguments, options);
  return compile_file(std::filesystem::path(test_root()) / path, parsed, options);
}

class EProgram : public testing::TestWithParam<std::string> {};

TEST_P(EProgram, LeavesOnTheMachineWhatTheInterpreterLeaves) {
  const CompiledProgram program = compiled(GetParam());
  SharedData expected = program.initial;
  interpret(program.program, expected);
  const bool is_baseline = GetParam().find("-log.e") != std::string::npos ||
                           GetParam().find("-halving.e") != std::string::npos;
  const MachineRun run = run_on_machine(program, is_baseline ? "tpa-baseline" : "tpa");
  ASSERT_EQ(run.faults, "");
  std::string printed;
  EXPECT_NO_THROW(run_checks(program.program, program.initial, run.memory, printed));
  // Fast prefixes come in any order.
  if (GetParam().find("-fast.e") == std::string::npos &&
      GetParam().find("rsort-stable") == std::string::npos) {
    EXPECT_EQ(run.memory, expected);
  }
}

// The text, its binary and the listing of that binary are one program.
TEST_P(EProgram, RunsTheSameFromItsAssemblyAndItsBinary) {
  const CompiledProgram program = compiled(GetParam());
  const bool is_baseline = GetParam().find("-log.e") != std::string::npos ||
                           GetParam().find("-halving.e") != std::string::npos;
  const std::string machine = is_baseline ? "tpa-baseline" : "tpa";
  const MachineRun run = run_on_machine(program, machine);
  const machine::tpa::Program assembled = raddle::tpa::assemble(whole_assembly(program), "p.tpa");
  const machine::tpa::Program binary = raddle::tpa::decode(raddle::tpa::encode(assembled), "p.tpo");
  const machine::tpa::Program listing =
      raddle::tpa::assemble(raddle::tpa::disassemble(binary), "p.tpa");
  for (const machine::tpa::Program* code : {&assembled, &binary, &listing}) {
    const MachineRun other = run_code(program, *code, machine);
    EXPECT_EQ(other.faults, "");
    EXPECT_EQ(other.result.cycles, run.result.cycles);
    EXPECT_EQ(other.memory, run.memory);
  }
}

std::vector<std::string> files() {
  std::vector<std::string> names;
  for (const char* folder : {"benchmarks/e", "examples/e"}) {
    for (const auto& entry :
         std::filesystem::directory_iterator(std::filesystem::path(test_root()) / folder)) {
      if (entry.path().extension() != ".e") continue;
      names.push_back(std::string(folder) + "/" + entry.path().filename().string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, EProgram, testing::ValuesIn(files()), [](const auto& file) {
  std::string name = std::filesystem::path(file.param).stem().string();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

// As printed, equal keys get the same place (the paper's Figures 19 and 21): some are lost.
TEST(EListings, SortEqualKeysOnlyInTheCorrectedForm) {
  for (const char* name : {"benchmarks/e/csort", "benchmarks/e/rsort"}) {
    for (const bool stable : {false, true}) {
      CompiledProgram program = compiled(std::string(name) + (stable ? "-stable.e" : ".e"));
      std::fill(program.initial[0].begin(), program.initial[0].end(), 5);
      const MachineRun run = run_on_machine(program);
      ASSERT_EQ(run.faults, "");
      bool passes = true;
      std::string printed;
      try {
        run_checks(program.program, program.initial, run.memory, printed);
      } catch (const Error&) {
        passes = false;
      }
      EXPECT_EQ(passes, stable) << name;
    }
  }
}

TEST(EListings, TakeTheStepsOfThePaperOnTheMachine) {
  const auto steps = [](const std::string& path, const std::vector<std::string>& arguments) {
    return run_on_machine(compiled(path, arguments)).result.barriers;
  };
  EXPECT_EQ(steps("benchmarks/e/min.e", {"--technique=O2"}), 3u);
  EXPECT_EQ(steps("benchmarks/e/min.e", {"--technique=ML"}), 2u);
  EXPECT_EQ(steps("benchmarks/e/prefix-add.e", {"--technique=MMP"}), 3u);
  EXPECT_EQ(steps("benchmarks/e/csort.e", {}), 6u);
  EXPECT_EQ(steps("benchmarks/e/rsort.e", {}), 8u);
}

}  // namespace
}  // namespace raddle::e::test
