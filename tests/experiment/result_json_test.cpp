#include "experiment/result_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

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

TEST(ResultJson, KeepsHowOftenAFaultHappened) {
  RunResult result = sample_result();
  result.launches[0].faults[0].count = 31;
  EXPECT_EQ(from_json(to_json(result), "r.json").launches.at(0).faults.at(0).count, 31u);
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
  EXPECT_EQ(launch.lines.at(0).stalls.at(1).name, "barrier");
  EXPECT_EQ(launch.lines.at(0).stalls.at(1).cycles, 3.25);
  EXPECT_EQ(launch.kernel_launch->occupancy.warps, 35.5);
  EXPECT_EQ(launch.kernel_launch->occupancy.warps_limit, 48u);
  EXPECT_EQ(launch.kernel_launch->occupancy.blocks_per_core, 6u);
  EXPECT_EQ(launch.kernel_launch->occupancy.limited_by, "registers");
  EXPECT_EQ(launch.kernel_launch->l1_split, (machine::L1Split{49152, 16384, "L1"}));
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

// A launch has the extensions of its family and no others.
TEST(ResultJson, WritesOnlyTheExtensionsThatALaunchHas) {
  RunResult result = sample_result();
  result.launches[0].kernel_launch.reset();
  const std::string text = to_json(result);
  for (const char* name : {"mangled", "kernel_launch", "techniques\": [", "fragment_program",
                           "node_"
                           "cycles\": ["})
    EXPECT_THAT(text, testing::Not(testing::HasSubstr(std::string("\"") + name))) << name;
  EXPECT_FALSE(from_json(text, "r.json").launches[0].kernel_launch);
}

TEST(ResultJson, GivesBackEveryExtension) {
  RunResult result = sample_result();
  machine::LaunchResult& launch = result.launches[0];
  launch.kernel_launch.reset();
  launch.techniques = {{"MMP", "prefix.e:9", "2T/B", 1, 2, 3, 4, 5},
                       {"BF", "", "T", 6, 7, 8, 9, 10}};
  launch.fragment_program = {11, {2, 2, 1}, 12, 3.5, 13, "batch contexts"};
  launch.data_driven = {14, {{{"execution", 15}, {"tsu_wait", 16.5}}, {{"execution", 17}}}};
  launch.fabric = {{{18, 19, 20.5}, {21, 22, 23}}, {{"alu", 24}, {"recurrence", 25.5}}, 25.5};
  const std::string text = to_json(result);
  const RunResult read = from_json(text, "r.json");
  EXPECT_EQ(to_json(read), text);
  const machine::LaunchResult& back = read.launches.at(0);
  EXPECT_EQ(back.techniques.at(0).location, "prefix.e:9");
  EXPECT_EQ(back.techniques.at(1).formula_cycles, 10u);
  EXPECT_EQ(back.fragment_program->batch, (machine::Dim3{2, 2, 1}));
  EXPECT_EQ(back.fragment_program->limited_by, "batch contexts");
  EXPECT_EQ(back.data_driven->node_cycles.at(0).at(1).value, 16.5);
  EXPECT_EQ(back.fabric->pieces.at(1).threads, 22u);
  EXPECT_EQ(back.fabric->bounds.at(1).name, "recurrence");
  EXPECT_EQ(back.fabric->bound_cycles, 25.5);
}

// What reports ask for by kind, not by the name of a figure.
TEST(ResultJson, GivesBackWhatFiguresAreFor) {
  RunResult result = sample_result();
  machine::LaunchResult& launch = result.launches[0];
  ASSERT_TRUE(launch.kernel_launch);
  launch.kernel_launch->sharing = {"bigsm", "bound by issue"};
  launch.energy_by_class = {{"logic", 1.5}, {"static power", 2}};
  launch.memory = {{.level = "shared", .banked = true}, {.level = "DRAM", .outermost = true}};
  launch.utilisation = {{"memory", 3, 4, "long scoreboard (memory)"}, {"L2", 1, 4}};
  result.totals.bound_cycles = 12.5;
  result.totals.energy_by_class = launch.energy_by_class;
  const RunResult read = from_json(to_json(result), "r.json");
  const machine::LaunchResult& back = read.launches.at(0);
  EXPECT_EQ(back.kernel_launch->sharing->mode, "bigsm");
  EXPECT_EQ(back.kernel_launch->sharing->reason, "bound by issue");
  EXPECT_EQ(back.energy_by_class.at(1).name, "static power");
  EXPECT_EQ(back.energy_by_class.at(0).value, 1.5);
  EXPECT_TRUE(back.memory.at(0).banked && !back.memory.at(0).outermost);
  EXPECT_TRUE(back.memory.at(1).outermost && !back.memory.at(1).banked);
  EXPECT_EQ(back.utilisation.at(0).cause, "long scoreboard (memory)");
  EXPECT_EQ(back.utilisation.at(1).cause, "");
  EXPECT_EQ(read.totals.bound_cycles, 12.5);
  EXPECT_EQ(read.totals.energy_by_class.size(), 2u);
}

TEST(ResultJson, StaysUtf8WhateverTheProgramWasCalledWith) {
  RunResult result = sample_result();
  result.arguments = {"\xff\xfe"};
  EXPECT_EQ(from_json(to_json(result), "r.json").arguments.at(0), "\xef\xbf\xbd\xef\xbf\xbd");
}

TEST(ResultJson, RefusesWhatIsNoResult) {
  EXPECT_EQ(complaint("{"), "r.json: not a Raddle result: the file is not JSON");
  EXPECT_EQ(complaint("[]"), "r.json: not a Raddle result: no entry \"schema\"");
  EXPECT_EQ(
      complaint("{\"schema\": \"raddle.result/1\"}"),
      "r.json: not a Raddle result: its schema is \"raddle.result/1\", not \"raddle.result/2\"");
  const std::string good = to_json(sample_result());
  EXPECT_EQ(complaint(good), "none");
  EXPECT_EQ(complaint(replaced(good, "\"cycles\": 1000", "\"cycles\": \"many\"")),
            "r.json: not a Raddle result: \"totals.cycles\" is not a whole number");
  EXPECT_EQ(complaint(replaced(good, "\"cycles\": 1000", "\"cycles\": -1")),
            "r.json: not a Raddle result: \"totals.cycles\" is not a whole number");
  EXPECT_EQ(complaint(replaced(good, "\"level\"", "\"lvl\"")),
            "r.json: not a Raddle result: no entry \"totals.memory[0].level\"");
  EXPECT_EQ(complaint(replaced(good, "\"kind\": \"out-o", "\"kind\": \"xout-o")).substr(0, 50),
            "r.json: not a Raddle result: unknown fault \"xout-o");
  EXPECT_EQ(complaint(replaced(good, "\"kind\": \"issued", "\"kind\": \"xissued")),
            "r.json: not a Raddle result: \"xissued\" is not a kind of cycles");
  EXPECT_EQ(complaint(replaced(good, "\"partial\": true", "\"partial\": 1")),
            "r.json: not a Raddle result: \"status.partial\" is neither true nor false");
  EXPECT_EQ(complaint(replaced(good, "37.5", "\"much\"")),
            "r.json: not a Raddle result: \"launches[0].samples[0].values[1]\" is not a number");
  EXPECT_EQ(complaint(replaced(good, "\"warps_limit\": 48", "\"warps_limit\": 0.5")),
            "r.json: not a Raddle result: \"launches[0].kernel_launch.occupancy.warps_limit\" is "
            "not a whole number");
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
  EXPECT_EQ(result.totals.stalls.at(1).cycles, 800);
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

// 0 - 1 as a fabric that stopped before its start would count.
TEST(RunResult, IsPartialWhereAFigureUnderflowed) {
  machine::LaunchResult launch = sample_launch();
  launch.complete = true;
  launch.cycles = std::uint64_t{0} - 1;
  launch.seconds = static_cast<double>(launch.cycles) / 1e9;
  launch.stalls = {{"issued", machine::CycleKind::kIssued, 1.8e19},
                   {"memory", machine::CycleKind::kStall, 400}};
  RunResult result;
  add_launch(result, launch);
  EXPECT_TRUE(result.partial);
  EXPECT_EQ(result.partial_reason, "cycles underflowed");
  EXPECT_FALSE(result.launches[0].complete);
  EXPECT_EQ(result.totals.cycles, 0u);
  EXPECT_EQ(result.totals.seconds, 0);
  EXPECT_EQ(result.totals.stalls.at(0).cycles, 0);
  EXPECT_EQ(result.totals.stalls.at(1).cycles, 400);
  EXPECT_THAT(to_json(result), testing::Not(testing::HasSubstr("18446744073709551615")));
}

TEST(RunResult, NamesTheFigureThatUnderflowedUnlessAnotherReasonIsKnown) {
  machine::LaunchResult launch = sample_launch();
  launch.memory[0].hits = ~std::uint64_t{0};
  RunResult result;
  add_launch(result, launch);
  EXPECT_EQ(result.partial_reason, "memory.global.hits underflowed");

  launch = sample_launch();
  launch.overlapped_cycles = launch.cycles + 1;
  RunResult interrupted;
  interrupted.partial_reason = "interrupted";
  add_launch(interrupted, launch);
  EXPECT_TRUE(interrupted.partial);
  EXPECT_EQ(interrupted.partial_reason, "interrupted");
  EXPECT_EQ(interrupted.totals.cycles, 0u);
}

// What a program that launches often takes in memory while its result is written.
TEST(ResultJson, IsWrittenAndReadLaunchByLaunch) {
  constexpr std::size_t kLaunches = 200;
  RunResult result = sample_result();
  const machine::LaunchResult launch = result.launches.at(0);
  result.launches.assign(kLaunches, launch);
  for (std::size_t i = 0; i < kLaunches; ++i) result.launches[i].cycles = 1000 + i;
  std::string text;
  std::size_t largest = 0;
  put_json(result, [&](std::string_view part) {
    text += part;
    largest = std::max(largest, part.size());
  });
  EXPECT_LT(largest, text.size() / 20);
  EXPECT_EQ(text, to_json(result));
  const RunResult read = from_json(text, "r.json");
  ASSERT_EQ(read.launches.size(), kLaunches);
  EXPECT_EQ(read.launches.back().cycles, 1000 + kLaunches - 1);
  EXPECT_EQ(to_json(read), text);
}

TEST(ResultJson, NamesTheLaunchThatIsWrong) {
  RunResult result = sample_result();
  result.launches.push_back(result.launches.at(0));
  result.launches.back().kernel = "second";
  const std::string text = to_json(result);
  EXPECT_EQ(complaint(replaced(text, "\"kernel\": \"second\"", "\"kernel\": 2")),
            "r.json: not a Raddle result: \"launches[1].kernel\" is not a string");
  EXPECT_EQ(complaint(replaced(text, "\"launches\": [", "\"launches\": 3, \"more\": [")),
            "r.json: not a Raddle result: \"launches\" is not a list");
}

TEST(ResultJson, OfAProgramWithoutLaunchesHasAnEmptyList) {
  RunResult result = sample_result();
  result.launches.clear();
  EXPECT_THAT(to_json(result), testing::HasSubstr("\"launches\": [],\n"));
  EXPECT_TRUE(from_json(to_json(result), "r.json").launches.empty());
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

// What thousands of launches take in memory is mostly what single parts counted.
TEST(RunResult, LaunchesThatAreKeptHaveNoSpareRoom) {
  machine::LaunchResult launch;
  launch.stats.reserve(1000);
  launch.stalls.reserve(100);
  for (int i = 0; i < 9; ++i) launch.stats.push_back({"L2", "hits", "accesses", "found", 1.0});
  launch.stalls.push_back({"barrier", machine::CycleKind::kStall, 3, "other warps"});
  RunResult result = sample_result();
  add_launch(result, std::move(launch));
  EXPECT_EQ(result.launches.back().stats.capacity(), 9u);
  EXPECT_EQ(result.launches.back().stalls.capacity(), 1u);
  const RunResult read = from_json(to_json(result), "r.json");
  EXPECT_EQ(read.launches.back().stats.capacity(), 9u);
  EXPECT_EQ(read.launches.back().stalls.capacity(), 1u);
}

}  // namespace
}  // namespace raddle::experiment
