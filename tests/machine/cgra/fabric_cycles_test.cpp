// Every cycle of every unit is counted once, whatever happens.
#include "machine/cgra/fabric_stand.h"

namespace raddle::machine::cgra {
namespace {

// Units of all classes together, but not the ports.
Cycle sum_of_units(const ClassCycles& cycles) {
  Cycle all;
  for (std::size_t unit = 0; unit < kUnitClasses; ++unit) all += cycles[unit].sum();
  return all;
}

void add_everything(FabricStand& stand) {
  const std::uint32_t a = stand.load({0}, [](std::uint32_t q) { return 4 * (q * 37 % 4096); });
  const std::uint32_t receive = stand.receive(3, 30);
  const std::uint32_t neighbour = stand.elevator(a, 0, 3, receive);
  const std::uint32_t far = stand.receive(18, 60);
  const std::uint32_t passed = stand.passing(a, 16, far);
  const std::uint32_t distant = stand.elevator(passed, 0, 2, far);
  const std::uint32_t slow = stand.compute({neighbour, a, distant}, 20_cycles);
  stand.graph.nodes[slow].interval = 3_cycles;
  const std::uint32_t b = stand.memory({slow}, MemoryPort::kShared, element(0));
  const std::uint32_t loop = stand.receive(1, 8);
  const std::uint32_t shared = stand.receive_load(0, 1, loop, [](std::uint32_t q) {
    return q % 8 == 0 ? std::optional<std::uint64_t>(8192 + 512 * q) : std::nullopt;
  });
  stand.store({b, shared}, element(1 << 20));
  stand.threads = 333;
  stand.group_threads = 120;  // whole windows
}

TEST(FabricCycles, EveryUnitSpendsEveryCycleInOneWay) {
  for (const std::uint32_t slots : {2, 16}) {
    FabricStand stand;
    add_everything(stand);
    stand.parameters.token_buffer = slots;
    if (slots == 2) {
      // Elevators of this buffer reach two threads far.
      stand.graph.nodes[2].inputs[0].shift = 2;
      stand.graph.nodes[3].inputs[0].shift = 1;
      stand.graph.nodes[4].inputs[0].shift = 1;
      const auto in_window = [&](std::int64_t q, std::int64_t other) {
        return other >= 0 && other < stand.threads && q / 30 == other / 30;
      };
      for (const std::size_t receive : {0, 1}) {
        stand.has_producer[receive] = [=](std::uint32_t q) { return in_window(q, q - 2LL); };
        stand.is_consumed[receive] = [=](std::uint32_t q) { return in_window(q, q + 2LL); };
      }
    }
    stand.replicas = 3;
    stand.runs = 2;
    const StandResult result = stand.run();
    const Cycle all = sum_of_units(result.counts.cycles);
    const Cycle total = all / 140;
    EXPECT_EQ(total * 140, all);
    EXPECT_GT(total, result.cycles);  // of the second run
    for (std::size_t unit = 0; unit < kUnitClasses; ++unit)
      EXPECT_EQ(result.counts.cycles[unit].sum(), total * stand.parameters.units[unit]);
    // All nodes are in use for the same time.
    for (const UnitAccount& cycles : result.nodes.cycles)
      EXPECT_EQ(cycles.sum(), (total - 2 * 34_cycles) * 3);
    for (std::size_t n = 0; n < stand.graph.nodes.size(); ++n) {
      if (n == 3) continue;  // inside a cascade
      EXPECT_EQ(result.nodes.firings[n], 2u * 333) << n;
    }
  }
}

TEST(FabricCycles, FiredCyclesAreFiringsTimesIntervals) {
  FabricStand stand;
  add_everything(stand);
  const StandResult result = stand.run();
  for (std::size_t n = 1; n < stand.graph.nodes.size(); ++n) {
    const Cycle fired = result.nodes.cycles[n][UnitUse::kFired];
    const Cycle interval = stand.graph.nodes[n].interval;
    EXPECT_LE(fired, result.nodes.firings[n] * interval) << n;
    EXPECT_GE(fired, result.nodes.firings[n] * interval - (interval - 1_cycles)) << n;
  }
}

TEST(FabricCycles, ChainWaitsForItsFirstThreadAndHasNoneBehindTheLast) {
  FabricStand stand;
  const std::uint32_t a = stand.compute({0}, 10_cycles);
  const std::uint32_t b = stand.compute({a});
  stand.exit({b});
  stand.threads = 20;
  const StandResult result = stand.run();
  // Injected in cycles 0 to 19; `a` fires in 2 to 21, `b` in 13 to 32, the exit in 15 to 34.
  const UnitAccount& first = result.nodes.cycles[a];
  EXPECT_EQ(first[UnitUse::kNoThread], Cycle(1 + 13));
  EXPECT_EQ(first[UnitUse::kOperandMissing], 1_cycles);
  EXPECT_EQ(first[UnitUse::kFired], 20_cycles);
  const UnitAccount& second = result.nodes.cycles[b];
  EXPECT_EQ(second[UnitUse::kNoThread], Cycle(1 + 2));
  EXPECT_EQ(second[UnitUse::kOperandMissing], 12_cycles);
  EXPECT_EQ(second[UnitUse::kFired], 20_cycles);
}

TEST(FabricCycles, LoadStoreUnitWaitsForMemory) {
  FabricStand stand;
  const std::uint32_t value = stand.load({0}, [](std::uint32_t q) { return 1024 * q; });
  stand.exit({value});
  stand.memory_latency = 100_cycles;
  stand.threads = 1;
  const StandResult result = stand.run();
  const UnitAccount& cycles = result.nodes.cycles[value];
  EXPECT_EQ(cycles[UnitUse::kFired], 1_cycles);
  // From the access in cycle 2 to the answer in cycle 2 + 5 + 1 + 100 + 1, which leaves at once.
  EXPECT_EQ(cycles[UnitUse::kMemory], Cycle(5 + 1 + 100));
}

TEST(FabricCycles, CountsTokensByTheirPorts) {
  FabricStand stand;
  const std::uint32_t a = stand.compute({0});
  const std::uint32_t b = stand.compute({0, a});
  stand.exit({b});
  stand.threads = 10;
  const StandResult result = stand.run();
  EXPECT_EQ(result.counts.tokens.buffer_writes, 10u * 4);
  EXPECT_EQ(result.counts.tokens.buffer_reads, 10u * 4);
  EXPECT_EQ(result.counts.tokens.link_hops, 10u * 4);
  EXPECT_EQ(result.counts.firings[static_cast<std::size_t>(UnitClass::kAlu)], 20u);
  EXPECT_EQ(result.counts.firings[static_cast<std::size_t>(UnitClass::kPort)], 20u);
}

}  // namespace
}  // namespace raddle::machine::cgra
