// A program is the same in all its forms: what `raddle run X.e` executes, the text of `raddle asm
// X.e` and the binary of `raddle asm X.e -o X.tpo` take the same cycles and leave the same memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "lang/e/e_program.h"
#include "lang/tpa/assembler.h"
#include "lang/tpa/encoding.h"
#include "running.h"
#include "test_paths.h"

namespace raddle::e::test {
namespace {

std::vector<std::string> programs() {
  std::vector<std::string> found;
  for (const char* folder : {"benchmarks/e", "examples/e"}) {
    const std::filesystem::path root(test_root());
    for (const auto& entry : std::filesystem::directory_iterator(root / folder)) {
      if (entry.path().extension() != ".e") continue;
      found.push_back(std::filesystem::relative(entry.path(), root).string());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

void expect_same(const MachineRun& a, const MachineRun& b) {
  EXPECT_EQ(a.faults, "");
  EXPECT_EQ(b.faults, "");
  EXPECT_EQ(a.result.cycles, b.result.cycles);
  EXPECT_EQ(a.memory, b.memory);
  ASSERT_EQ(a.result.stats.size(), b.result.stats.size());
  for (std::size_t i = 0; i < a.result.stats.size(); ++i) {
    EXPECT_EQ(a.result.stats[i].name, b.result.stats[i].name);
    EXPECT_EQ(a.result.stats[i].value, b.result.stats[i].value) << a.result.stats[i].name;
  }
}

class EveryForm : public testing::TestWithParam<std::string> {};

TEST_P(EveryForm, OfAProgramTakesTheSameCyclesAndLeavesTheSameMemory) {
  const CompiledProgram program =
      compile_file(std::filesystem::path(test_root()) / GetParam(), {}, {});
  const MachineRun run = run_on_machine(program);
  ASSERT_GT(run.result.cycles, 0u);
  const machine::tpa::Program text = raddle::tpa::assemble(whole_assembly(program), "program.tpa");
  expect_same(run, run_code(program, text, "tpa"));
  const machine::tpa::Program binary =
      raddle::tpa::decode(raddle::tpa::encode(code_of(program)), "program.tpo");
  expect_same(run, run_code(program, binary, "tpa"));
}

INSTANTIATE_TEST_SUITE_P(All, EveryForm, testing::ValuesIn(programs()), [](const auto& program) {
  std::string name = program.param;
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
});

}  // namespace
}  // namespace raddle::e::test
