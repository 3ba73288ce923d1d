#include "experiment/run_settings.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/error.h"

namespace raddle::experiment {
namespace {

class RunSettingsTest : public testing::Test {
 protected:
  void SetUp() override { clear(); }
  void TearDown() override { clear(); }
  static void clear() {
    for (const std::string& name : setting_variables()) unsetenv(name.c_str());
  }
  static std::string complaint() {
    try {
      settings_from_environment();
    } catch (const Error& error) {
      return error.full_text();
    }
    return "none";
  }
};

TEST_F(RunSettingsTest, DefaultsToThePlainReferenceMachine) {
  const RunSettings settings = settings_from_environment();
  EXPECT_EQ(settings.machine, "ref");
  EXPECT_TRUE(settings.assignments.empty());
  EXPECT_TRUE(settings.json_file.empty());
  EXPECT_FALSE(settings.check);
  EXPECT_EQ(settings.max_cycles, 0u);
  EXPECT_TRUE(settings.trace_file.empty());
  EXPECT_EQ(settings.sample_cycles, 0u);
  EXPECT_EQ(settings.host_threads, 1u);
}

TEST_F(RunSettingsTest, SurvivesTheWayThroughTheEnvironment) {
  RunSettings settings;
  settings.machine = "mine.toml";
  settings.assignments = {"a=1", "name=x,y"};
  settings.json_file = "/results/r.json";
  settings.program = "x.cu";
  settings.check = checks_from_text("memory,race");
  settings.lines = true;
  settings.max_cycles = 12'345'678'901;
  settings.timeout_seconds = 2.5;
  settings.trace_file = "/traces/t.perfetto";
  settings.sample_cycles = 5'000'000'000;
  settings.host_threads = 7;
  for (const std::string& variable : to_environment(settings)) {
    const std::size_t equals = variable.find('=');
    setenv(variable.substr(0, equals).c_str(), variable.substr(equals + 1).c_str(), 1);
  }
  const RunSettings read = settings_from_environment();
  EXPECT_EQ(read.machine, settings.machine);
  EXPECT_EQ(read.assignments, settings.assignments);
  EXPECT_EQ(read.json_file, settings.json_file);
  EXPECT_EQ(read.program, settings.program);
  EXPECT_EQ(read.check, settings.check);
  EXPECT_TRUE(read.lines);
  EXPECT_EQ(read.max_cycles, settings.max_cycles);
  EXPECT_EQ(read.timeout_seconds, settings.timeout_seconds);
  EXPECT_EQ(read.trace_file, settings.trace_file);
  EXPECT_EQ(read.sample_cycles, settings.sample_cycles);
  EXPECT_EQ(read.host_threads, settings.host_threads);
}

TEST_F(RunSettingsTest, NamesTheVariableThatIsWrong) {
  setenv("RADDLE_CHECK", "yes", 1);
  EXPECT_EQ(complaint(),
            "RADDLE_CHECK is 'yes'\nhint: set it to 1, 0 or names of checks, as in memory,race");
  clear();
  setenv("RADDLE_MAX_CYCLES", "many", 1);
  EXPECT_EQ(complaint(),
            "RADDLE_MAX_CYCLES is 'many', which is not a number\nhint: for example "
            "RADDLE_MAX_CYCLES=1000000");
  clear();
  setenv("RADDLE_TIMEOUT", "-3", 1);
  EXPECT_EQ(complaint(),
            "RADDLE_TIMEOUT is '-3', which is not a number\nhint: for example RADDLE_TIMEOUT=60");
  clear();
  setenv("RADDLE_SAMPLE", "often", 1);
  EXPECT_EQ(
      complaint(),
      "RADDLE_SAMPLE is 'often', which is not a number\nhint: for example RADDLE_SAMPLE=1000");
  clear();
  for (const char* count : {"0", "1025"}) {
    setenv("RADDLE_THREADS", count, 1);
    EXPECT_EQ(complaint(), std::string("RADDLE_THREADS is '") + count +
                               "'\nhint: set it to the number of host threads, from 1 to 1024");
  }
  setenv("RADDLE_THREADS", "two", 1);
  EXPECT_EQ(complaint(),
            "RADDLE_THREADS is 'two', which is not a number\nhint: for example RADDLE_THREADS=2");
}

TEST_F(RunSettingsTest, RefusesWhatIsNoAssignment) {
  setenv("RADDLE_SET", "l2.ways=4,l2.banks", 1);
  EXPECT_EQ(complaint(),
            "RADDLE_SET has 'l2.banks', which is not an assignment\n"
            "hint: write RADDLE_SET=KEY=VALUE,KEY=VALUE");
}

}  // namespace
}  // namespace raddle::experiment
