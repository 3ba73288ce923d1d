// What a run tells about its time: samples, traces and how busy the units were.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "machine/d2now/recorded_program.h"
#include "sim/trace.h"

namespace raddle::machine::d2now::testing {
namespace {

// Node 0 computes for 300 cycles, node 1 then for 100.
RecordedProgram relay() {
  RecordedProgram program;
  const auto first = program.thread(0, 300), second = program.thread(1, 100);
  program.consumers(first, {second});
  program.flows(second, {{first, 0, {0, 8}}});
  return program;
}

const SampleSeries& series(const LaunchResult& result, std::string_view name) {
  for (const SampleSeries& each : result.samples) {
    if (each.name == name) return each;
  }
  throw std::runtime_error("no such series");
}

LaunchResult sampled(rec::Recording& recording, std::uint64_t interval) {
  LaunchOptions options;
  options.sample_cycles = Cycle(interval);
  return D2nowMachine(table_with({"nodes=2"})).replay(recording, options);
}

TEST(Samples, SharesOfEachIntervalSumToOneAndOverTimeToTheStalls) {
  RecordedProgram program = relay();
  const LaunchResult result = sampled(program.on(2), 100);
  ASSERT_EQ(result.cycles, 300u + 8 + 20 + 6 + 100);
  EXPECT_EQ(result.sample_cycles, 100u);
  double issued = 0;
  for (std::size_t i = 0; i < 5; ++i) {
    double sum = 0;
    for (const Stall& stall : result.stalls) sum += series(result, stall.name).values.at(i);
    EXPECT_NEAR(sum, 1, 1e-12) << i;
    issued += series(result, "issued").values[i] * 2 * (i == 4 ? 34 : 100);
  }
  EXPECT_NEAR(issued, stall(result, "issued"), 1e-9);
  EXPECT_EQ(series(result, "issued").values.size(), 5u);
}

TEST(Samples, TellWhenWhatHappened) {
  RecordedProgram program = relay();
  const LaunchResult result = sampled(program.on(2), 100);
  EXPECT_EQ(series(result, "issued").values[0], 0.5);
  EXPECT_EQ(series(result, "no ready thread").values[0], 0.5);
  EXPECT_NEAR(series(result, "network").values[3], 34.0 / 200, 1e-12);
  // Eight bytes in 100 cycles of 800 MHz.
  EXPECT_NEAR(series(result, "data sent").values[3], 8 / (100 / 800e6), 1e-3);
  double threads = 0;
  for (std::size_t i = 0; i < 5; ++i) {
    threads += series(result, "threads").values[i] * (i == 4 ? 34 : 100);
  }
  EXPECT_NEAR(threads, 2, 1e-9);
}

TEST(Samples, HaveWhatIsCountedAtTheEndOfAWholeInterval) {
  RecordedProgram program = relay();
  const LaunchResult result = sampled(program.on(2), 434 / 2);
  ASSERT_EQ(result.cycles, 434u);
  const std::vector<double>& threads = series(result, "threads").values;
  ASSERT_EQ(threads.size(), 2u);
  EXPECT_NEAR((threads[0] + threads[1]) * 217, 2, 1e-9);
}

TEST(Samples, ChangeNothingElse) {
  RecordedProgram program = relay();
  rec::Recording& recording = program.on(2);
  const LaunchResult plain = run(recording, {"nodes=2"}), with = sampled(recording, 7);
  EXPECT_EQ(plain.cycles, with.cycles);
  for (std::size_t i = 0; i < plain.stalls.size(); ++i) {
    EXPECT_EQ(plain.stalls[i].cycles, with.stalls[i].cycles) << plain.stalls[i].name;
  }
}

TEST(Trace, HasThreadsWaitsAndTheWorkOfTheUnits) {
  const std::string file =
      (std::filesystem::temp_directory_path() / "d2now_over_time_test.trace").string();
  RecordedProgram program = relay();
  {
    sim::TraceFile trace(file);
    LaunchOptions options;
    options.trace = &trace;
    const LaunchResult traced =
        D2nowMachine(table_with({"nodes=2", "tsu.clock=1.0"})).replay(program.on(2), options);
    EXPECT_EQ(traced.cycles, run(program.on(2), {"nodes=2", "tsu.clock=1.0"}).cycles);
    trace.finish();
  }
  std::ifstream in(file, std::ios::binary);
  std::ostringstream bytes;
  bytes << in.rdbuf();
  for (const char* text :
       {"node 1", "TIU", "PPU", "NIU sends", "main.work[0]", "main.work[1]", "no ready thread",
        "network", "8 bytes to node 1 as values", "8 bytes from node 0"}) {
    EXPECT_NE(bytes.str().find(text), std::string::npos) << text;
  }
  std::filesystem::remove(file);
}

TEST(Units, AreBusyForWhatTheirWorkTakes) {
  RecordedProgram program = relay();
  const LaunchResult result =
      run(program.on(2), {"nodes=2", "tsu.clock=1.0", "tsu.acknowledge_cycles=4",
                          "tsu.decrement_cycles=3", "tsu.issue_cycles=2"});
  const auto busy = [&](std::string_view name) {
    for (const Utilisation& unit : result.utilisation) {
      if (unit.name == name) return unit.busy;
    }
    return -1.0;
  };
  EXPECT_EQ(busy("TIU"), 2 * 2) << "two threads issued";
  EXPECT_EQ(busy("PPU"), 3 + 4 + 3 + 4) << "a start, an end, a message, an end";
  EXPECT_EQ(busy("NIU"), 8) << "a packet";
}

}  // namespace
}  // namespace raddle::machine::d2now::testing
