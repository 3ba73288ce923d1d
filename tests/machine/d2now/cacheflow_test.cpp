// CacheFlow, policy by policy, on address streams made for it.
#include <gtest/gtest.h>

#include "base/error.h"
#include "machine/d2now/recorded_program.h"
#include "machine/d2now/reserved_addresses.h"
#include "machine/d2now/thread_issue_unit.h"
#include "machine/d2now/waiting_queue.h"

namespace raddle::machine::d2now::testing {
namespace {

constexpr std::uint32_t kSets = 2048;  // of the L2

rec::Region line(std::uint32_t number) {
  return {std::uint64_t{number} * rec::kLineBytes, rec::kLineBytes};
}

// Threads that each compute for a while and then load lines that they declared.
RecordedProgram readers(std::initializer_list<std::vector<std::uint32_t>> lines,
                        std::uint32_t cycles) {
  RecordedProgram program;
  for (const std::vector<std::uint32_t>& of_thread : lines) {
    const std::uint32_t number = program.thread(0, 0);
    std::vector<Step> steps;
    steps.push_back({cycles, rec::Touch::kNone, 0});
    program.recording.threads[number].inputs = {program.recording.inputs.size(), of_thread.size()};
    for (const std::uint32_t each : of_thread) {
      steps.push_back({0, rec::Touch::kLoad, each});
      program.recording.inputs.push_back(line(each));
    }
    program.stream(number, steps);
  }
  return program;
}

TEST(CacheFlow, WithoutPrefetchEveryThreadMisses) {
  RecordedProgram program = readers({{1}, {2}, {3}}, 200);
  const LaunchResult result = run(program.on(1), {});
  EXPECT_EQ(stat(result, "L2", "l2_misses"), 3);
  EXPECT_EQ(result.cycles, 3u * 260);
}

TEST(CacheFlow, PrefetchBringsDataWhileOtherThreadsRun) {
  RecordedProgram program = readers({{1}, {2}, {3}}, 200);
  const LaunchResult result = run(program.on(1), {"cacheflow.prefetch=true"});
  EXPECT_EQ(stat(result, "L2", "l2_misses"), 0);
  EXPECT_EQ(stat(result, "L2", "prefetched_lines"), 3);
  // Only the first has to wait for its data.
  EXPECT_EQ(result.cycles, 60u + 3 * 204);
}

TEST(CacheFlow, ShiftingAtTheStartFiresThreadsBeforeTheirDataHasCome) {
  RecordedProgram program = readers({{1}, {2}, {3}}, 0);
  const LaunchResult result =
      run(program.on(1), {"cacheflow.prefetch=true", "cacheflow.shift=start"});
  EXPECT_GT(stat(result, "L2", "l2_late"), 0);
  EXPECT_EQ(stall(result, "TSU"), 0) << "threads are there at once";
  const LaunchResult at_completion = run(program.on(1), {"cacheflow.prefetch=true"});
  EXPECT_EQ(stat(at_completion, "L2", "l2_late"), 0);
  EXPECT_GT(stall(at_completion, "TSU"), 0) << "the processor waits for the queue instead";
}

TEST(CacheFlow, FiringQueueOfOneLetsNothingBePrefetchedAhead) {
  RecordedProgram program = readers({{1}, {2}, {3}, {4}}, 200);
  const LaunchResult one = run(program.on(1), {"cacheflow.prefetch=true", "tsu.firing_queue=1"});
  const LaunchResult many = run(program.on(1), {"cacheflow.prefetch=true", "tsu.firing_queue=16"});
  EXPECT_GE(stall(one, "TSU"), stall(many, "TSU"));
  EXPECT_EQ(stat(one, "L2", "l2_misses"), 0);
}

// Six threads of one set: two more than it has ways.
RecordedProgram conflicting() {
  return readers({{0}, {kSets}, {2 * kSets}, {3 * kSets}, {4 * kSets}, {5 * kSets}}, 500);
}

TEST(CacheFlow, PrefetchForOneThreadPushesAnothersDataOut) {
  RecordedProgram program = conflicting();
  const LaunchResult result = run(program.on(1), {"cacheflow.prefetch=true"});
  EXPECT_EQ(stat(result, "TIU", "false_conflicts"), 2);
  EXPECT_GT(stat(result, "L2", "l2_misses"), 0);
}

TEST(CacheFlow, ReservedAddressesMakePrefetchesWaitThatDoNotFitBesideOthers) {
  RecordedProgram program = conflicting();
  rec::Recording& recording = program.on(1);
  const LaunchResult plain = run(recording, {"cacheflow.prefetch=true"});
  const LaunchResult avoiding =
      run(recording, {"cacheflow.prefetch=true", "cacheflow.avoid_conflicts=true"});
  EXPECT_EQ(stat(avoiding, "TIU", "postponed"), 2);
  // The line of a thread that has ended is the one used last: the cache would let one go that is
  // still needed. So the two wait until all four have ended.
  EXPECT_EQ(stat(avoiding, "TIU", "false_conflicts"), 0);
  EXPECT_EQ(stat(avoiding, "L2", "l2_misses"), 0);
  EXPECT_GT(stat(plain, "L2", "l2_misses"), 0);
}

// Four threads fill a set; the first runs long. Then come one that conflicts and one that does not.
TEST(CacheFlow, RunningThreadsDataStaysReservedUntilItHasCompleted) {
  RecordedProgram program = readers({{0}, {kSets}, {2 * kSets}, {3 * kSets}, {4 * kSets}}, 500);
  rec::Recording& recording = program.on(1);
  const LaunchResult result =
      run(recording,
          {"cacheflow.prefetch=true", "cacheflow.avoid_conflicts=true", "tsu.firing_queue=4"});
  // The fifth is looked at when the first has left the queue and runs: its line is still reserved.
  EXPECT_EQ(stat(result, "TIU", "postponed"), 1);
  EXPECT_EQ(stat(result, "TIU", "threads"), 5);
}

// A TIU without the rest of its node: threads are pushed, and taken and completed one by one.
std::vector<std::uint32_t> order_of_firing(const rec::Recording& recording,
                                           std::initializer_list<const char*> assignments) {
  const D2nowParameters parameters(table_with(assignments));
  const ThreadGraph graph(recording, 1);
  NodeMemory memory(parameters.memory);
  EventQueue events;
  ThreadIssueUnit issue(parameters.tsu, parameters.cacheflow, graph, memory, events);
  Ticks now;
  const auto settle = [&] {
    while (events.next_time() != kForever) {
      const Event event = events.pop();
      now = event.at;
      if (event.what == EventKind::kIssue) {
        issue.step(now);
      } else {
        issue.enter_firing_queue(event.number, now);
      }
    }
  };
  for (std::uint32_t i = 0; i < graph.size(); ++i) issue.push({i, 0, i, {}, {}}, now);
  settle();
  std::vector<std::uint32_t> order;
  while (issue.has_thread()) {
    const std::uint32_t place = issue.take(now);
    order.push_back(issue.thread_at(place).thread);
    settle();
    issue.completed(place, now);
    settle();
  }
  return order;
}

TEST(CacheFlow, ThreadsOfTheTemporaryBufferGoBeforeThoseOfTheWaitingQueue) {
  // Threads 0 to 3 take all ways of a set, 4 has to wait for them, 5 to 9 need nothing.
  RecordedProgram program =
      readers({{0}, {kSets}, {2 * kSets}, {3 * kSets}, {4 * kSets}, {}, {}, {}, {}, {}}, 500);
  // 4 is looked at while 0 runs and lets others go first; it comes as soon as 0 to 3 have ended,
  // before 9, which waits as well.
  EXPECT_EQ(
      order_of_firing(program.on(1), {"cacheflow.prefetch=true", "cacheflow.avoid_conflicts=true",
                                      "tsu.firing_queue=4"}),
      (std::vector<std::uint32_t>{0, 1, 2, 3, 5, 6, 7, 8, 4, 9}));
  EXPECT_EQ(order_of_firing(program.on(1), {"cacheflow.prefetch=true", "tsu.firing_queue=4"}),
            (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

TEST(CacheFlow, ComparingAddressesWithTheTableTakesTheTsuTime) {
  RecordedProgram program = readers({{1, 2, 3, 4, 5, 6, 7, 8}}, 0);
  rec::Recording& recording = program.on(1);
  const auto cycles = [&](const char* lookup) {
    return run(recording, {"cacheflow.prefetch=true", "tsu.clock=1.0", lookup}).cycles;
  };
  EXPECT_EQ(cycles("tsu.lookup_cycles=3") - cycles("tsu.lookup_cycles=1"), 8u * 2);
}

TEST(CacheFlow, ReorderingFiresThreadsOfOneNumberTogether) {
  // Two templates in turn, whose code lies in the same four ways of the L1: each change of code
  // misses there.
  RecordedProgram program;
  program.recording.templates.push_back({"other", rec::TemplateKind::kPlain});
  for (std::uint32_t i = 0; i < 16; ++i) {
    const std::uint32_t number = program.thread(0, 0);
    const bool other = i % 2 != 0;
    program.recording.threads[number].thread_template = other ? 2 : 0;
    std::vector<Step> steps;
    for (std::uint32_t way = 0; way < 4; ++way) {
      steps.push_back({50, rec::Touch::kFetch, (other ? 1024u : 0u) + way * 128});
    }
    program.stream(number, steps);
  }
  rec::Recording& recording = program.on(1);
  const LaunchResult arrival = run(recording, {"tsu.firing_queue=1"});
  const LaunchResult sorted = run(recording, {"tsu.firing_queue=1", "cacheflow.reorder=true"});
  EXPECT_EQ(stat(arrival, "L2", "l2_accesses"), 16 * 4);
  EXPECT_EQ(stat(sorted, "L2", "l2_accesses"), 2 * 4);
  EXPECT_LT(sorted.cycles, arrival.cycles);
}

TEST(CacheFlow, FullTemporaryBufferHoldsTheWaitingQueueUntilDataIsGivenUp) {
  // Two more threads of a set than it has ways, and one that needs nothing of it.
  RecordedProgram program =
      readers({{0}, {kSets}, {2 * kSets}, {3 * kSets}, {4 * kSets}, {5 * kSets}, {1}}, 500);
  rec::Recording& recording = program.on(1);
  EXPECT_EQ(order_of_firing(recording, {"cacheflow.prefetch=true", "cacheflow.avoid_conflicts=true",
                                        "tsu.temporary_buffer=16"}),
            (std::vector<std::uint32_t>{0, 1, 2, 3, 6, 4, 5}));
  EXPECT_EQ(order_of_firing(recording, {"cacheflow.prefetch=true", "cacheflow.avoid_conflicts=true",
                                        "tsu.temporary_buffer=1"}),
            (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6}));
}

TEST(CacheFlow, ThreadThatNeedsMoreLinesOfASetThanThereAreWaysRunsAllTheSame) {
  RecordedProgram program = readers({{0, kSets, 2 * kSets, 3 * kSets, 4 * kSets}, {1}}, 100);
  const LaunchResult result =
      run(program.on(1), {"cacheflow.prefetch=true", "cacheflow.avoid_conflicts=true"});
  EXPECT_EQ(stat(result, "TIU", "threads"), 2);
}

TEST(CacheFlow, AvoidingConflictsWithoutPrefetchIsRefused) {
  RecordedProgram program = conflicting();
  try {
    run(program.on(1), {"cacheflow.avoid_conflicts=true"});
    FAIL() << "ran";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "cacheflow.avoid_conflicts needs cacheflow.prefetch");
  }
}

TEST(ReservedAddresses, ConflictIsALineThatTheCacheWouldLetGoWhileItIsReserved) {
  ReservedAddresses table(8, 2);
  const std::vector<Line> one{0}, two{8}, three{16};
  table.reserve(one);
  EXPECT_FALSE(table.would_conflict(two));
  table.reserve(two);
  EXPECT_TRUE(table.would_conflict(three));
  EXPECT_FALSE(table.would_conflict(one)) << "it is there already";
  table.release(one);
  EXPECT_TRUE(table.would_conflict(three)) << "the second is the least recently used now";
  table.release(two);
  EXPECT_FALSE(table.would_conflict(three));
  table.reserve(three);
  EXPECT_FALSE(table.would_conflict(one)) << "the second would go, which nobody needs";
}

TEST(ReservedAddresses, LinesOfOneThreadThatPushOutEachOtherAreNoConflict) {
  ReservedAddresses table(8, 2);
  const std::vector<Line> many{0, 8, 16}, other{24};
  EXPECT_FALSE(table.would_conflict(many));
  table.reserve(other);
  EXPECT_TRUE(table.would_conflict(many)) << "the other line would go, too";
  table.release(other);
  table.reserve(many);
  EXPECT_TRUE(table.would_conflict(other));
}

TEST(ReservedAddresses, LineOfTwoThreadsStaysReservedUntilBothHaveEnded) {
  ReservedAddresses table(8, 2);
  const std::vector<Line> shared{3};
  table.reserve(shared);
  table.reserve(shared);
  table.release(shared);
  EXPECT_TRUE(table.is_reserved(3));
  table.release(shared);
  EXPECT_FALSE(table.is_reserved(3));
}

ReadyThread ready(std::uint32_t thread, std::uint64_t number, std::uint64_t index) {
  return {thread, number, index, {}, {}};
}

TEST(WaitingQueue, KeepsTheOrderOfArrivalWithoutReordering) {
  WaitingQueue queue(false);
  queue.push(ready(1, 9, 5));
  queue.push(ready(2, 3, 1));
  EXPECT_EQ(queue.pop().thread, 1u);
  EXPECT_EQ(queue.pop().thread, 2u);
}

TEST(WaitingQueue, ReorderingPutsThreadsOfOneNumberTogetherByIndex) {
  WaitingQueue queue(true);
  queue.push(ready(1, 9, 5));
  queue.push(ready(2, 3, 7));
  queue.push(ready(3, 9, 4));
  queue.push(ready(4, 3, 6));
  std::vector<std::uint32_t> order;
  while (!queue.empty()) order.push_back(queue.pop().thread);
  EXPECT_EQ(order, (std::vector<std::uint32_t>{4, 2, 3, 1}));
}

TEST(WaitingQueue, ReorderingGoesOnInCirclesSoThatNobodyWaitsForEver) {
  WaitingQueue queue(true);
  queue.push(ready(1, 5, 0));
  queue.push(ready(2, 7, 0));
  EXPECT_EQ(queue.pop().thread, 1u);
  queue.push(ready(3, 4, 0));
  EXPECT_EQ(queue.pop().thread, 2u) << "the one behind comes before one that would go in front";
  EXPECT_EQ(queue.pop().thread, 3u);
}

}  // namespace
}  // namespace raddle::machine::d2now::testing
