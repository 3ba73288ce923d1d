// The programs of benchmarks/e: the interpreter's result passes their checks, and they lower to
// assembly that the assembler takes, in as many steps as the paper says.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "lang/e/e_program.h"
#include "lang/e/interpreter.h"
#include "lang/tpa/assembler.h"
#include "test_paths.h"

namespace raddle::e::test {
namespace {

std::filesystem::path folder() { return std::filesystem::path(test_root()) / "benchmarks/e"; }

CompiledProgram compiled(const std::string& name, const std::vector<std::string>& arguments) {
  CompileOptions options;
  const Arguments parsed = parse_arguments(arguments, options);
  return compile_file(folder() / name, parsed, options);
}

// Lines with a backend part: steps of a program without loops.
std::size_t steps_of(const std::string& name, const std::vector<std::string>& arguments = {}) {
  const std::string text = compiled(name, arguments).assembly;
  std::size_t count = 0;
  for (std::size_t at = text.find("STCF"); at != std::string::npos;
       at = text.find("STCF", at + 1)) {
    ++count;
  }
  return count;
}

TEST(EBenchmarks, LowerTheListingsToTheStepsOfThePaper) {
  EXPECT_EQ(steps_of("min.e", {"N=65536", "--technique=O2"}), 3u);
  EXPECT_EQ(steps_of("min.e", {"N=65536", "--technique=ML"}), 2u);
  EXPECT_EQ(steps_of("min.e", {"N=65536"}), 2u);
  EXPECT_EQ(steps_of("prefix-add.e", {"N=65536"}), 3u);
  EXPECT_EQ(steps_of("csort.e"), 6u);
  EXPECT_EQ(steps_of("rsort.e"), 8u);
  EXPECT_EQ(steps_of("rsort-stable.e"), 8u);
  EXPECT_EQ(steps_of("comp.e"), 3u);
  EXPECT_EQ(steps_of("ctcf.e"), 3u);
  EXPECT_EQ(steps_of("mmul.e"), 3u);
}

class EBenchmarkFile : public testing::TestWithParam<std::string> {};

TEST_P(EBenchmarkFile, PassesItsChecksUnderTheInterpreterAndAssembles) {
  const CompiledProgram program = compiled(GetParam(), {});
  EXPECT_EQ(program.warnings, "");
  SharedData memory = program.initial;
  interpret(program.program, memory);
  EXPECT_NO_THROW(finish(program, memory, "."));
  EXPECT_FALSE(program.program.checks.empty());
  EXPECT_NO_THROW(raddle::tpa::assemble(whole_assembly(program), GetParam()));
  // The checks can fail: memory as it was does not pass.
  EXPECT_THROW(finish(program, program.initial, "."), Error);
}

std::vector<std::string> files() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder())) {
    if (entry.path().extension() == ".e") names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, EBenchmarkFile, testing::ValuesIn(files()), [](const auto& file) {
  std::string name = file.param.substr(0, file.param.find('.'));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace raddle::e::test
