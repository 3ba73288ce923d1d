// Caches, bus and memory of a node, access by access.
#include "machine/d2now/node_memory.h"

#include <gtest/gtest.h>

#include "machine/d2now/recorded_program.h"

namespace raddle::machine::d2now::testing {
namespace {

using rec::Touch;

constexpr Ticks cycles(std::uint64_t count) { return count * kCycle; }

MemoryParameters parameters() { return D2nowParameters(table_with({})).memory; }

TEST(NodeMemory, FirstLoadGoesToMemoryAndTheNextHits) {
  NodeMemory memory(parameters());
  EXPECT_EQ(memory.access(Touch::kLoad, 7, Ticks(0)), cycles(60));
  EXPECT_EQ(memory.access(Touch::kLoad, 7, cycles(60)), cycles(60));
  EXPECT_EQ(memory.counts().l2_misses, 1u);
  EXPECT_EQ(memory.counts().l2_accesses, 1u);
}

TEST(NodeMemory, LineThatLeftTheL1HitsInTheL2) {
  NodeMemory memory(parameters());
  Ticks now;
  for (Line way = 0; way < 5; ++way) now = memory.access(Touch::kLoad, way * 128, now);
  const Ticks before = now;
  EXPECT_EQ(memory.access(Touch::kLoad, 0, now) - before, cycles(4));
  EXPECT_EQ(memory.counts().l2_misses, 5u);
}

TEST(NodeMemory, FifthLineOfASetPushesTheLeastRecentlyUsedOut) {
  NodeMemory memory(parameters());
  Ticks now;
  // 2048 sets in the L2; touch line 0 again in between, through the L1's other lines.
  for (Line way = 0; way < 4; ++way) now = memory.access(Touch::kLoad, way * 2048, now);
  now = memory.access(Touch::kLoad, 4 * 2048, now);  // pushes 0 out of both
  const std::uint64_t misses = memory.counts().l2_misses;
  now = memory.access(Touch::kLoad, 0, now);
  EXPECT_EQ(memory.counts().l2_misses, misses + 1);
}

TEST(NodeMemory, CodeAndDataHaveL1CachesOfTheirOwn) {
  NodeMemory memory(parameters());
  Ticks now = memory.access(Touch::kFetch, 3, Ticks(0));
  const Ticks before = now;
  now = memory.access(Touch::kLoad, 3, now);  // misses its L1, hits the L2, which is unified
  EXPECT_EQ(now - before, cycles(4));
}

TEST(NodeMemory, StoresThatMissDoNotStopTheProcessorUntilTheFillBuffersAreFull) {
  NodeMemory memory(parameters());
  for (Line line = 0; line < 4; ++line)
    EXPECT_EQ(memory.access(Touch::kStore, line, Ticks(0)), Ticks(0));
  EXPECT_EQ(memory.access(Touch::kStore, 4, Ticks(0)), cycles(60));
}

TEST(NodeMemory, ChangedLinesGoBackToMemory) {
  NodeMemory memory(parameters());
  Ticks now;
  for (Line way = 0; way < 10; ++way) now = memory.access(Touch::kStore, way * 2048, now);
  EXPECT_GT(memory.counts().written_back_lines, 0u);
}

TEST(NodeMemory, PrefetchedLineHitsWhenItHasCome) {
  NodeMemory memory(parameters());
  const Prefetch prefetch = memory.prefetch(9, Ticks(0));
  EXPECT_TRUE(prefetch.fetched);
  EXPECT_EQ(prefetch.ready, cycles(60));
  EXPECT_EQ(memory.access(Touch::kLoad, 9, cycles(100)), cycles(104));
  EXPECT_EQ(memory.counts().l2_misses, 0u);
}

TEST(NodeMemory, AccessBeforeThePrefetchHasComeIsALateMiss) {
  NodeMemory memory(parameters());
  memory.prefetch(9, Ticks(0));
  EXPECT_EQ(memory.access(Touch::kLoad, 9, cycles(10)), cycles(60));
  EXPECT_EQ(memory.counts().l2_misses, 1u);
  EXPECT_EQ(memory.counts().l2_late, 1u);
}

TEST(NodeMemory, PrefetchOfACachedLineFetchesNothing) {
  NodeMemory memory(parameters());
  memory.access(Touch::kLoad, 9, Ticks(0));
  EXPECT_FALSE(memory.prefetch(9, cycles(100)).fetched);
  EXPECT_EQ(memory.counts().snooped_lines, 1u);
}

TEST(NodeMemory, DataOfAnotherNodeInvalidatesCachedLines) {
  NodeMemory memory(parameters());
  memory.access(Touch::kLoad, 9, Ticks(0));
  memory.write_from_network(Address(9 * rec::kLineBytes + 8), Bytes(8), true, ShortBytes(8),
                            cycles(100));
  EXPECT_EQ(memory.counts().invalidated_lines, 1u);
  EXPECT_EQ(memory.access(Touch::kLoad, 9, cycles(200)), cycles(260));
}

TEST(NodeMemory, DemandWaitsForOneTransactionOfTheBacklogAtMost) {
  NodeMemory memory(parameters());
  for (Line line = 100; line < 110; ++line) memory.prefetch(line, Ticks(0));
  EXPECT_EQ(memory.access(Touch::kLoad, 9, Ticks(0)), cycles(24 + 60));
}

TEST(NodeMemory, DemandWaitsForOneLineOfABlockOfTheNetwork) {
  NodeMemory memory(parameters());
  EXPECT_EQ(memory.read_for_network(Bytes(2048), Ticks(0)), cycles(64 * 24));
  EXPECT_EQ(memory.write_from_network(Address(4096), Bytes(2048), false, ShortBytes(8), Ticks(0)),
            cycles(128 * 24));
  EXPECT_EQ(memory.access(Touch::kLoad, 9, Ticks(0)), cycles(24 + 60));
}

TEST(NodeMemory, DemandsFollowEachOther) {
  Bus bus;
  EXPECT_EQ(bus.demand(Ticks(0), cycles(24)), Ticks(0));
  EXPECT_EQ(bus.demand(cycles(4), cycles(24)), cycles(24));
  bus.background(cycles(4), cycles(24), 10);
  // What demands overtake makes none of them wait but the first.
  EXPECT_EQ(bus.demand(cycles(8), cycles(24)), cycles(48));
  EXPECT_EQ(bus.demand(cycles(100), cycles(24)), cycles(124));
}

TEST(NodeMemory, TellsMissesByTheirCause) {
  NodeMemory memory(parameters());
  Ticks now;
  const auto load = [&](Line line) { now = memory.access(Touch::kLoad, line, now); };
  for (Line way = 0; way < 5; ++way) load(way * 2048);  // the fifth pushes the first out
  EXPECT_EQ(memory.counts().l2_first, 5u);
  load(0);
  EXPECT_EQ(memory.counts().l2_replaced, 1u);
  now = memory.write_from_network(Address(0), Bytes(32), false, ShortBytes(8), now);
  load(0);
  EXPECT_EQ(memory.counts().l2_sent, 1u);
  // What another node has sent before anybody looked for it is its data, too.
  now =
      memory.write_from_network(Address(7 * rec::kLineBytes), Bytes(32), false, ShortBytes(8), now);
  load(7);
  EXPECT_EQ(memory.counts().l2_sent, 2u);
  now = memory.access(Touch::kFetch, 99, now);
  EXPECT_EQ(memory.counts().l2_code_misses, 1u);
  memory.prefetch(50, now);
  memory.access(Touch::kLoad, 50, now);
  const MemoryCounts& counts = memory.counts();
  EXPECT_EQ(counts.l2_misses,
            counts.l2_first + counts.l2_replaced + counts.l2_sent + counts.l2_late);
  EXPECT_EQ(counts.l2_late, 1u);
}

TEST(NodeMemory, PerfectMemoryNeverWaits) {
  MemoryParameters perfect = parameters();
  perfect.perfect = true;
  NodeMemory memory(perfect);
  EXPECT_EQ(memory.access(Touch::kLoad, 9, Ticks(5)), Ticks(5));
  EXPECT_EQ(memory.prefetch(9, Ticks(5)).ready, Ticks(5));
}

}  // namespace
}  // namespace raddle::machine::d2now::testing
