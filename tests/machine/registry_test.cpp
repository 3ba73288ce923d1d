#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/temporary_folder.h"
#include "machine/kernel_machine.h"

namespace raddle::machine {
namespace {

struct ToyParameters {
  explicit ToyParameters(const ParameterBinder& p) {
    p.integer("sms", sms, "SMs", "of the toy", {1, 8});
  }
  int sms = 2;
};

class ToyMachine : public KernelMachine {
 public:
  using Parameters = ToyParameters;
  explicit ToyMachine(const ParameterTable& table) : KernelMachine(table) {
    ++built;
    description_.multiprocessors = static_cast<int>(table.integer("sms"));
  }
  static Traits traits(const ParameterTable& table) {
    return {.honours = {RunOption::kLines},
            .passes_values_between_threads = table.integer("sms") > 3};
  }
  Peaks peaks() const override { return {.clock_hz = 5}; }
  const DeviceDescription& description() const override { return description_; }
  LaunchResult launch(kernel::Program&, const kernel::TextureTable&, const Launch&,
                      const LaunchOptions&) override {
    return {};
  }

 private:
  DeviceDescription description_;

 public:
  static inline int built = 0;
};
RADDLE_REGISTER_MACHINE("registry-test-toy", ToyMachine);

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.full_text();
  }
  return "no error";
}

TEST(MachineRegistry, ListsTheTablesSortedWithTheirSentences) {
  const std::vector<MachineName> names = machine_names();
  EXPECT_TRUE(std::ranges::is_sorted(names, {}, &MachineName::name));
  const auto ref = std::ranges::find(names, "ref", &MachineName::name);
  ASSERT_NE(ref, names.end());
  EXPECT_THAT(ref->sentence, testing::StartsWith("functional reference machine"));
}

TEST(MachineRegistry, EveryShippedTableNamesAnImplementationThatExists) {
  for (const MachineName& name : machine_names()) {
    SCOPED_TRACE(name.name);
    const ParameterTable table = load_parameters(name.name);
    EXPECT_NO_THROW(check_parameters(table));
    const std::unique_ptr<Machine> machine = make_machine(table);
    EXPECT_EQ(machine->name(), name.name);
    EXPECT_EQ(machine->table().hash(), table.hash());
  }
}

TEST(MachineRegistry, EveryShippedMachineSaysWhichProgramsItTakes) {
  const auto form = [](const char* name) { return traits_of(load_parameters(name)).forms.front(); };
  EXPECT_EQ(form("fermi"), ProgramForm::kKernels);
  EXPECT_EQ(form("dmt-cgra"), ProgramForm::kKernels);
  EXPECT_EQ(form("cesm"), ProgramForm::kThickControlFlow);
  EXPECT_EQ(form("overlay"), ProgramForm::kFragmentPrograms);
  EXPECT_EQ(form("pram"), ProgramForm::kDataDriven);
  EXPECT_EQ(form("ddm"), ProgramForm::kDataDriven);
  EXPECT_FALSE(traits_of(load_parameters("ddm")).simulated);
  EXPECT_TRUE(traits_of(load_parameters("d2now")).simulated);
}

TEST(MachineRegistry, EveryShippedSimulatorCanBeStoppedByEachLimit) {
  for (const MachineName& name : machine_names()) {
    const Traits traits = traits_of(load_parameters(name.name));
    EXPECT_TRUE(traits.honours.contains(RunOption::kTimeout)) << name.name;
    EXPECT_EQ(traits.honours.contains(RunOption::kMaxCycles), traits.simulated) << name.name;
  }
}

TEST(MachineRegistry, PassingValuesBetweenThreadsIsAQuestionOfTheTable) {
  EXPECT_TRUE(traits_of(load_parameters("dmt-cgra")).passes_values_between_threads);
  EXPECT_FALSE(traits_of(load_parameters("mt-cgra")).passes_values_between_threads);
  EXPECT_TRUE(traits_of(load_parameters("mt-cgra", {"device.inter_thread=true"}))
                  .passes_values_between_threads);
}

ParameterTable toy_table(int sms) {
  return ParameterTable::from_toml(
      fmt::format("machine = \"registry-test-toy\"\nsms = {} # 1; chosen\n", sms), "toy.toml");
}

TEST(MachineRegistry, AnswersQuestionsWithoutBuildingAMachine) {
  const int before = ToyMachine::built;
  EXPECT_TRUE(traits_of(toy_table(4)).passes_values_between_threads);
  EXPECT_FALSE(traits_of(toy_table(3)).passes_values_between_threads);
  EXPECT_TRUE(traits_of(toy_table(3)).honours.contains(RunOption::kLines));
  EXPECT_FALSE(traits_of(toy_table(3)).honours.contains(RunOption::kTrace));
  check_parameters(toy_table(8));
  EXPECT_THROW(check_parameters(toy_table(9)), Error);
  EXPECT_EQ(ToyMachine::built, before);
  EXPECT_EQ(make_machine(toy_table(3))->peaks().clock_hz, 5);
  EXPECT_EQ(ToyMachine::built, before + 1);
}

TEST(MachineRegistry, MachinesForOtherProgramsRunNoKernels) {
  EXPECT_EQ(error_of([] { make_kernel_machine(load_parameters("overlay")); }),
            "machine 'overlay' runs fragment programs, not kernels\n"
            "hint: choose another machine with -m; `raddle machines` lists them");
}

TEST(MachineRegistry, ReferenceTableDescribesTheDevice) {
  const ParameterTable table = load_parameters("ref");
  EXPECT_EQ(table.machine(), "ref");
  EXPECT_EQ(table.number("clock_hz"), 1e9);
  EXPECT_EQ(table.integer("memory_bytes"), std::int64_t{4} << 30);
  EXPECT_EQ(table.integer("warp_size"), 32);
}

TEST(MachineRegistry, MakesAMachineFromAFileOfTheUser) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "mine.toml",
                        "machine = \"registry-test-toy\"\nsms = 3 # 1; chosen\n");
  ParameterTable table = load_parameters((folder / "mine.toml").string());
  EXPECT_EQ(table.name(), "mine");
  EXPECT_EQ(make_kernel_machine(table)->description().multiprocessors, 3);
  table.set("sms=5");
  EXPECT_EQ(make_kernel_machine(table)->description().multiprocessors, 5);
}

TEST(MachineRegistry, UnknownMachineSuggestsTheNearest) {
  EXPECT_EQ(error_of([] { load_parameters("rev"); }),
            "unknown machine 'rev'\nhint: did you mean 'ref'? `raddle machines` lists them");
  EXPECT_EQ(error_of([] { load_parameters("connection-machine"); }),
            "unknown machine 'connection-machine'\nhint: `raddle machines` lists them");
}

TEST(MachineRegistry, MissingTableFileIsNamed) {
  EXPECT_EQ(error_of([] { load_parameters("no/such.toml"); }),
            "cannot read 'no/such.toml': No such file or directory");
}

TEST(MachineRegistry, UnknownImplementationNamesTheFile) {
  const auto table = ParameterTable::from_toml("machine = \"registry-test-tow\"\n", "mine.toml");
  EXPECT_EQ(error_of([&] { make_kernel_machine(table); }),
            "mine.toml: unknown machine implementation 'registry-test-tow'\n"
            "hint: did you mean 'registry-test-toy'?");
}

}  // namespace
}  // namespace raddle::machine
