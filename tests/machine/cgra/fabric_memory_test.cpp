// Load/store units: banks, hits, misses, order of answers, stores, atomics, receives, live values.
#include "kernel/address_map.h"
#include "machine/cgra/fabric_stand.h"

namespace raddle::machine::cgra {
namespace {

using memory::AccessKind;

std::uint64_t count_requests(const FabricStand& stand, AccessKind kind) {
  std::uint64_t count = 0;
  for (const memory::Access& access : stand.behind().seen) count += access.kind == kind ? 1 : 0;
  return count;
}

TEST(FabricMemory, MissIsAnsweredWithItsLineAndHitsAfterTheHitLatency) {
  FabricStand stand;
  stand.exit({stand.load({0}, element(0))});
  stand.memory_latency = 50_cycles;
  stand.threads = 200;
  const StandResult result = stand.run();
  // Source 2; the request leaves after the hit latency of 5, is seen 1 later, answered 50 later,
  // seen 1 later; the link to the exit 1.
  EXPECT_EQ(result.left[0], Cycle(2 + 5 + 1 + 50 + 1 + 1));
  EXPECT_EQ(count_requests(stand, AccessKind::kLoad), 7u);  // lines of 32 elements
  EXPECT_EQ(result.counts.l1.misses, 7u);
  EXPECT_EQ(result.counts.l1.hits + result.counts.l1.merged, 193u);
  EXPECT_GE(result.counts.l1.merged, 15u);  // those of the first line that the buffer takes
}

TEST(FabricMemory, HitsStreamAThreadEveryCycle) {
  FabricStand stand;
  // The second load finds what the first one has brought.
  const std::uint32_t first = stand.load({0}, [](std::uint32_t) { return 0; });
  stand.exit({stand.load({first}, [](std::uint32_t q) { return 4 * (q % 32); })});
  stand.threads = 300;
  const StandResult result = stand.run();
  EXPECT_EQ(count_requests(stand, AccessKind::kLoad), 1u);
  // 5 cycles of latency fit into 16 slots.
  EXPECT_EQ(result.left[299] - result.left[199], 100_cycles);
}

TEST(FabricMemory, HitLatencyLimitsThreadsToSlots) {
  FabricStand stand;
  stand.parameters.token_buffer = 2;
  stand.exit({stand.memory({0}, MemoryPort::kShared, element(0))});
  stand.threads = 200;
  const StandResult result = stand.run();
  // A slot is taken for the access, 4 cycles of latency, and free for a token in the next cycle.
  EXPECT_EQ(result.left[199] - result.left[99], Cycle(100 / 2 * 5));
}

TEST(FabricMemory, MoreAccessesAreUnderWayThanOperandsWait) {
  FabricStand stand;
  stand.parameters.token_buffer = 2;
  stand.parameters.load_store_entries = 8;
  stand.exit({stand.memory({0}, MemoryPort::kShared, element(0))});
  stand.threads = 200;
  const StandResult result = stand.run();
  // Five cycles an access, as above, and eight slots.
  EXPECT_EQ(result.left[199] - result.left[99], 100_cycles);
}

TEST(FabricMemory, OperandsWaitInTheTokenBufferAlone) {
  FabricStand stand;
  stand.parameters.token_buffer = 2;
  stand.parameters.load_store_entries = 16;
  // The address waits for a slow unit: two threads at a time are on that way, not sixteen.
  const std::uint32_t slow = stand.compute({0}, 20_cycles);
  stand.exit({stand.memory({0, slow}, MemoryPort::kShared, element(0))});
  stand.threads = 100;
  const StandResult result = stand.run();
  EXPECT_GT(result.left[99] - result.left[49], Cycle(50 * 3));
}

TEST(FabricMemory, LoadThatWaitsDoesNotBlockOthers) {
  FabricStand stand;
  // Thread 3 misses a line of its own; all others use one that thread 0 brings.
  stand.exit({stand.load({0}, [](std::uint32_t q) { return q == 40 ? 1 << 20 : 4 * (q % 32); })});
  stand.memory_latency = 300_cycles;
  stand.threads = 50;
  const StandResult result = stand.run();
  EXPECT_GT(result.left[40], result.left[49] + 200_cycles);
}

TEST(FabricMemory, UnitsShareBanksInTurns) {
  FabricStand stand;
  const std::uint32_t a = stand.memory({0}, MemoryPort::kShared, [](std::uint32_t) { return 0; });
  // The rows of 32 words begin one bank further each.
  const std::uint32_t b =
      stand.memory({0}, MemoryPort::kShared, [](std::uint32_t) { return 63 * 4; });
  stand.exit({a, b});
  stand.threads = 400;
  const StandResult result = stand.run();
  // All of them go to bank 0, which one unit gets and one does not.
  EXPECT_EQ(result.cycles, Cycle(2 + 2 * 400 - 1 + 4 + 1 + 1));
  EXPECT_EQ(result.counts.scratchpad.conflicts, 400u + 399);
  EXPECT_EQ(result.nodes.cycles[a][UnitUse::kFired], 400_cycles);
  EXPECT_EQ(result.counts.scratchpad.reads, 800u);
  EXPECT_EQ(result.counts.scratchpad.bytes, 3200u);
}

TEST(FabricMemory, SamePlaceInAnotherRowIsAnotherBank) {
  FabricStand stand;
  const std::uint32_t a = stand.memory({0}, MemoryPort::kShared, element(0));
  const std::uint32_t b = stand.memory({0}, MemoryPort::kShared, element(32 * 4));
  stand.exit({a, b});
  stand.threads = 400;
  EXPECT_EQ(stand.run().counts.scratchpad.conflicts, 0u);
}

TEST(FabricMemory, DifferentBanksDoNotConflict) {
  FabricStand stand;
  const std::uint32_t a = stand.memory({0}, MemoryPort::kShared, [](std::uint32_t) { return 0; });
  const std::uint32_t b = stand.memory({0}, MemoryPort::kShared, [](std::uint32_t) { return 4; });
  stand.exit({a, b});
  stand.threads = 400;
  const StandResult result = stand.run();
  EXPECT_EQ(result.counts.scratchpad.conflicts, 0u);
  EXPECT_EQ(result.cycles, Cycle(2 + 4 + 1 + 400));
}

TEST(FabricMemory, WideAccessTakesSeveralBanks) {
  FabricStand stand;
  const std::uint32_t a = stand.memory({0}, MemoryPort::kShared, [](std::uint32_t) { return 4; });
  const std::uint32_t b = stand.memory({0}, MemoryPort::kShared, [](std::uint32_t) { return 124; });
  stand.graph.nodes[b].bytes = 8;  // banks 31 and 1
  stand.exit({a, b});
  stand.threads = 100;
  EXPECT_GT(stand.run().counts.scratchpad.conflicts, 90u);
}

TEST(FabricMemory, GenericPointerMayLeadToTheScratchpad) {
  FabricStand stand;
  stand.exit({stand.load({0}, element(kernel::kSharedWindow))});
  stand.threads = 10;
  const StandResult result = stand.run();
  EXPECT_EQ(result.counts.scratchpad.reads, 10u);
  EXPECT_EQ(result.left[0], Cycle(2 + 4 + 1));
}

TEST(FabricMemory, InactiveAccessPassesByTheMemory) {
  FabricStand stand;
  stand.exit({stand.load({0}, [](std::uint32_t) { return std::nullopt; })});
  stand.threads = 100;
  const StandResult result = stand.run();
  for (std::uint32_t q = 0; q < 100; ++q) EXPECT_EQ(result.left[q], Cycle(4 + q));
  EXPECT_TRUE(stand.behind().seen.empty());
}

TEST(FabricMemory, OrderTokenOfAStoreLeavesWhenTheCacheHasTakenIt) {
  FabricStand stand;
  stand.exit({stand.store({0}, element(0))});
  stand.memory_latency = 500_cycles;
  stand.threads = 10;
  const StandResult result = stand.run();
  for (std::uint32_t q = 0; q < 10; ++q) EXPECT_EQ(result.left[q], Cycle(4 + q));
  EXPECT_EQ(count_requests(stand, AccessKind::kLoad), 1u);  // write-allocate
}

TEST(FabricMemory, StoresAreWrittenBackWhenTheirLineGoes) {
  FabricStand stand;
  stand.store({0}, element(0));
  stand.threads = 32 * 64;  // 8 KiB through 4
  const StandResult result = stand.run();
  EXPECT_EQ(count_requests(stand, AccessKind::kLoad), 64u);
  EXPECT_EQ(count_requests(stand, AccessKind::kWriteBack), 32u);
  EXPECT_EQ(result.counts.l1.stores, 32u * 64);
}

TEST(FabricMemory, AtomicsGoPastTheCache) {
  FabricStand stand;
  const std::uint32_t atomic = stand.load({0}, [](std::uint32_t) { return 64; });
  stand.graph.nodes[atomic].atomic = true;
  stand.graph.nodes[atomic].writes = true;
  stand.exit({atomic});
  stand.threads = 20;
  stand.run();
  EXPECT_EQ(count_requests(stand, AccessKind::kAtomic), 20u);
  EXPECT_EQ(count_requests(stand, AccessKind::kLoad), 0u);
}

TEST(FabricMemory, WorksWithOneMshrAndAQueueOfOne) {
  FabricStand stand;
  stand.parameters.l1.mshrs = 1;
  stand.parameters.l1.accesses_per_mshr = 1;
  stand.parameters.l1_miss_queue = 1;
  const std::uint32_t a = stand.load({0}, element(0));
  const std::uint32_t b = stand.load({0}, [](std::uint32_t q) { return 1024 * (q % 7); });
  stand.store({a, b}, element(1 << 16));
  stand.threads = 77;
  const StandResult result = stand.run();
  EXPECT_EQ(result.counts.l1.loads, 2u * 77);
  EXPECT_EQ(result.counts.l1.stores, 77u);
  EXPECT_GT(result.counts.l1_refused, 0u);
}

TEST(FabricMemory, ThreadsForwardWhatOneOfThemLoaded) {
  FabricStand stand;
  const std::uint32_t receive = stand.receive(1, 8);
  const std::uint32_t value =
      stand.receive_load(0, 1, receive, [](std::uint32_t q) -> std::optional<std::uint64_t> {
        if (q % 8 != 0) return std::nullopt;
        return 1024 * (q / 8);
      });
  stand.exit({value});
  stand.threads = 16;
  const StandResult result = stand.run();
  EXPECT_EQ(result.counts.l1.loads, 2u);
  EXPECT_EQ(result.nodes.firings[value], 16u);
  // Each receiver has its entry by then, and sends in the cycle after the one before it.
  for (std::uint32_t q = 1; q < 8; ++q) EXPECT_EQ(result.left[q], result.left[q - 1] + 1_cycles);
}

// Receivers wait in entries, not in the token buffer: loads of later threads go out meanwhile.
TEST(FabricMemory, LoadsBehindThreadsThatWaitForOthersAreUnderWayTogether) {
  const auto cycles = [](std::uint32_t entries) {
    FabricStand stand;
    stand.parameters.load_store_entries = entries;
    stand.memory_latency = 100_cycles;
    const std::uint32_t receive = stand.receive(1, 16);
    stand.exit({stand.receive_load(0, 1, receive, [](std::uint32_t q) {
      return q % 16 == 0 ? std::optional<std::uint64_t>(4096 * (q / 16)) : std::nullopt;
    })});
    stand.threads = 64;
    const StandResult result = stand.run();
    EXPECT_EQ(result.counts.l1.misses, 4u);
    return result.left[63];
  };
  // Four misses, two of which overlap at a time, or all of them.
  EXPECT_LT(cycles(64), cycles(16) * 2 / 3);
}

TEST(FabricMemory, LoadsDoNotWaitForWhatIsForwarded) {
  FabricStand stand;
  const std::uint32_t receive = stand.receive(1, 8);
  stand.exit({stand.receive_load(0, 1, receive, [](std::uint32_t q) {
    return q % 8 == 0 ? std::optional<std::uint64_t>(q % 32) : std::nullopt;
  })});
  stand.threads = 240;
  const StandResult result = stand.run();
  // A firing for each thread; the load's answer is there by the time it is forwarded.
  EXPECT_LE(result.left[238] - result.left[158], 80_cycles);
}

TEST(FabricMemory, ForwardingKeepsUpWithAThreadEveryCycle) {
  FabricStand stand;
  const std::uint32_t receive = stand.receive(1, 1000);
  stand.exit({stand.receive_load(0, 1, receive, [](std::uint32_t q) {
    return q == 0 ? std::optional<std::uint64_t>(0) : std::nullopt;
  })});
  stand.threads = 500;
  const StandResult result = stand.run();
  EXPECT_EQ(result.left[499] - result.left[99], 400_cycles);
}

TEST(FabricMemory, ForwardsAsFarAsTheBufferReaches) {
  for (const std::uint32_t slots : {1, 2, 16}) {
    FabricStand stand;
    stand.parameters.token_buffer = slots;
    const auto shift = static_cast<std::int32_t>(slots);
    const std::uint32_t receive = stand.receive(shift, 1000);
    stand.exit({stand.receive_load(0, shift, receive, [slots](std::uint32_t q) {
      return q < slots ? std::optional<std::uint64_t>(4 * q) : std::nullopt;
    })});
    stand.threads = 100;
    EXPECT_EQ(stand.run().counts.l1.loads, slots);
  }
}

TEST(FabricMemory, LiveValuesGoThroughTheirCache) {
  FabricStand stand;
  const std::uint32_t in =
      stand.node(NodeKind::kLiveIn, UnitClass::kLoadStore, FabricStand::from({0}));
  const std::uint32_t out =
      stand.node(NodeKind::kLiveOut, UnitClass::kLoadStore, FabricStand::from({in}));
  stand.graph.nodes[out].number = 1;
  stand.exit({out});
  stand.threads = 100;
  const StandResult result = stand.run();
  EXPECT_EQ(result.counts.live_values.reads, 100u);
  EXPECT_EQ(result.counts.live_values.writes, 100u);
  // Source 2, value 3 + 1, store 1 + 1.
  EXPECT_EQ(result.left[0], Cycle(2 + 4 + 2));
}

// Answers of two load units come in orders that would block each other at the unit after both, if
// a thread could overtake one that is S places before it: 16 before 1 at the one, 17 before 0 at
// the other, because 17 has overtaken 16 at a unit before it.
TEST(FabricMemory, OutOfOrderAnswersOfSeveralUnitsDoNotBlockEachOther) {
  for (const std::uint32_t slots : {1, 2, 4, 16}) {
    FabricStand stand;
    stand.parameters.token_buffer = slots;
    const auto line_of_its_own = [](std::uint64_t base) {
      return [base](std::uint32_t q) { return base + 1024 * std::uint64_t{q}; };
    };
    const std::uint32_t a = stand.load({0}, line_of_its_own(0));
    const std::uint32_t d = stand.load({0}, line_of_its_own(1 << 24));
    const std::uint32_t c = stand.load({d}, line_of_its_own(2 << 24));
    stand.exit({stand.compute({a, c})});
    stand.parameters.l1.mshrs = 256;
    stand.latency_of = [slots](Address address) {
      const std::uint64_t thread = address % 16_MiB / 1_KiB;
      const bool is_slow[] = {thread == 1, thread == slots, thread == 0};
      return is_slow[address / 16_MiB] ? 1000_cycles * (1 + address / 16_MiB) : 10_cycles;
    };
    stand.threads = 100;
    const StandResult result = stand.run();
    EXPECT_EQ(result.counts.tokens.threads, 100u);
  }
}

// Four groups of threads take turns, each on a line.
TEST(FabricMemory, LinesOfThreadsThatEnterLaterAreAskedForAhead) {
  FabricStand stand;
  stand.exit({stand.load({0}, element(0))});
  stand.threads = 2048;
  stand.group_threads = 32;
  stand.memory_latency = 100_cycles;
  stand.parameters.injector_groups = 4;
  const StandResult without = stand.run();
  EXPECT_EQ(without.counts.prefetches.lines, 0u);
  stand.parameters.prefetch = 8;
  const StandResult with = stand.run();
  EXPECT_GT(with.counts.prefetches.lines, 50u);
  EXPECT_LT(with.counts.prefetches.lines, 64u + 4 + 1) << "each line once, four beyond the end";
  EXPECT_LT(3 * with.cycles.count(), 2 * without.cycles.count());
}

// Twice as many groups as lines that may be wanted: each quarter of a line asks again.
TEST(FabricMemory, LinesThatFoundNoRoomAmongThoseWantedAreAskedForAgain) {
  FabricStand stand;
  stand.exit({stand.load({0}, element(0))});
  stand.threads = 2048;
  stand.group_threads = 32;
  stand.memory_latency = 20_cycles;
  stand.parameters.injector_groups = 8;
  stand.parameters.l1.mshrs = 4;
  stand.parameters.prefetch = 8;
  EXPECT_GT(stand.run().counts.prefetches.lines, 40u);
}

TEST(FabricMemory, SameRunTwiceIsTheSame) {
  const auto run = [] {
    FabricStand stand;
    const std::uint32_t a = stand.load({0}, [](std::uint32_t q) { return 4 * (q * 37 % 4096); });
    const std::uint32_t b = stand.load({0}, [](std::uint32_t q) { return 4 * (q * 91 % 8192); });
    stand.store({stand.compute({a, b}, 3_cycles)}, element(1 << 20));
    stand.replicas = 4;
    stand.group_threads = 32;
    stand.threads = 3000;
    return stand.run();
  };
  const StandResult one = run();
  const StandResult two = run();
  EXPECT_EQ(one.left, two.left);
  EXPECT_EQ(one.nodes.cycles, two.nodes.cycles);
  EXPECT_EQ(one.asked, two.asked);
}

}  // namespace
}  // namespace raddle::machine::cgra
