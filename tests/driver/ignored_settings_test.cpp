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
      {RunOption::kMemoryCheck, "--check=memory", with_check("memory")},
      {RunOption::kBarrierCheck, "--check=barrier", with_check("barrier")},
      {RunOption::kRaceCheck, "--check=race", with_check("race")},
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
        // Without any check, the option as a whole.
        const std::string flag = option.flag.substr(0, option.flag.find('='));
        EXPECT_THAT(note, testing::HasSubstr(flag)) << name.name;
        EXPECT_THAT(note, testing::EndsWith("has no effect\n")) << name.name;
      }
    }
  }
}

TEST(IgnoredSettings, TellsWhichChosenCheckAMachineLacks) {
  machine::Traits traits{.honours = {RunOption::kMemoryCheck, RunOption::kBarrierCheck}};
  RunSettings settings = with_check("race");
  settings.machine = "fermi";
  EXPECT_EQ(ignored_settings(settings, traits),
            "raddle: note: fermi does not look for races; --check=race has no effect\n");
  settings.check = checks_from_text("memory,race");
  EXPECT_EQ(ignored_settings(settings, traits),
            "raddle: note: fermi does not look for races; --check=race has no effect\n");
  traits.honours = {RunOption::kRaceCheck};
  settings.check = checks_from_text("memory,barrier");
  EXPECT_EQ(ignored_settings(settings, traits),
            "raddle: note: fermi does not check accesses to memory; --check=memory has no effect\n"
            "raddle: note: fermi does not check barriers; --check=barrier has no effect\n");
  settings.check = true;
  EXPECT_EQ(ignored_settings(settings, traits), "") << "all that there are";
  traits.honours = {};
  EXPECT_EQ(ignored_settings(settings, traits),
            "raddle: note: fermi has no checks; --check has no effect\n");
}

}  // namespace
}  // namespace raddle::experiment
