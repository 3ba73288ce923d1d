// What a cache says to single accesses: outcomes, and traffic to the level below.
#include "memory/cache.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/error.h"

namespace raddle::memory {
namespace {

using Accesses = std::vector<Access>;

// Four lines of 128 bytes in two sets.
CacheParameters small() {
  CacheParameters p;
  p.bytes = Bytes(512);
  p.line_bytes = ShortBytes(128);
  p.ways = 2;
  p.hit_latency = Cycle(7);
  p.mshrs = 2;
  p.accesses_per_mshr = 2;
  return p;
}

CacheParameters small_with(WritePolicy write) {
  CacheParameters p = small();
  p.write = write;
  if (write.hit != WriteHit::kWriteBack) p.atomics = AtomicPlace::kBelow;
  return p;
}

Access fetch_of(std::uint64_t line) {
  return {Address(line), ShortBytes(128), AccessKind::kLoad, 3, line};
}
Access write_back_of(std::uint64_t line, std::uint32_t bytes = 128) {
  return {Address(line), ShortBytes(bytes), AccessKind::kWriteBack, 0, line};
}

// Issues accesses of source 3, whose tokens count from 1, and keeps what the last one led to.
class Probe {
 public:
  explicit Probe(const CacheParameters& parameters = small()) : cache(parameters) {}

  Verdict issue(AccessKind kind, std::uint64_t address, std::uint32_t bytes = 4) {
    last = {Address(address), ShortBytes(bytes), kind, 3, ++token_};
    const Outcome outcome = cache.access(last, Cycle(100));
    ready = outcome.ready.count();
    refusal = outcome.refusal;
    down.assign(outcome.down.begin(), outcome.down.end());
    return outcome.verdict;
  }
  Verdict load(std::uint64_t address, std::uint32_t bytes = 4) {
    return issue(AccessKind::kLoad, address, bytes);
  }
  Verdict store(std::uint64_t address, std::uint32_t bytes = 4) {
    return issue(AccessKind::kStore, address, bytes);
  }
  Verdict atomic(std::uint64_t address) { return issue(AccessKind::kAtomic, address); }
  // Returns the tokens of those that waited.
  std::vector<std::uint64_t> fill(std::uint64_t line) {
    const Fill fill = cache.fill(Address(line));
    down.assign(fill.down.begin(), fill.down.end());
    std::vector<std::uint64_t> tokens;
    for (const Access& access : fill.waiting) tokens.push_back(access.token);
    return tokens;
  }
  void bring(std::uint64_t line) {
    ASSERT_EQ(load(line), Verdict::kMiss);
    fill(line);
  }
  void bring_dirty(std::uint64_t line) {
    bring(line);
    ASSERT_EQ(store(line), Verdict::kHit);
  }

  Cache cache;
  Access last;
  std::uint64_t ready = 0;
  Refusal refusal = Refusal::kNone;
  Accesses down;

 private:
  std::uint64_t token_ = 0;
};

using Tokens = std::vector<std::uint64_t>;

TEST(Cache, MissesThenHitsAfterTheFill) {
  Probe probe;
  EXPECT_EQ(probe.load(0x104), Verdict::kMiss);
  EXPECT_EQ(probe.down, Accesses{fetch_of(0x100)});
  EXPECT_EQ(probe.fill(0x100), Tokens{1});
  EXPECT_EQ(probe.load(0x17c), Verdict::kHit);
  EXPECT_EQ(probe.ready, 107U) << "the hit latency later";
  EXPECT_EQ(probe.down, Accesses{});
}

TEST(Cache, LoadsWhatHitsAndLeavesTheRestAlone) {
  Probe probe;
  EXPECT_FALSE(probe.cache.load_if_hit(Address(0x80), ShortBytes(4))) << "not there";
  EXPECT_EQ(probe.cache.mshrs().size(), 0U);
  probe.load(0x80);
  EXPECT_FALSE(probe.cache.load_if_hit(Address(0x80), ShortBytes(4))) << "on its way";
  probe.fill(0x80);
  const CacheStats before = probe.cache.stats();
  EXPECT_TRUE(probe.cache.load_if_hit(Address(0x84), ShortBytes(8)));
  const CacheStats& after = probe.cache.stats();
  EXPECT_EQ(after.hits, before.hits + 1);
  EXPECT_EQ(after.loads, before.loads + 1);
  EXPECT_EQ(after.bytes_read, before.bytes_read + 8);
  EXPECT_EQ(after.misses, before.misses);
}

TEST(Cache, CountsALoadThatHitsAsAUse) {
  Probe probe;  // two ways
  for (const std::uint64_t line : {0x000, 0x100}) {
    probe.load(line);
    probe.fill(line);
  }
  EXPECT_TRUE(probe.cache.load_if_hit(Address(0x000), ShortBytes(4)));
  probe.load(0x200);
  EXPECT_EQ(probe.cache.state(Address(0x000)), LineState::kValid);
  EXPECT_EQ(probe.cache.state(Address(0x100)), LineState::kInvalid);
}

TEST(Cache, MergesAccessesToALineOnItsWay) {
  Probe probe;
  probe.load(0x100);
  EXPECT_EQ(probe.load(0x108), Verdict::kMerged);
  EXPECT_EQ(probe.down, Accesses{}) << "one request is enough";
  EXPECT_EQ(probe.fill(0x100), (Tokens{1, 2}));
}

TEST(Cache, RefusesWhenTooManyWaitForTheLine) {
  Probe probe;
  probe.load(0x100);
  probe.load(0x100);
  EXPECT_EQ(probe.load(0x100), Verdict::kRefused);
  EXPECT_EQ(probe.refusal, Refusal::kMergeListFull);
  EXPECT_EQ(probe.cache.stats().refused_merge_list_full, 1U);
  EXPECT_EQ(probe.fill(0x100), (Tokens{1, 2})) << "the refused one does not wait";
}

TEST(Cache, RefusesWhenAllMshrsAreInUse) {
  Probe probe;
  probe.load(0x000);
  probe.load(0x080);
  EXPECT_EQ(probe.load(0x100), Verdict::kRefused);
  EXPECT_EQ(probe.refusal, Refusal::kNoMshr);
  EXPECT_EQ(probe.down, Accesses{});
  EXPECT_EQ(probe.cache.state(Address(0x100)), LineState::kInvalid) << "nothing was reserved";
  probe.fill(0x080);
  EXPECT_EQ(probe.load(0x100), Verdict::kMiss);
}

TEST(Cache, RefusesWhenEveryLineOfTheSetIsOnItsWay) {
  CacheParameters p = small();
  p.mshrs = 8;
  Probe probe(p);
  probe.load(0x000);
  probe.load(0x100);
  EXPECT_EQ(probe.load(0x200), Verdict::kRefused);
  EXPECT_EQ(probe.refusal, Refusal::kSetReserved);
  EXPECT_EQ(probe.cache.mshrs().size(), 2U) << "no MSHR was taken";
  EXPECT_EQ(probe.load(0x080), Verdict::kMiss) << "the other set has room";
}

TEST(Cache, AllocatesOnFillWithoutReservingAnything) {
  CacheParameters p = small();
  p.mshrs = 8;
  p.allocation = Allocation::kOnFill;
  Probe probe(p);
  probe.bring_dirty(0x000);
  for (const std::uint64_t line : {0x100, 0x200, 0x300})
    EXPECT_EQ(probe.load(line), Verdict::kMiss) << line;
  EXPECT_EQ(probe.load(0x000), Verdict::kHit) << "still there while others are on their way";
  probe.fill(0x100);
  EXPECT_EQ(probe.down, Accesses{});
  probe.load(0x100);
  probe.fill(0x200);
  EXPECT_EQ(probe.down, Accesses{write_back_of(0x000)}) << "the victim goes when the line comes";
}

TEST(Cache, WritesBackADirtyVictimBeforeItAsksForTheLine) {
  Probe probe;
  probe.bring_dirty(0x000);
  probe.bring(0x100);
  EXPECT_EQ(probe.load(0x200), Verdict::kMiss);
  EXPECT_EQ(probe.down, (Accesses{write_back_of(0x000), fetch_of(0x200)}));
  probe.fill(0x200);
  EXPECT_EQ(probe.load(0x300), Verdict::kMiss);
  EXPECT_EQ(probe.down, Accesses{fetch_of(0x300)}) << "a clean victim just goes";
  EXPECT_EQ(probe.cache.stats().evictions, 2U);
  EXPECT_EQ(probe.cache.stats().write_backs, 1U);
}

TEST(Cache, FetchOnWriteWaitsForTheLineAndLeavesItDirty) {
  Probe probe;
  EXPECT_EQ(probe.store(0x100), Verdict::kMiss);
  EXPECT_EQ(probe.down, Accesses{fetch_of(0x100)});
  EXPECT_EQ(probe.fill(0x100), Tokens{1});
  EXPECT_EQ(probe.cache.state(Address(0x100)), LineState::kDirty);
}

TEST(Cache, AStoreMergedIntoALoadsMissLeavesTheLineDirty) {
  Probe probe;
  probe.load(0x100);
  EXPECT_EQ(probe.store(0x104), Verdict::kMerged);
  probe.fill(0x100);
  EXPECT_EQ(probe.cache.state(Address(0x100)), LineState::kDirty);
}

TEST(Cache, AStoreOfAWholeLineFetchesNothing) {
  Probe probe;
  EXPECT_EQ(probe.store(0x100, 128), Verdict::kValidated);
  EXPECT_EQ(probe.ready, 107U);
  EXPECT_EQ(probe.down, Accesses{});
  EXPECT_EQ(probe.cache.state(Address(0x100)), LineState::kDirty);
}

TEST(Cache, NoAllocatePassesStoresThatMissOnUnchanged) {
  Probe probe(small_with({WriteHit::kWriteBack, WriteMiss::kNoAllocate}));
  EXPECT_EQ(probe.store(0x100), Verdict::kForwarded);
  EXPECT_EQ(probe.down, Accesses{probe.last});
  EXPECT_EQ(probe.cache.state(Address(0x100)), LineState::kInvalid);
  probe.bring(0x100);
  EXPECT_EQ(probe.store(0x100), Verdict::kHit);
  EXPECT_EQ(probe.cache.state(Address(0x100)), LineState::kDirty);
}

TEST(Cache, WriteThroughKeepsTheLineCleanAndSendsTheStoreDown) {
  Probe probe(small_with({WriteHit::kWriteThrough, WriteMiss::kNoAllocate}));
  probe.bring(0x100);
  EXPECT_EQ(probe.store(0x100), Verdict::kForwarded);
  EXPECT_EQ(probe.down, Accesses{probe.last});
  EXPECT_EQ(probe.cache.state(Address(0x100)), LineState::kValid);
  EXPECT_EQ(probe.cache.stats().hits, 1U);
  EXPECT_EQ(probe.store(0x180), Verdict::kForwarded);
  EXPECT_EQ(probe.cache.stats().misses, 2U) << "the load and this store";
}

TEST(Cache, WriteThroughWithFetchAsksForTheLineAndDoesNotWaitForIt) {
  Probe probe(small_with({WriteHit::kWriteThrough, WriteMiss::kFetchOnWrite}));
  EXPECT_EQ(probe.store(0x100), Verdict::kForwarded);
  EXPECT_EQ(probe.down, (Accesses{fetch_of(0x100), probe.last}));
  EXPECT_EQ(probe.fill(0x100), Tokens{});
  EXPECT_EQ(probe.cache.state(Address(0x100)), LineState::kValid);
}

TEST(Cache, WriteEvictThrowsTheLineOutAsTheFermiL1Does) {
  Probe probe(small_with({WriteHit::kWriteEvict, WriteMiss::kNoAllocate}));
  probe.bring(0x100);
  EXPECT_EQ(probe.store(0x100), Verdict::kForwarded);
  EXPECT_EQ(probe.down, Accesses{probe.last});
  EXPECT_EQ(probe.cache.state(Address(0x100)), LineState::kInvalid);
  EXPECT_EQ(probe.load(0x100), Verdict::kMiss);
}

TEST(Cache, TakesAWritePolicyOfASingleAccess) {
  // Fermi's L1: local memory is written back, global memory evicts.
  Probe probe(small_with({WriteHit::kWriteEvict, WriteMiss::kNoAllocate}));
  const WritePolicy local{WriteHit::kWriteBack, WriteMiss::kFetchOnWrite};
  const Access store{Address(0x100), ShortBytes(128), AccessKind::kStore, 0, 1};
  EXPECT_EQ(probe.cache.access(store, Cycle(0), local).verdict, Verdict::kValidated);
  EXPECT_EQ(probe.cache.state(Address(0x100)), LineState::kDirty);
  EXPECT_EQ(probe.store(0x104), Verdict::kForwarded);
  EXPECT_EQ(probe.down, (Accesses{write_back_of(0x100), probe.last}));
}

TEST(Cache, ValidateOnWriteServesReadsOfWhatWasWritten) {
  Probe probe(small_with({WriteHit::kWriteBack, WriteMiss::kValidateOnWrite}));
  EXPECT_EQ(probe.store(0x110, 16), Verdict::kValidated);
  EXPECT_EQ(probe.down, Accesses{});
  EXPECT_EQ(probe.load(0x11c), Verdict::kHit);
  EXPECT_EQ(probe.store(0x120, 8), Verdict::kHit);
  EXPECT_EQ(probe.load(0x110, 24), Verdict::kHit) << "of both stores";
}

TEST(Cache, ValidateOnWriteFetchesWhenAReadWantsMore) {
  Probe probe(small_with({WriteHit::kWriteBack, WriteMiss::kValidateOnWrite}));
  probe.store(0x110, 16);
  EXPECT_EQ(probe.load(0x11e, 4), Verdict::kMiss) << "two bytes of it were not written";
  EXPECT_EQ(probe.down, Accesses{fetch_of(0x100)}) << "no other line is thrown out";
  EXPECT_EQ(probe.store(0x100), Verdict::kMerged);
  probe.fill(0x100);
  EXPECT_EQ(probe.cache.state(Address(0x100)), LineState::kDirty);
  EXPECT_EQ(probe.load(0x100, 128), Verdict::kHit);
}

TEST(Cache, ValidateOnWriteWritesBackOnlyWhatWasWritten) {
  Probe probe(small_with({WriteHit::kWriteBack, WriteMiss::kValidateOnWrite}));
  probe.store(0x110, 16);
  probe.store(0x140, 4);
  probe.store(0x200, 128);
  EXPECT_EQ(probe.store(0x300), Verdict::kValidated);
  EXPECT_EQ(probe.down, Accesses{write_back_of(0x100, 20)});
}

TEST(Cache, ValidateOnWriteFetchesForAPieceTooSmallToRemember) {
  // Lines of 128 bytes are remembered in pairs of bytes.
  Probe probe(small_with({WriteHit::kWriteBack, WriteMiss::kValidateOnWrite}));
  EXPECT_EQ(probe.store(0x101, 1), Verdict::kMiss);
  probe.fill(0x100);
  EXPECT_EQ(probe.store(0x103, 1), Verdict::kHit) << "all of the line is there";
  EXPECT_EQ(probe.store(0x200, 2), Verdict::kValidated);
  EXPECT_EQ(probe.store(0x205, 1), Verdict::kMiss);
  EXPECT_EQ(probe.fill(0x200), Tokens{4});
  EXPECT_EQ(probe.cache.state(Address(0x200)), LineState::kDirty);
}

TEST(Cache, AtomicsHereReadAndDirtyTheLine) {
  Probe probe;
  EXPECT_EQ(probe.atomic(0x100), Verdict::kMiss);
  EXPECT_EQ(probe.fill(0x100), Tokens{1});
  EXPECT_EQ(probe.cache.state(Address(0x100)), LineState::kDirty);
  probe.bring(0x080);
  EXPECT_EQ(probe.atomic(0x080), Verdict::kHit);
  EXPECT_EQ(probe.cache.state(Address(0x080)), LineState::kDirty);
}

TEST(Cache, AtomicsBelowThrowTheLineOutAndGoDown) {
  CacheParameters p = small();
  p.atomics = AtomicPlace::kBelow;
  Probe probe(p);
  probe.bring_dirty(0x100);
  EXPECT_EQ(probe.atomic(0x104), Verdict::kForwarded);
  EXPECT_EQ(probe.down, (Accesses{write_back_of(0x100), probe.last}));
  EXPECT_EQ(probe.cache.state(Address(0x100)), LineState::kInvalid);
  EXPECT_EQ(probe.atomic(0x104), Verdict::kForwarded);
  EXPECT_EQ(probe.down, Accesses{probe.last});
}

TEST(Cache, TakesAWholeLineWrittenBackFromAboveWithoutAFetch) {
  Probe probe;
  EXPECT_EQ(probe.issue(AccessKind::kWriteBack, 0x100, 128), Verdict::kValidated);
  EXPECT_EQ(probe.down, Accesses{});
  EXPECT_EQ(probe.cache.state(Address(0x100)), LineState::kDirty);
}

TEST(Cache, AWriteBackFromAboveTakesNoPlaceAmongThoseWhoWait) {
  Probe probe;
  EXPECT_EQ(probe.issue(AccessKind::kWriteBack, 0x100, 64), Verdict::kMiss);
  EXPECT_EQ(probe.issue(AccessKind::kWriteBack, 0x140, 32), Verdict::kMerged);
  EXPECT_EQ(probe.fill(0x100), Tokens{}) << "nobody wants an answer";
  EXPECT_EQ(probe.cache.state(Address(0x100)), LineState::kDirty);
}

TEST(Cache, KeepsTheLineUsedLastUnderLruAndTheOnePlacedLastUnderFifo) {
  for (const auto policy : {Replacement::kLru, Replacement::kFifo}) {
    CacheParameters p = small();
    p.replacement = policy;
    Probe probe(p);
    probe.bring(0x000);
    probe.bring(0x100);
    probe.load(0x000);
    probe.bring(0x200);
    const std::uint64_t kept = policy == Replacement::kLru ? 0x000 : 0x100;
    const std::uint64_t gone = policy == Replacement::kLru ? 0x100 : 0x000;
    EXPECT_EQ(probe.cache.state(Address(kept)), LineState::kValid);
    EXPECT_EQ(probe.cache.state(Address(gone)), LineState::kInvalid);
  }
}

TEST(Cache, FlushReturnsDirtyLinesAndLetsLinesOnTheirWayCome) {
  Probe probe;
  probe.bring_dirty(0x000);
  probe.bring(0x080);
  probe.load(0x100);
  EXPECT_EQ(probe.cache.flush(), Accesses{write_back_of(0x000)});
  EXPECT_EQ(probe.load(0x080), Verdict::kMiss);
  EXPECT_EQ(probe.fill(0x100), Tokens{4});
  EXPECT_EQ(probe.cache.state(Address(0x100)), LineState::kValid);
}

TEST(Cache, CountsWhatHappened) {
  Probe probe;
  probe.load(0x100, 8);  // miss
  probe.load(0x108);     // merged
  probe.load(0x100);     // refused
  probe.fill(0x100);
  probe.store(0x100, 16);                           // hit
  probe.atomic(0x104);                              // hit
  probe.issue(AccessKind::kWriteBack, 0x080, 128);  // validated
  probe.bring(0x200);                               // miss
  probe.bring(0x300);                               // miss, throws out 0x100
  const CacheStats& s = probe.cache.stats();
  EXPECT_EQ(s.loads, 4U);
  EXPECT_EQ(s.stores, 1U);
  EXPECT_EQ(s.atomics, 1U);
  EXPECT_EQ(s.write_backs_taken, 1U);
  EXPECT_EQ(s.hits, 2U);
  EXPECT_EQ(s.misses, 4U);
  EXPECT_EQ(s.merged, 1U);
  EXPECT_EQ(s.forwarded, 0U);
  EXPECT_EQ(s.refused_merge_list_full, 1U);
  EXPECT_EQ(s.fetches, 3U);
  EXPECT_EQ(s.fills, 3U);
  EXPECT_EQ(s.evictions, 1U);
  EXPECT_EQ(s.write_backs, 1U);
  EXPECT_EQ(s.bytes_read, 8U + 4 + 4 + 4 + 4);
  EXPECT_EQ(s.bytes_written, 16U + 4 + 128);
  EXPECT_EQ(s.bytes_fetched, 3U * 128);
  EXPECT_EQ(s.bytes_sent_down, 128U);
}

TEST(Cache, FindsItOurFaultWhenAnAccessLeavesItsLineOrAFillWasNotAskedFor) {
  Probe probe;
  EXPECT_THROW(probe.load(0x17e, 4), InternalError);
  EXPECT_THROW(probe.load(0x100, 0), InternalError);
  EXPECT_THROW(probe.fill(0x100), InternalError);
}

TEST(CachePreload, HasTheLineThereAndCountsNothing) {
  Cache cache(CacheParameters{});
  cache.preload(Address(0x1010));
  EXPECT_EQ(cache.stats().loads + cache.stats().misses + cache.stats().hits, 0U);
  EXPECT_EQ(
      cache.access({Address(0x1000), ShortBytes(4), AccessKind::kLoad, 0, 1}, Cycle(0)).verdict,
      Verdict::kHit);
  EXPECT_TRUE(cache.flush().empty()) << "clean";
}

TEST(CachePreload, ThrowsTheLeastRecentlyUsedLineOut) {
  CacheParameters p;
  p.bytes = Bytes(2 * 128);
  p.ways = 2;
  Cache cache(p);
  for (const std::uint64_t line : {0x0, 0x80, 0x100}) cache.preload(Address(line));
  EXPECT_EQ(cache.state(Address(0)), LineState::kInvalid);
  EXPECT_NE(cache.state(Address(0x80)), LineState::kInvalid);
  cache.preload(Address(0x80));
  cache.preload(Address(0x180));
  EXPECT_NE(cache.state(Address(0x80)), LineState::kInvalid) << "used again";
}

TEST(CachePreload, LeavesALineOnItsWayAlone) {
  CacheParameters p;
  p.bytes = Bytes(128);
  p.ways = 1;
  Cache cache(p);
  ASSERT_EQ(cache.access({Address(0), ShortBytes(4), AccessKind::kLoad, 0, 1}, Cycle(0)).verdict,
            Verdict::kMiss);
  cache.preload(Address(0));
  cache.preload(Address(0x80));
  EXPECT_EQ(cache.fill(Address(0)).waiting.size(), 1U);
}

TEST(CacheSetIndex, OfFermiSpreadsLinesOfAnyPowerOfTwoOverTheSets) {
  CacheParameters p;
  p.index = SetIndex::kFermi;
  // As many lines as the cache holds, side by side: every one finds its place.
  Cache cache(p);
  for (std::uint64_t line = 0; line < 128; ++line) cache.preload(Address(line * 128));
  for (std::uint64_t line = 0; line < 128; ++line)
    EXPECT_NE(cache.state(Address(line * 128)), LineState::kInvalid) << line;
  // With modulo, lines of 4 KB share a set of four; with Fermi's, more of them stay.
  Cache apart(p);
  for (std::uint64_t line = 0; line < 16; ++line) apart.preload(Address(line * 4096));
  int kept = 0;
  for (std::uint64_t line = 0; line < 16; ++line)
    kept += apart.state(Address(line * 4096)) != LineState::kInvalid ? 1 : 0;
  EXPECT_GT(kept, 4);
}

}  // namespace
}  // namespace raddle::memory
