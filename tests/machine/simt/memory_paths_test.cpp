// Paths of the load/store unit other than the L1: shared memory, constants, textures, generic
// addresses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel/address_map.h"
#include "machine/simt/load_store_stand.h"

namespace raddle::machine::simt {
namespace {

using namespace unit_literals;
using kernel::Space;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const IssueInfo kLoad = load_of(MemoryPath::kData);
const IssueInfo kSharedLoad = load_of(MemoryPath::kShared);
const IssueInfo kConstantLoad = load_of(MemoryPath::kConstant);
const IssueInfo kTextureLoad = load_of(MemoryPath::kTexture);

TEST(SharedMemory, WithoutConflictTakesItsLatency) {
  LoadStoreStand stand;
  stand.push(kSharedLoad, words_from(0, 4, Space::kShared), 10_cycles);
  stand.run_to(100_cycles);
  EXPECT_EQ(stand.result_at(), Cycle(10 + 26));
  EXPECT_TRUE(stand.results[0].from_shared);
  EXPECT_THAT(stand.sent, IsEmpty());
}

TEST(SharedMemory, TakesOnePassForEachWordThatOneBankHasToGive) {
  for (const std::uint32_t degree : {1u, 2u, 4u, 8u, 16u, 32u}) {
    LoadStoreStand stand;
    stand.push(kSharedLoad, words_from(0, 4 * degree, Space::kShared));
    stand.push(kSharedLoad, words_from(0, 4, Space::kShared));
    stand.run_to(200_cycles);
    ASSERT_EQ(stand.results.size(), 2U);
    EXPECT_EQ(stand.results[0].at, Cycle(degree - 1 + 26)) << "the last pass";
    EXPECT_EQ(stand.results[1].at, Cycle(degree + 26))
        << "the next instruction comes behind all passes";
    EXPECT_EQ(stand.unit.stats().shared_conflicts, degree - 1);
    EXPECT_EQ(stand.unit.stats().shared_passes, degree + 1);
  }
}

TEST(SharedMemory, CountsWhatThreadsReadAndWrite) {
  LoadStoreStand stand;
  IssueInfo store = kSharedLoad;
  store.is_store = true;
  store.write_count = 0;
  IssueInfo atomic = kSharedLoad;
  atomic.is_atomic = true;
  kernel::exec::MemoryAccess some = words_from(0, 4, Space::kShared);
  some.mask = 0xff;
  stand.push(kSharedLoad, words_from(0, 8, Space::kShared));
  stand.push(kSharedLoad, some);
  stand.push(store, some);
  stand.push(atomic, some);
  const LoadStoreStats& stats = stand.unit.stats();
  EXPECT_EQ(stats.shared_loads, 32U + 8);
  EXPECT_EQ(stats.shared_stores, 8U);
  EXPECT_EQ(stats.shared_atomics, 8U);
  EXPECT_EQ(stats.shared_bytes_read, Bytes(4 * (32 + 8 + 8)));
  EXPECT_EQ(stats.shared_bytes_written, Bytes(4 * (8 + 8)));
}

TEST(SharedMemory, GivesOneWordToAllLanesInOnePass) {
  LoadStoreStand stand;
  stand.push(kSharedLoad, words_from(64, 0, Space::kShared));
  stand.run_to(100_cycles);
  EXPECT_EQ(stand.result_at(), 26_cycles);
  EXPECT_EQ(stand.unit.stats().shared_conflicts, 0U);
}

TEST(SharedMemory, AnAtomicTakesAPassForEachLaneWithTheSameAddress) {
  LoadStoreStand stand;
  const IssueInfo atomic = atomic_of(MemoryPath::kShared);  // the unit keeps a reference to it
  stand.push(atomic, words_from(64, 0, Space::kShared));
  stand.run_to(100_cycles);
  EXPECT_EQ(stand.result_at(), Cycle(31 + 26));
}

TEST(Constants, AreBroadcastInOneAccess) {
  LoadStoreStand stand;
  stand.push(kConstantLoad, words_from(0x40, 0, Space::kConst));
  stand.run_to(100_cycles);
  ASSERT_EQ(stand.sent.size(), 1U);
  EXPECT_EQ(stand.sent[0].first, 1_cycles);
  EXPECT_EQ(stand.sent[0].second.bytes, ShortBytes(64));
  stand.answer(0);
  stand.results.clear();
  stand.push(kConstantLoad, words_from(0x44, 0, Space::kConst), stand.now);
  const Cycle start = stand.now;
  stand.run_to(start + 50_cycles);
  EXPECT_EQ(stand.result_at(), start + 1_cycles) << "a hit";
}

TEST(Constants, ThatDifferFollowEachOther) {
  LoadStoreStand stand;
  stand.push(kConstantLoad, words_from(0, 0, Space::kConst));
  stand.run_to(100_cycles);
  stand.answer(0);
  stand.results.clear();
  stand.push(kConstantLoad, lanes_at([](std::uint64_t i) { return i % 16 * 4; }, Space::kConst),
             stand.now);
  const Cycle start = stand.now;
  stand.run_to(start + 100_cycles);
  EXPECT_EQ(stand.result_at(), start + 15_cycles + 1_cycles)
      << "sixteen words of one line: sixteen accesses";
}

TEST(Constants, ParametersLieInTheirOwnPartOfTheConstantCache) {
  LoadStoreStand stand;
  stand.push(kConstantLoad, words_from(0, 0, Space::kParam));
  stand.push(kConstantLoad, words_from(0, 0, Space::kConst));
  stand.run_to(100_cycles);
  EXPECT_THAT(stand.addresses(), ElementsAre(kernel::kParamWindow, 0));
}

TEST(Textures, GoThroughTheirOwnCache) {
  LoadStoreStand stand;
  stand.push(kTextureLoad, words_from(0x1000));
  stand.run_to(100_cycles);
  ASSERT_EQ(stand.sent.size(), 1U);
  EXPECT_EQ(stand.sent[0].first, 2_cycles) << "without the L1's latency";
  stand.answer(0);
  stand.results.clear();
  stand.sent.clear();
  stand.push(kTextureLoad, words_from(0x1000), stand.now);
  stand.push(kLoad, words_from(0x1000), stand.now);
  stand.run_to(stand.now + 100_cycles);
  EXPECT_EQ(stand.results.size(), 1U) << "a hit of the texture cache";
  EXPECT_EQ(stand.sent.size(), 1U) << "and a miss of the L1";
}

TEST(GenericAddresses, OfSeveralSpacesAreSplit) {
  LoadStoreStand stand;
  stand.push(kLoad, lanes_at(
                        [](std::uint64_t i) {
                          return i < 16 ? kernel::kSharedWindow + i * 64 : 0x10000 + i * 4;
                        },
                        Space::kGeneric));
  stand.run_to(100_cycles);
  ASSERT_EQ(stand.sent.size(), 1U);
  EXPECT_EQ(stand.sent[0].first, Cycle(8 + 35)) << "behind eight passes through two banks";
  stand.answer(0);
  ASSERT_EQ(stand.results.size(), 1U);
  EXPECT_FALSE(stand.results[0].from_shared);
}

TEST(LoadStoreUnit, ForgetsItsL1WhenItIsFlushed) {
  LoadStoreStand stand;
  const auto load_all = [&stand] {
    stand.push(kLoad, words_from(0x1000, 0), stand.now);
    stand.push(kConstantLoad, words_from(0x1000, 0, Space::kConst), stand.now);
    stand.push(kTextureLoad, words_from(0x1000, 0), stand.now);
    stand.run_to(stand.now + 100_cycles);
  };
  load_all();
  for (std::size_t i = 0; i < 3; ++i) stand.answer(i);
  EXPECT_TRUE(stand.unit.idle());
  load_all();
  EXPECT_EQ(stand.sent.size(), 3U) << "all hits";
  stand.unit.flush();
  load_all();
  EXPECT_EQ(stand.sent.size(), 4U) << "the L1 alone is empty";
}

}  // namespace
}  // namespace raddle::machine::simt
