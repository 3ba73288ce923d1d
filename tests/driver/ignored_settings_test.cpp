// Options that a machine does not honour are named in a note, none of them in silence.
#include "experiment/launch_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace raddle::experiment {
namespace {

using machine::RunOption;

RunSettings with_check(const char* text) {
  RunSettings settings;
  settings.check = checks_from_text(text);
  return settings;
}

template <class Value>
RunSettings with(Value RunSettings::* field, Value value) {
  RunSettings settings;
  settings.*field = std::move(value);
  return settings;
}

struct Option {
  RunOption option;
  std::string flag;
  RunSettings settings;
};

const std::vector<Option>& options() {
  static const std::vector<Option> all{
      {RunOption::kCheck, "--check", with(&RunSettings::check, Checks(true))},
      {RunOption::kHostThreads, "-j", with(&RunSettings::host_threads, 2U)},
      {RunOption::kMaxCycles, "--max-cycles", with(&RunSettings::max_cycles, std::uint64_t{5})},
      {RunOption::kTimeout, "--timeout", with(&RunSettings::timeout_seconds, 1.5)},
      {RunOption::kLines, "--lines", with(&RunSettings::lines, true)},
      {RunOption::kTrace, "--trace", with(&RunSettings::trace_file, std::string("trace.json"))},
      {RunOption::kSample, "--sample", with(&RunSettings::sample_cycles, std::uint64_t{100})},
  };
  return all;
}

TEST(IgnoredSettings, NameEveryOptionThatAMachineDoesNotHonourAndNoOther) {
  for (const machine::MachineName& name : machine::machine_names()) {
    const machine::Traits traits = machine::traits_of(machine::load_parameters(name.name));
    for (const Option& option : options()) {
      const std::string note = ignored_settings(option.settings, traits);
      if (traits.honours.contains(option.option)) {
        EXPECT_EQ(note, "") << name.name << " " << option.flag;
      } else {
        EXPECT_THAT(note, testing::HasSubstr(option.flag)) << name.name;
        EXPECT_THAT(note, testing::EndsWith("has no effect\n")) << name.name;
      }
    }
  }
}

// Chosen by name; without a choice, --check is for what a machine can find.
TEST(IgnoredSettings, NameAChosenCheckThatAMachineCannotMake) {
  for (const machine::MachineName& name : machine::machine_names()) {
    const machine::Traits traits = machine::traits_of(machine::load_parameters(name.name));
    for (const auto& [check, found] :
         {std::pair{"race", traits.finds.race}, std::pair{"init", traits.finds.init},
          std::pair{"memory", traits.finds.memory}, std::pair{"barrier", traits.finds.barrier}}) {
      const std::string note = ignored_settings(with_check(check), traits);
      if (traits.honours.contains(RunOption::kCheck) && found) {
        EXPECT_EQ(note, "") << name.name << " " << check;
      } else {
        EXPECT_THAT(note, testing::HasSubstr("--check")) << name.name << " " << check;
      }
    }
  }
}

}  // namespace
}  // namespace raddle::experiment
