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
#include "machine/machine.h"
#include "machine/program_machine.h"

namespace raddle::machine {
namespace {

class ToyMachine : public Machine {
 public:
  explicit ToyMachine(const ParameterTable& table) {
    description_.multiprocessors = static_cast<int>(table.integer("sms"));
  }
  const DeviceDescription& description() const override { return description_; }
  LaunchResult launch(kernel::Program&, const kernel::TextureTable&, const Launch&,
                      const LaunchOptions&) override {
    return {};
  }

 private:
  DeviceDescription description_;
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
    const ParameterTable table = load_parameters(name.name);
    if (const ProgramMachine* other = find_program_machine(table.machine())) {
      EXPECT_NO_THROW(other->check(table)) << name.name;
      continue;
    }
    EXPECT_NO_THROW({ EXPECT_NE(make_machine(table), nullptr); }) << name.name;
  }
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
  EXPECT_EQ(make_machine(table)->description().multiprocessors, 3);
  table.set("sms=5");
  EXPECT_EQ(make_machine(table)->description().multiprocessors, 5);
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
  EXPECT_EQ(error_of([&] { make_machine(table); }),
            "mine.toml: there is no machine implementation 'registry-test-tow'\n"
            "hint: did you mean 'registry-test-toy'?");
}

}  // namespace
}  // namespace raddle::machine
