// The load/store unit and the L1: coalescing, hits, misses, stores, atomics, cycle by cycle.
#include "machine/simt/load_store_unit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel/address_map.h"
#include "machine/simt/load_store_stand.h"

namespace raddle::machine::simt {
namespace {

using namespace unit_literals;
using kernel::Space;
using memory::AccessKind;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const IssueInfo kLoad = load_of(MemoryPath::kData);
const IssueInfo kStore = store_of(MemoryPath::kData);
const IssueInfo kAtomic = atomic_of(MemoryPath::kData);

// Brings the line of the words into the L1 and forgets about it.
void warm(LoadStoreStand& stand, const kernel::exec::MemoryAccess& access) {
  stand.push(kLoad, access, stand.now);
  stand.run_to(stand.now + 100_cycles);
  for (std::size_t i = 0; i < stand.sent.size(); ++i) stand.answer(i);
  stand.sent.clear();
  stand.results.clear();
}

TEST(LoadStoreUnit, AMissLeavesAfterTheLatencyOfTheL1) {
  LoadStoreStand stand;
  stand.push(kLoad, words_from(0x1000), 7_cycles);
  stand.run_to(200_cycles);
  ASSERT_EQ(stand.sent.size(), 1U);
  EXPECT_EQ(stand.sent[0].first, Cycle(7 + 35));
  EXPECT_EQ(stand.sent[0].second.address, Address(0x1000));
  EXPECT_EQ(stand.sent[0].second.bytes, ShortBytes(128));
  EXPECT_EQ(stand.sent[0].second.source, 3U);
  EXPECT_FALSE(stand.result_at());
  stand.answer(0);
  EXPECT_EQ(stand.result_at(), 201_cycles);
}

TEST(LoadStoreUnit, AHitIsThereAfterTheLatencyOfTheL1) {
  LoadStoreStand stand;
  warm(stand, words_from(0x1000));
  const Cycle start = stand.now;
  stand.push(kLoad, words_from(0x1000), start + 4_cycles);
  stand.run_to(start + 100_cycles);
  EXPECT_EQ(stand.result_at(), start + 4_cycles + 35_cycles);
  EXPECT_THAT(stand.sent, IsEmpty());
  EXPECT_EQ(stand.unit.l1_stats().hits, 1U);
}

TEST(LoadStoreUnit, CoalescesTheWordsOfAWarpIntoSegmentsOf128Bytes) {
  const auto segments = [](const kernel::exec::MemoryAccess& access) {
    LoadStoreStand stand;
    stand.push(kLoad, access);
    stand.run_to(300_cycles);
    EXPECT_THAT(stand.sizes(), Each(128U));
    return stand.addresses();
  };
  EXPECT_THAT(segments(words_from(0x1000)), ElementsAre(0x1000));
  EXPECT_THAT(segments(words_from(0x1004)), ElementsAre(0x1000, 0x1080)) << "not aligned";
  EXPECT_THAT(segments(words_from(0x1000, 8)), ElementsAre(0x1000, 0x1080)) << "every other word";
  EXPECT_THAT(segments(words_from(0x107c, 0)), ElementsAre(0x1000)) << "one word for all";
  EXPECT_THAT(segments(words_from(0x107c, std::uint64_t(0) - 4)), ElementsAre(0x1000)) << "back";
  EXPECT_EQ(segments(words_from(0x10000, 128)).size(), 32U);
}

TEST(LoadStoreUnit, MakesOneAccessACycleAndTakesTheNextInstructionBehindTheLast) {
  LoadStoreStand stand;
  stand.push(kLoad, words_from(0x10000, 512));
  stand.push(kLoad, words_from(0x1000));
  stand.run_to(100_cycles);
  ASSERT_EQ(stand.sent.size(), 33U);
  for (std::size_t i = 0; i < 33; ++i) EXPECT_EQ(stand.sent[i].first, Cycle(35 + i));
  EXPECT_EQ(stand.unit.stats().busy_cycles, 33_cycles);
  EXPECT_EQ(stand.unit.stats().accesses, 33U);
}

TEST(LoadStoreUnit, ALoadIsThereWithTheLastOfItsSegments) {
  LoadStoreStand stand;
  stand.push(kLoad, words_from(0x1000, 8));
  stand.run_to(100_cycles);
  stand.answer(1);
  EXPECT_FALSE(stand.result_at());
  stand.run_to(150_cycles);
  stand.answer(0);
  EXPECT_EQ(stand.result_at(), 151_cycles);
  EXPECT_EQ(stand.unit.stats().load_latency_sum, 151_cycles);
}

TEST(LoadStoreUnit, MergesAMissWithOneOfTheSameLineThatIsOnItsWay) {
  LoadStoreStand stand;
  stand.push(kLoad, words_from(0x1000));
  stand.push(kLoad, words_from(0x1000));
  stand.run_to(100_cycles);
  EXPECT_EQ(stand.sent.size(), 1U);
  EXPECT_EQ(stand.unit.l1_stats().merged, 1U);
  stand.answer(0);
  EXPECT_EQ(stand.results.size(), 2U);
}

TEST(LoadStoreUnit, WaitsForAnAnswerWhenTheL1HasNoMshrLeft) {
  LoadStoreStand stand({"l1.mshrs=2"});
  stand.push(kLoad, words_from(0x10000, 16));  // four lines
  stand.run_to(100_cycles);
  EXPECT_EQ(stand.sent.size(), 2U);
  EXPECT_TRUE(stand.unit.waits_for_memory());
  stand.answer(0);
  EXPECT_FALSE(stand.unit.waits_for_memory());
  EXPECT_EQ(stand.unit.stats().refused_cycles, Cycle(101 - 2));
  stand.run_to(200_cycles);
  EXPECT_EQ(stand.sent.size(), 3U);
  EXPECT_EQ(stand.sent[2].first, Cycle(101 + 35));
}

TEST(LoadStoreUnit, WaitsForAnAnswerWhenTooManyWaitForOneLine) {
  LoadStoreStand stand({"l1.accesses_per_mshr=2"});
  for (int i = 0; i < 3; ++i) stand.push(kLoad, words_from(0x1000));
  stand.run_to(100_cycles);
  EXPECT_TRUE(stand.unit.waits_for_memory());
  stand.answer(0);
  stand.run_to(150_cycles);
  ASSERT_EQ(stand.results.size(), 3U);
  EXPECT_EQ(stand.results[2].at, Cycle(101 + 35)) << "a hit by now";
}

TEST(LoadStoreUnit, TakesAsManyInstructionsAsCollectorsAndStagesHold) {
  LoadStoreStand stand;
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(stand.unit.accepts());
    stand.push(kLoad, words_from(0x1000));
  }
  EXPECT_FALSE(stand.unit.accepts()) << "2 collectors and 3 stages";
  stand.run_to(0_cycles);
  EXPECT_TRUE(stand.unit.accepts());
  stand.unit.reserve();
  EXPECT_FALSE(stand.unit.accepts());
  stand.unit.drop_reservation();
  EXPECT_TRUE(stand.unit.accepts());
}

TEST(LoadStoreUnit, StopsWhenTheNetworkTakesNothing) {
  LoadStoreStand stand({"l1.miss_queue=1", "l1.latency=1"});
  stand.takes_requests = false;
  stand.push(kLoad, words_from(0x10000, 512));
  stand.run_to(100_cycles);
  EXPECT_TRUE(stand.unit.waits_for_memory());
  const std::uint64_t made = stand.unit.stats().accesses;
  EXPECT_LT(made, 10U);
  stand.takes_requests = true;
  stand.run_to(300_cycles);
  EXPECT_EQ(stand.unit.stats().accesses, 32U);
  EXPECT_GT(stand.unit.stats().queue_full_cycles, 80_cycles);
  EXPECT_EQ(stand.sent.size(), 32U);
}

TEST(LoadStoreUnit, AStoreGoesToTheL2AsTheBytesThatItsLanesTouch) {
  const auto sizes = [](std::uint64_t stride) {
    LoadStoreStand stand;
    stand.push(kStore, words_from(0x1000, stride));
    stand.run_to(300_cycles);
    EXPECT_EQ(stand.stores.size(), stand.sent.size());
    EXPECT_THAT(stand.stores, Each(5U));
    return stand.sizes();
  };
  EXPECT_THAT(sizes(4), ElementsAre(128));
  EXPECT_THAT(sizes(0), ElementsAre(32));
  EXPECT_THAT(sizes(1), ElementsAre(64)) << "35 bytes";
  EXPECT_THAT(sizes(6), ElementsAre(128, 64));
}

TEST(LoadStoreUnit, AStoreThrowsItsLineOutOfTheL1) {
  LoadStoreStand stand;
  warm(stand, words_from(0x1000));
  stand.push(kStore, words_from(0x1000, 0), stand.now);
  stand.push(kLoad, words_from(0x1000), stand.now);
  stand.run_to(stand.now + 100_cycles);
  ASSERT_EQ(stand.sent.size(), 2U);
  EXPECT_EQ(stand.sent[0].second.kind, AccessKind::kStore);
  EXPECT_EQ(stand.sent[1].second.kind, AccessKind::kLoad) << "evicted: fetched again";
}

TEST(LoadStoreUnit, AStoreThatMissesBringsNoLineIn) {
  LoadStoreStand stand;
  stand.push(kStore, words_from(0x1000));
  stand.push(kLoad, words_from(0x1000));
  stand.run_to(100_cycles);
  ASSERT_EQ(stand.sent.size(), 2U);
  EXPECT_EQ(stand.sent[1].second.kind, AccessKind::kLoad);
  ASSERT_EQ(stand.results.size(), 1U) << "the store's alone: it waits for nothing";
  EXPECT_EQ(stand.results[0].info, &kStore);
}

TEST(LoadStoreUnit, AStoreLeavesTheLineWhereTheTableSaysThrough) {
  LoadStoreStand stand({"l1.global_write_hit=through"});
  warm(stand, words_from(0x1000));
  stand.push(kStore, words_from(0x1000), stand.now);
  stand.push(kLoad, words_from(0x1000), stand.now);
  stand.run_to(stand.now + 100_cycles);
  EXPECT_EQ(stand.sent.size(), 1U);
}

TEST(LoadStoreUnit, VolatileLoadsGoPastTheL1InPiecesOf32Bytes) {
  IssueInfo info = kLoad;
  info.past_l1 = true;
  LoadStoreStand stand;
  warm(stand, words_from(0x1000));
  stand.push(info, words_from(0x1004, 0), stand.now);
  const Cycle start = stand.now;
  stand.run_to(start + 100_cycles);
  ASSERT_EQ(stand.sent.size(), 1U);
  EXPECT_EQ(stand.sent[0].first, start + 35_cycles);
  EXPECT_EQ(stand.sent[0].second.bytes, ShortBytes(32));
  stand.answer(0);
  EXPECT_EQ(stand.result_at(), start + 101_cycles);
}

TEST(LoadStoreUnit, GlobalLoadsGoPastAnL1ThatDoesNotCacheThem) {
  LoadStoreStand stand({"l1.caches_global=false"});
  stand.push(kLoad, words_from(0x1000, 0));
  stand.push(kLoad, words_from(0x1000, 0));
  stand.run_to(100_cycles);
  EXPECT_THAT(stand.sizes(), ElementsAre(32, 32));
}

TEST(LoadStoreUnit, AnAtomicTellsTheL2HowManyLanesFollowEachOtherAtOneAddress) {
  const auto passes = [](const kernel::exec::MemoryAccess& access) {
    LoadStoreStand stand;
    stand.push(kAtomic, access);
    stand.run_to(200_cycles);
    std::vector<std::uint64_t> all;
    for (const auto& request : stand.sent) {
      EXPECT_EQ(request.second.kind, AccessKind::kAtomic);
      all.push_back(request.second.token >> memory::kPassShift);
    }
    return all;
  };
  EXPECT_THAT(passes(words_from(0x1000)), ElementsAre(1));
  EXPECT_THAT(passes(words_from(0x1000, 0)), ElementsAre(32));
  EXPECT_THAT(passes(lanes_at([](std::uint64_t i) { return 0x1000 + i % 8 * 4; })), ElementsAre(4));
  EXPECT_THAT(passes(lanes_at([](std::uint64_t i) { return 0x1000 + i / 24 * 128; })),
              ElementsAre(24, 8));
}

TEST(LoadStoreUnit, AnAtomicIsAnsweredWithItsOperation) {
  LoadStoreStand stand;
  stand.push(kAtomic, words_from(0x1000, 0));
  stand.run_to(100_cycles);
  stand.answer(0);
  EXPECT_EQ(stand.result_at(), 101_cycles);
}

TEST(LoadStoreUnit, PutsTheSameWordOfAllLanesIntoOneLineOfLocalMemory) {
  LoadStoreStand stand;
  stand.push(kLoad, words_from(kernel::kLocalWindow + 8, 0, Space::kLocal));
  stand.push(kLoad, words_from(kernel::kLocalWindow + 12, 0, Space::kLocal));
  stand.push(kLoad, words_from(kernel::kLocalWindow + 16, 4, Space::kLocal));
  stand.run_to(200_cycles);
  ASSERT_EQ(stand.sent.size(), 2U + 32) << "different words of different lanes: a line each";
  const std::uint64_t warp_bytes = std::uint64_t{65536} * 32;
  const std::uint64_t base = kernel::kLocalWindow + warp_bytes * (48 * 3 + 5);
  EXPECT_EQ(stand.sent[0].second.address, Address(base + 2 * 128));
  EXPECT_EQ(stand.sent[1].second.address, Address(base + 3 * 128));
}

TEST(LoadStoreUnit, WritesLocalMemoryBackWhereItsLineIsThere) {
  LoadStoreStand stand;
  const auto local = words_from(kernel::kLocalWindow, 0, Space::kLocal);
  warm(stand, local);
  stand.push(kStore, local, stand.now);
  stand.push(kLoad, local, stand.now);
  stand.run_to(stand.now + 100_cycles);
  EXPECT_THAT(stand.sent, IsEmpty());
  EXPECT_THAT(stand.stores, IsEmpty());
  EXPECT_EQ(stand.results.size(), 2U);
}

TEST(LoadStoreUnit, MakesTwoLinesOfALocalLoadOfEightBytes) {
  LoadStoreStand stand;
  stand.push(kLoad, lanes_at([](std::uint64_t) { return kernel::kLocalWindow; }, Space::kLocal, 8));
  stand.run_to(200_cycles);
  EXPECT_EQ(stand.sent.size(), 2U);
}

}  // namespace
}  // namespace raddle::machine::simt
