// Tokens through plain units: latencies, buffers, back-pressure, injection.
#include "machine/cgra/fabric_stand.h"

namespace raddle::machine::cgra {
namespace {

TEST(FabricFlow, ChainTakesLatenciesAndHopsOnceAndThenAThreadEveryCycle) {
  FabricStand stand;
  const std::uint32_t a = stand.compute({0}, 4_cycles);
  stand.hops[a] = {3};
  const std::uint32_t b = stand.compute({a}, 2_cycles);
  stand.hops[b] = {2};
  const std::uint32_t end = stand.exit({b});
  stand.hops[end] = {5};
  stand.threads = 100;
  const StandResult result = stand.run();
  // Source 1 + 3 links, 4 + 2 links, 2 + 5 links.
  const Cycle first(1 + 3 + 4 + 2 + 2 + 5);
  for (std::uint32_t q = 0; q < 100; ++q) EXPECT_EQ(result.left[q], first + Cycle(q));
  EXPECT_EQ(result.cycles, first + 100_cycles);
  EXPECT_EQ(result.nodes.firings, (std::vector<std::uint64_t>{100, 100, 100, 100}));
}

TEST(FabricFlow, HopTakesAsManyCyclesAsThatOfTheGrid) {
  FabricStand stand;
  const std::uint32_t end = stand.exit({0});
  stand.hops[end] = {3};
  stand.parameters.hop_cycles = 2_cycles;
  EXPECT_EQ(stand.run().left[0], Cycle(1 + 3 * 2));
}

TEST(FabricFlow, FansOutToReceiversAtDifferentDistances) {
  FabricStand stand;
  const std::uint32_t near = stand.exit({0});
  const std::uint32_t far = stand.exit({0});
  stand.hops[near] = {1};
  stand.hops[far] = {9};
  stand.threads = 50;
  const StandResult result = stand.run();
  for (std::uint32_t q = 0; q < 50; ++q) EXPECT_EQ(result.left[q], Cycle(10 + q));
  EXPECT_EQ(result.counts.tokens.link_hops, 50u * 10);
}

// A join of two ways whose lengths differ by `skew` cycles.
Cycle cycles_of_join(std::uint32_t slots, Cycle skew, std::uint32_t threads) {
  FabricStand stand;
  stand.parameters.token_buffer = slots;
  const std::uint32_t slow = stand.compute({0}, skew - 1_cycles);
  const std::uint32_t join = stand.compute({0, slow});
  stand.exit({join});
  stand.threads = threads;
  return stand.run().cycles;
}

TEST(FabricFlow, JoinOfUnequalWaysRunsAtFullSpeedIfItsBufferHoldsTheDifference) {
  // To the join directly 2 cycles, `skew` more through the slow unit, 2 to the exit.
  for (const std::uint32_t slots : {2, 4, 16, 64})
    EXPECT_EQ(cycles_of_join(slots, Cycle(slots), 1000), Cycle(2 + slots + 2 + 1000)) << slots;
}

TEST(FabricFlow, JoinOfUnequalWaysIsLimitedByWhatTheShortWayHolds) {
  // The short way holds S threads in the join and 3 on its edge; each of them stays there from its
  // injection until the cycle after the join's firing: skew + 3.
  for (const std::uint32_t slots : {1, 2, 4, 16}) {
    const Cycle skew = 41_cycles;
    const std::uint64_t rounds = 100;
    const std::uint64_t held = slots + 3;
    const auto few = static_cast<std::uint32_t>(held * 10);
    const auto many = static_cast<std::uint32_t>(few + held * rounds);
    EXPECT_EQ(cycles_of_join(slots, skew, many) - cycles_of_join(slots, skew, few),
              (skew + 3_cycles) * rounds)
        << slots;
  }
}

TEST(FabricFlow, SlowUnitHoldsUpEverythingBeforeIt) {
  FabricStand stand;
  const std::uint32_t fast = stand.compute({0});
  const std::uint32_t slow = stand.compute({fast});
  stand.graph.nodes[slow].interval = 4_cycles;
  stand.exit({slow});
  stand.threads = 200;
  const StandResult result = stand.run();
  for (std::uint32_t q = 0; q < 200; ++q) EXPECT_EQ(result.left[q], Cycle(6 + 4 * q));
  const UnitAccount& before = result.nodes.cycles[fast];
  EXPECT_GT(before[UnitUse::kConsumerFull], 400_cycles);
  EXPECT_EQ(before[UnitUse::kFired], 200_cycles);
  // The slow unit works in every cycle from its first firing on.
  EXPECT_EQ(result.nodes.cycles[slow][UnitUse::kFired], Cycle(200 * 4 - 4 + 3));
}

TEST(FabricFlow, WorksWithOneSlot) {
  FabricStand stand;
  stand.parameters.token_buffer = 1;
  const std::uint32_t a = stand.compute({0});
  const std::uint32_t b = stand.compute({0, a}, 3_cycles);
  stand.exit({a, b});
  stand.threads = 33;
  const StandResult result = stand.run();
  EXPECT_EQ(result.counts.tokens.threads, 33u);
  EXPECT_TRUE(std::is_sorted(result.left.begin(), result.left.end()));
}

TEST(FabricFlow, ReplicasTakeWholeGroupsInTheirTurns) {
  FabricStand stand;
  stand.exit({0});
  stand.replicas = 3;
  stand.group_threads = 5;
  stand.threads = 23;
  const StandResult result = stand.run();
  EXPECT_EQ(result.asked[0], (std::vector<std::uint32_t>{0, 15}));
  EXPECT_EQ(result.asked[1], (std::vector<std::uint32_t>{5, 20}));
  EXPECT_EQ(result.asked[2], (std::vector<std::uint32_t>{10}));
  // Ten threads one after the other in the first one.
  EXPECT_EQ(result.cycles, Cycle(2 + 10));
}

TEST(FabricFlow, FeedIsAskedOnlyWhenTheInjectorNeedsAThread) {
  FabricStand stand;
  const std::uint32_t slow = stand.compute({0});
  stand.graph.nodes[slow].interval = 1000_cycles;
  stand.exit({slow});
  stand.replicas = 2;
  stand.group_threads = 100;
  stand.threads = 300;
  const StandResult result = stand.run();
  EXPECT_EQ(result.asked[0], (std::vector<std::uint32_t>{0, 200}));
  EXPECT_EQ(result.asked[1], (std::vector<std::uint32_t>{100}));
}

TEST(FabricFlow, ConfiguresBeforeEveryRun) {
  FabricStand stand;
  stand.exit({0});
  stand.threads = 10;
  stand.runs = 3;
  const StandResult result = stand.run();
  EXPECT_EQ(result.counts.tokens.configurations, 3u);
  const std::uint64_t units = 140;
  Cycle configuring;
  for (const UnitAccount& cycles : result.counts.cycles)
    configuring += cycles[UnitUse::kReconfiguring];
  EXPECT_EQ(configuring, units * 34_cycles * 3);
}

TEST(FabricFlow, ConfigurationThatIsLoadedGoesOnAtOnce) {
  FabricStand stand;
  stand.exit({0});
  stand.threads = 10;
  stand.runs = 3;
  stand.stays_loaded = true;
  const StandResult result = stand.run();
  EXPECT_EQ(result.counts.tokens.configurations, 1u);
  EXPECT_EQ(result.cycles, Cycle(2 + 10));
  // 34 cycles once, and three runs one after the other.
  Cycle all;
  for (std::size_t unit = 0; unit < kUnitClasses; ++unit) all += result.counts.cycles[unit].sum();
  EXPECT_EQ(all, 140 * Cycle(34 + 3 * 12));
}

TEST(FabricFlow, KeepsNoMoreRecordsForMoreThreads) {
  const auto kept = [](std::uint32_t threads) {
    FabricStand stand;
    const std::uint32_t value = stand.load({0}, element(0));
    stand.exit({stand.compute({value, 0}, 20_cycles)});
    stand.group_threads = 32;
    stand.threads = threads;
    stand.run();
    return stand.records_kept();
  };
  EXPECT_EQ(kept(20'000), kept(2'000));
}

}  // namespace
}  // namespace raddle::machine::cgra
