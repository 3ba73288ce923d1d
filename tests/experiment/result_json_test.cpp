#include "experiment/result_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "experiment/sample_result.h"

namespace raddle::experiment {
namespace {

std::string complaint(const std::string& text) {
  try {
    from_json(text, "r.json");
  } catch (const Error& error) {
    return std::string(error.where()) + ": " + error.what();
  }
  return "none";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t place = text.find(from);
  if (place == std::string::npos) return "'" + from + "' is not in the text";
  return text.replace(place, from.size(), to);
}

TEST(ResultJson, GivesBackWhatWasWritten) {
  const std::string text = to_json(sample_result());
  const RunResult read = from_json(text, "r.json");
  EXPECT_EQ(to_json(read), text);
  EXPECT_EQ(read.arguments, sample_result().arguments);
  EXPECT_EQ(std::get<std::int64_t>(read.parameters[1].value), 4);
  EXPECT_TRUE(std::get<bool>(read.parameters[3].value));
  EXPECT_EQ(read.launches.at(0).faults.at(0).kind, machine::FaultKind::kOutOfBounds);
  EXPECT_EQ(read.launches.at(0).faults.at(0).thread, (machine::Dim3{5, 6, 7}));
  const machine::LaunchResult& launch = read.launches.at(0);
  EXPECT_EQ(launch.lines.at(0).stall_cycles, 33.5);
  EXPECT_EQ(launch.lines.at(0).stalls.at(1).name, "wait: barrier");
  EXPECT_EQ(launch.lines.at(0).stalls.at(1).value, 3.25);
  EXPECT_EQ(launch.occupancy.warps, 35.5);
  EXPECT_EQ(launch.occupancy.warps_limit, 48u);
  EXPECT_EQ(launch.occupancy.blocks_per_core, 6u);
  EXPECT_EQ(launch.occupancy.limited_by, "registers");
  EXPECT_EQ(launch.l1_split, (machine::L1Split{49152, 16384, "L1"}));
  EXPECT_EQ(launch.sample_cycles, 400u);
  EXPECT_EQ(launch.samples.at(1).name, "issued");
  EXPECT_EQ(launch.samples.at(0).sentence, "instructions in a cycle");
  EXPECT_THAT(launch.samples.at(0).values, testing::ElementsAre(36, 37.5, 1));
  EXPECT_EQ(read.totals.memory.at(0).segments, 132u);
  EXPECT_EQ(read.host.peak_memory_bytes, 46u);
}

TEST(ResultJson, StatesTheUnitOfEveryFigure) {
  const std::string text = to_json(sample_result());
  for (const char* unit :
       {"\"cycles\": \"cycles\"", "\"bytes_read\": \"bytes\"", "\"picojoules\": \"picojoules\"",
        "\"ipc\": \"thread instructions per cycle\""}) {
    EXPECT_THAT(text, testing::HasSubstr(unit));
  }
}

TEST(ResultJson, WritesNullForWhatAMachineDoesNotModel) {
  RunResult result = sample_result();
  result.totals.energy.clear();
  result.launches[0].energy.clear();
  const std::string text = to_json(result);
  EXPECT_THAT(text, testing::HasSubstr("\"energy\": null"));
  EXPECT_TRUE(from_json(text, "r.json").totals.energy.empty());
}

TEST(ResultJson, HasSamplesOnlyWhereTheyWereTaken) {
  RunResult result = sample_result();
  result.launches[0].sample_cycles = 0;
  result.launches[0].samples.clear();
  EXPECT_THAT(to_json(result), testing::Not(testing::HasSubstr("samples")));
  EXPECT_TRUE(from_json(to_json(result), "r.json").launches[0].samples.empty());
}

TEST(ResultJson, ReadsDocumentsFromBeforeThereWasOccupancy) {
  RunResult result = sample_result();
  result.launches[0].occupancy = {};
  const std::string text = replaced(to_json(result), "\n      \"occupancy\": null,", "");
  EXPECT_EQ(from_json(text, "r.json").launches[0].occupancy.limited_by, "");
}

TEST(ResultJson, StaysUtf8WhateverTheProgramWasCalledWith) {
  RunResult result = sample_result();
  result.arguments = {"\xff\xfe"};
  EXPECT_EQ(from_json(to_json(result), "r.json").arguments.at(0), "\xef\xbf\xbd\xef\xbf\xbd");
}

TEST(ResultJson, RefusesWhatIsNoResult) {
  EXPECT_EQ(complaint("{"), "r.json: not a Raddle result: the file holds no JSON");
  EXPECT_EQ(complaint("[]"), "r.json: not a Raddle result: no entry \"schema\"");
  EXPECT_EQ(
      complaint("{\"schema\": \"raddle.result/2\"}"),
      "r.json: not a Raddle result: its schema is \"raddle.result/2\", not \"raddle.result/1\"");
  const std::string good = to_json(sample_result());
  EXPECT_EQ(complaint(good), "none");
  EXPECT_EQ(complaint(replaced(good, "\"cycles\": 1000", "\"cycles\": \"many\"")),
            "r.json: not a Raddle result: \"totals.cycles\" is no whole number");
  EXPECT_EQ(complaint(replaced(good, "\"cycles\": 1000", "\"cycles\": -1")),
            "r.json: not a Raddle result: \"totals.cycles\" is no whole number");
  EXPECT_EQ(complaint(replaced(good, "\"level\"", "\"lvl\"")),
            "r.json: not a Raddle result: no entry \"totals.memory[0].level\"");
  EXPECT_EQ(complaint(replaced(good, "\"kind\": \"", "\"kind\": \"x")).substr(0, 60),
            "r.json: not a Raddle result: there is no fault named \"xout-o");
  EXPECT_EQ(complaint(replaced(good, "\"partial\": true", "\"partial\": 1")),
            "r.json: not a Raddle result: \"status.partial\" is neither true nor false");
  EXPECT_EQ(complaint(replaced(good, "37.5", "\"much\"")),
            "r.json: not a Raddle result: \"launches[0].samples[0].values[1]\" is no number");
  EXPECT_EQ(
      complaint(replaced(good, "\"warps_limit\": 48", "\"warps_limit\": 0.5")),
      "r.json: not a Raddle result: \"launches[0].occupancy.warps_limit\" is no whole number");
}

TEST(RunResult, TotalsAreSumsOverLaunches) {
  RunResult result = sample_result();
  machine::LaunchResult other = sample_launch();
  other.memory[0].level = "shared";
  add_launch(result, other);
  EXPECT_EQ(result.totals.launches, 2u);
  EXPECT_EQ(result.totals.cycles, 2000u);
  EXPECT_EQ(result.totals.fault_count, 68u);
  EXPECT_EQ(result.totals.memory.size(), 2u);
  EXPECT_EQ(result.totals.stalls.at(1).value, 800);
  EXPECT_EQ(result.totals.ipc(), 24.0);
  EXPECT_EQ(
      result.totals
          .thread_instructions_by_class[static_cast<std::size_t>(kernel::InstructionClass::kLoad)],
      12000u);
}

TEST(RunResult, TotalsCountTheTimeOfLaunchesThatOverlapOnce) {
  RunResult result;
  machine::LaunchResult first;
  first.cycles = 600;
  first.seconds = 6e-7;
  machine::LaunchResult second = first;
  second.start_cycle = 100;
  second.cycles = 800;
  second.seconds = 8e-7;
  second.overlapped_cycles = 500;  // from 100 to 600
  add_launch(result, first);
  add_launch(result, second);
  EXPECT_EQ(result.totals.cycles, 900u);
  EXPECT_DOUBLE_EQ(result.totals.seconds, 9e-7);
  EXPECT_DOUBLE_EQ(second.end_seconds(), 9e-7);
}

TEST(RunResult, CountsLaunchesBeyondThoseListed) {
  RunResult result;
  machine::LaunchResult launch;
  launch.cycles = 1;
  for (std::size_t i = 0; i < kMaxListedLaunches + 5; ++i) add_launch(result, launch);
  EXPECT_EQ(result.launches.size(), kMaxListedLaunches);
  EXPECT_EQ(result.totals.launches, kMaxListedLaunches + 5);
  EXPECT_EQ(result.totals.cycles, kMaxListedLaunches + 5);
}

}  // namespace
}  // namespace raddle::experiment
