// Threads fire when their producers have completed, at the price that the parameters say, and every
// cycle of every node is accounted for.
#include <gtest/gtest.h>

#include "base/error.h"
#include "machine/d2now/recorded_program.h"

namespace raddle::machine::d2now::testing {
namespace {

double sum_of_stalls(const LaunchResult& result) {
  double sum = 0;
  for (const Stall& share : result.stalls) sum += share.cycles;
  return sum;
}

TEST(Sequencing, RunsThreadsOfOneNodeOneAfterTheOther) {
  RecordedProgram program;
  for (int i = 0; i < 5; ++i) program.thread(0, 100);
  EXPECT_EQ(run(program.on(1), {}).cycles, 500u);
}

TEST(Sequencing, RunsIndependentThreadsOfTwoNodesAtOnce) {
  RecordedProgram program;
  program.thread(0, 100);
  program.thread(1, 100);
  EXPECT_EQ(run(program.on(2), {"nodes=2"}).cycles, 100u);
}

TEST(Sequencing, FiresAThreadOnlyWhenAllItsProducersHaveCompleted) {
  RecordedProgram program;
  const auto quick = program.thread(0, 10), slow = program.thread(1, 500);
  const auto last = program.thread(0, 1);
  program.consumers(quick, {last});
  program.consumers(slow, {last});
  // 500 of the slow one, a packet of 8, 20 on the way.
  EXPECT_EQ(run(program.on(2), {"nodes=2"}).cycles, 500u + 8 + 20 + 1);
}

TEST(Sequencing, ChargesFetchAndAcknowledgementForEachThread) {
  RecordedProgram program;
  for (int i = 0; i < 3; ++i) program.thread(0, 100);
  const LaunchResult result =
      run(program.on(1), {"processor.fetch_cycles=18", "processor.acknowledge_cycles=4"});
  EXPECT_EQ(result.cycles, 3u * (18 + 100 + 4));
  EXPECT_EQ(stall(result, "thread sequencing"), 3 * 22);
}

TEST(Sequencing, WaitsForTheTsuInAChain) {
  RecordedProgram program;
  const auto first = program.thread(0, 10), second = program.thread(0, 10);
  program.consumers(first, {second});
  const LaunchResult result = run(program.on(1), {"tsu.clock=1.0", "tsu.acknowledge_cycles=4",
                                                  "tsu.decrement_cycles=3", "tsu.issue_cycles=2"});
  // The first thread is enabled (3) and issued (2); then come 10, 4 + 3 + 2 of the TSU, and 10.
  EXPECT_EQ(result.cycles, 5u + 10 + 9 + 10);
  EXPECT_EQ(stall(result, "TSU"), 5 + 9);
}

TEST(Sequencing, TsuAtHalfClockTakesTwiceAsLong) {
  RecordedProgram program;
  const auto first = program.thread(0, 10), second = program.thread(0, 10);
  program.consumers(first, {second});
  EXPECT_EQ(run(program.on(1), {"tsu.clock=0.5", "tsu.acknowledge_cycles=4",
                                "tsu.decrement_cycles=3", "tsu.issue_cycles=2"})
                .cycles,
            10u + 10 + 18 + 10);
}

TEST(Sequencing, InfiniteTsuCostsNothing) {
  RecordedProgram program;
  const auto first = program.thread(0, 10), second = program.thread(0, 10);
  program.consumers(first, {second});
  EXPECT_EQ(run(program.on(1), {"tsu.clock=0.0"}).cycles, 20u);
}

TEST(Sequencing, JoinEnablesItsConsumersOnAllNodesAfterAllItsProducers) {
  RecordedProgram program;
  const auto a = program.thread(0, 10), b = program.thread(1, 300);
  const auto join = program.join(0);
  const auto c = program.thread(0, 1), d = program.thread(1, 1);
  program.consumers(a, {join});
  program.consumers(b, {join});
  program.consumers(join, {c, d});
  // Node 1 gathers after 300 and tells node 0 (28), which tells node 1 (28).
  EXPECT_EQ(run(program.on(2), {"nodes=2"}).cycles, 300u + 28 + 28 + 1);
}

TEST(Sequencing, AccountsForEveryCycleOfEveryNode) {
  RecordedProgram program;
  const auto root = program.thread(0, 50);
  std::vector<std::uint32_t> workers;
  for (std::uint32_t i = 0; i < 40; ++i) {
    workers.push_back(program.thread(i % 3, 10 + 7 * i));
    program.loads(workers.back(), {i * 3, i * 3 + 1, i * 5});
  }
  program.consumers(root, workers);
  const LaunchResult result =
      run(program.on(4), {"nodes=4", "tsu.clock=1.0", "processor.fetch_cycles=7"});
  EXPECT_EQ(sum_of_stalls(result), 4.0 * static_cast<double>(result.cycles));
  ASSERT_EQ(result.data_driven->node_cycles.size(), 4u);
  for (const std::vector<Share>& node : result.data_driven->node_cycles) {
    double sum = 0;
    for (const Share& part : node) sum += part.value;
    EXPECT_EQ(sum, static_cast<double>(result.cycles));
  }
  EXPECT_GT(node_cycles(result, 3, "no ready thread"), 0) << "it has no threads";
}

TEST(Sequencing, GivesTheSameResultEveryTime) {
  RecordedProgram program;
  std::vector<std::uint32_t> before;
  for (std::uint32_t wave = 0; wave < 20; ++wave) {
    std::vector<std::uint32_t> now;
    for (std::uint32_t i = 0; i < 8; ++i) now.push_back(program.thread(i, 10 + (i * wave) % 17));
    for (const auto producer : before) program.consumers(producer, now);
    before = now;
  }
  rec::Recording& recording = program.on(8);
  const LaunchResult first = run(recording, {"nodes=8"});
  const LaunchResult second = run(recording, {"nodes=8"});
  EXPECT_EQ(first.cycles, second.cycles);
  for (std::size_t i = 0; i < first.stats.size(); ++i) {
    EXPECT_EQ(first.stats[i].value, second.stats[i].value) << first.stats[i].name;
  }
}

TEST(Sequencing, TsuWorksWhileTheProcessorRunsAThread) {
  RecordedProgram program;
  const auto first = program.thread(0, 100), second = program.thread(0, 100);
  const auto third = program.thread(0, 100);
  program.consumers(first, {third});
  const LaunchResult result = run(program.on(1), {"tsu.clock=1.0", "tsu.acknowledge_cycles=4",
                                                  "tsu.decrement_cycles=3", "tsu.issue_cycles=2"});
  (void)second;
  // While the second thread runs, the third is enabled and issued; only the first had to wait.
  EXPECT_EQ(result.cycles, 5u + 300);
  EXPECT_EQ(stall(result, "TSU"), 5);
}

// Threads on five nodes in waves, with loads, stores and data from the wave before.
RecordedProgram waves(std::uint32_t seed) {
  RecordedProgram program;
  std::uint32_t state = seed * 2654435761u + 1;
  const auto random = [&](std::uint32_t below) {
    state = state * 1664525 + 1013904223;
    return (state >> 8) % below;
  };
  std::vector<std::uint32_t> before;
  for (int wave = 0; wave < 12; ++wave) {
    std::vector<std::uint32_t> now;
    for (std::uint32_t i = 0; i < 2 + random(12); ++i) {
      const std::uint32_t number = program.thread(random(5), 0);
      std::vector<Step> steps;
      for (std::uint32_t k = 0; k < random(20); ++k) {
        const auto touch = random(3) == 0 ? rec::Touch::kStore : rec::Touch::kLoad;
        steps.push_back({random(40), touch, random(4) * 2048 + random(64)});
      }
      program.stream(number, steps);
      program.inputs(number, {{random(64) * 32, 64}});
      if (!before.empty()) {
        const std::uint32_t producer = before[random(static_cast<std::uint32_t>(before.size()))];
        program.flows(number, {{producer, 0, {random(64) * 32, 8 + random(600)}}});
      }
      now.push_back(number);
    }
    for (const std::uint32_t producer : before) {
      std::vector<std::uint32_t> consumers;
      for (const std::uint32_t each : now) {
        if (random(3) == 0) consumers.push_back(each);
      }
      program.consumers(producer, consumers);
    }
    before = now;
  }
  return program;
}

TEST(Sequencing, ResultDoesNotDependOnHowLongTurnsAre) {
  ParameterTable table = load_parameters("d2now");
  table.set("nodes=5");
  const D2nowParameters parameters(table);
  for (std::uint32_t seed = 1; seed <= 40; ++seed) {
    RecordedProgram program = waves(seed);
    const rec::Recording& recording = program.on(5);
    Simulation plain(parameters, recording);
    plain.run();
    for (const Ticks longest : {Ticks{1}, Ticks{17}, Ticks{240}}) {
      Simulation limited(parameters, recording);
      limited.limit_turns(longest);
      limited.run();
      ASSERT_EQ(limited.end(), plain.end()) << "seed " << seed << ", turns of " << longest.count();
      for (std::size_t i = 0; i < 5; ++i) {
        const Node &a = *plain.nodes()[i], &b = *limited.nodes()[i];
        using sim::operator==;
        EXPECT_TRUE(a.memory().counts() == b.memory().counts()) << seed;
        EXPECT_TRUE(a.issue().counts() == b.issue().counts()) << seed;
        EXPECT_EQ(plain.end_account(i, plain.end()), limited.end_account(i, plain.end()));
      }
    }
  }
}

TEST(Sequencing, StopsAtTheLimitOfCycles) {
  RecordedProgram program;
  std::uint32_t before = program.thread(0, 1000);
  for (int i = 0; i < 100000; ++i) {
    const std::uint32_t next = program.thread(0, 1000);
    program.consumers(before, {next});
    before = next;
  }
  LaunchOptions options;
  options.control = RunControl(Cycle(5000));
  const LaunchResult result = D2nowMachine(table_with({})).replay(program.on(1), options);
  ASSERT_EQ(result.faults.size(), 1u);
  EXPECT_EQ(result.faults[0].message, "stopped after 5000 cycles (--max-cycles)");
  EXPECT_FALSE(result.complete);
  EXPECT_EQ(result.cycles, 5000u);
  double spent = 0;
  for (const Stall& stall : result.stalls) spent += stall.cycles;
  EXPECT_EQ(spent, 5000.0);
}

TEST(Sequencing, StopsWhenTheUserInterrupts) {
  RecordedProgram program;
  std::uint32_t before = program.thread(0, 1000);
  for (int i = 0; i < 100000; ++i) {
    const std::uint32_t next = program.thread(0, 1000);
    program.consumers(before, {next});
    before = next;
  }
  const std::atomic<bool> interrupted{true};
  LaunchOptions options;
  options.control = RunControl(Cycle(0), StopToken(&interrupted));
  const LaunchResult result = D2nowMachine(table_with({})).replay(program.on(1), options);
  ASSERT_EQ(result.faults.size(), 1u);
  EXPECT_EQ(result.faults[0].kind, FaultKind::kInterrupted);
  double spent = 0;
  for (const Stall& stall : result.stalls) spent += stall.cycles;
  EXPECT_EQ(spent, static_cast<double>(result.cycles));
}

TEST(Sequencing, NamesAThreadThatNeverBecomesReady) {
  RecordedProgram program;
  const auto a = program.thread(0, 1), b = program.thread(0, 1);
  program.consumers(a, {b});
  program.consumers(b, {a});
  try {
    run(program.on(1), {});
    FAIL() << "ran";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "2 threads never became ready, among them main.work[0], which still waits for 1 "
                 "of 1 inputs");
  }
}

// Loads of lines 0 and so on, one after so many cycles, each cycle an instruction.
rec::Recording& loading(RecordedProgram& program, std::uint32_t lines, std::uint32_t cycles) {
  const auto thread = program.thread(0, lines * cycles);
  std::vector<Step> steps;
  for (std::uint32_t line = 0; line < lines; ++line)
    steps.push_back({cycles, rec::Touch::kLoad, line});
  program.stream(thread, steps);
  return program.on(1);
}

TEST(Sequencing, LoadsWithinTheReorderBufferMissTogether) {
  RecordedProgram program;
  rec::Recording& recording = loading(program, 4, 10);
  EXPECT_EQ(run(recording, {"memory.reorder_buffer=0"}).cycles, 4u * (10 + 60));
  // The first is asked for at 10; the bus takes 24 for each of the others.
  EXPECT_EQ(run(recording, {"memory.reorder_buffer=40"}).cycles, 10u + 3 * 24 + 60);
  // 15 instructions: two loads at a time.
  EXPECT_EQ(run(recording, {"memory.reorder_buffer=15"}).cycles, 2u * (10 + 24 + 60));
  EXPECT_EQ(run(recording, {"memory.reorder_buffer=5"}).cycles, 4u * (10 + 60));
}

TEST(Sequencing, NoMoreLoadsMissTogetherThanThereAreFillBuffers) {
  RecordedProgram program;
  rec::Recording& recording = loading(program, 4, 1);
  EXPECT_EQ(run(recording, {"memory.reorder_buffer=40", "memory.fill_buffers=2"}).cycles,
            2u * (1 + 24 + 60));
}

TEST(Sequencing, CachesKeepOnlyTheLastReferencesWhereThatIsAskedFor) {
  RecordedProgram program;
  for (int repeated = 0; repeated < 2; ++repeated) {
    const auto thread = program.thread(0, 0);
    program.recording.threads[thread].references = 8;
    program.loads(thread, {0, 1, 2, 3});
  }
  rec::Recording& recording = program.on(1);
  EXPECT_EQ(stat(run(recording, {}), "L2", "l2_misses"), 4);
  EXPECT_EQ(stat(run(recording, {"memory.kept_references=8"}), "L2", "l2_misses"), 4);
  // Each touch stands for two references: lines 2 and 3 stay.
  EXPECT_EQ(stat(run(recording, {"memory.kept_references=4"}), "L2", "l2_misses"), 6);
  EXPECT_EQ(stat(run(recording, {"memory.kept_references=4"}), "L2", "l2_replaced"), 2);
}

TEST(Sequencing, CachesKeepWhatWasPrefetched) {
  RecordedProgram program;
  for (int repeated = 0; repeated < 2; ++repeated) {
    const auto thread = program.thread(0, 0);
    program.recording.threads[thread].references = 8;
    program.loads(thread, {0, 1, 2, 3});
    program.inputs(thread, {{0, 128}});
  }
  EXPECT_EQ(stat(run(program.on(1), {"memory.kept_references=1", "cacheflow.prefetch=true"}), "L2",
                 "l2_misses"),
            0);
}

TEST(Sequencing, RefusesANumberOfNodesThatWasNotRecorded) {
  RecordedProgram program;
  program.thread(0, 1);
  try {
    run(program.on(1), {"nodes=4"});
    FAIL() << "ran";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "the recording places its threads on 1 nodes, not on 4");
  }
}

}  // namespace
}  // namespace raddle::machine::d2now::testing
