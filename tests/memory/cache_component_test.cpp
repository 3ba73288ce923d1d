// The cache component, cycle by cycle, with an asker and a memory that are always ready. See
// cache_stand.h for the cycles that channels take.
#include "memory/cache_component.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "memory/cache_stand.h"

namespace raddle::memory {
namespace {

TEST(CacheComponent, AnswersAHitAfterItsLatency) {
  CacheStand stand(small_cache());
  stand.warm(0x100);
  const std::uint64_t hit = stand.load(0, 0x110);
  stand.run();
  EXPECT_EQ(stand.answered(hit), 1U + 5 + 1);
  EXPECT_TRUE(stand.memory.seen.empty());
  EXPECT_TRUE(stand.cache.idle());
}

TEST(CacheComponent, SendsAMissDownAtOnceAndItsAnswerUpWhenTheLineComes) {
  CacheStand stand(small_cache());
  const std::uint64_t miss = stand.load(0, 0x110);
  stand.run();
  ASSERT_EQ(stand.memory.seen.size(), 1U);
  EXPECT_EQ(stand.memory.seen[0].first, 2U);
  EXPECT_EQ(stand.memory.seen[0].second, (Access{0x100, 128, AccessKind::kLoad, 9, 0x100}));
  EXPECT_EQ(stand.answered(miss), 2U + 10 + 1 + 1);
  EXPECT_EQ(stand.asker.got.find(miss)->second.second,
            (Access{0x110, 4, AccessKind::kLoad, 7, miss}))
      << "the answer is the access itself";
}

TEST(CacheComponent, TakesOneHitACycle) {
  CacheStand stand(small_cache());
  stand.warm(0x100);
  std::vector<std::uint64_t> hits;
  for (int i = 0; i < 20; ++i) hits.push_back(stand.load(0, 0x100));
  stand.run();
  for (std::size_t i = 0; i < hits.size(); ++i) EXPECT_EQ(stand.answered(hits[i]), 7 + i);
}

TEST(CacheComponent, SendsOneMissACycle) {
  CacheComponentParameters p = small_cache();
  p.cache.mshrs = 32;
  CacheStand stand(p);
  std::vector<std::uint64_t> misses;
  for (std::uint64_t i = 0; i < 8; ++i) misses.push_back(stand.load(0, 128 * i));
  stand.run();
  for (std::size_t i = 0; i < misses.size(); ++i) EXPECT_EQ(stand.answered(misses[i]), 14 + i);
}

TEST(CacheComponent, LetsHitsPassMissesThatWait) {
  CacheStand stand(small_cache());
  stand.warm(0x100);
  const std::uint64_t miss = stand.load(0, 0x800);
  const std::uint64_t hit = stand.load(0, 0x100);
  stand.run();
  EXPECT_EQ(stand.answered({miss, hit}), (Cycles{14, 8}));
}

TEST(CacheComponent, AnswersOneOfThoseWhoWaitedACycle) {
  CacheStand stand(small_cache());
  std::vector<std::uint64_t> tokens;
  for (int i = 0; i < 4; ++i) tokens.push_back(stand.load(0, 0x100));
  stand.run();
  EXPECT_EQ(stand.answered(tokens), (Cycles{14, 15, 16, 17}));
  EXPECT_EQ(stand.memory.seen.size(), 1U);
}

TEST(CacheComponent, AnswersFillsBeforeHits) {
  CacheComponentParameters p = small_cache();
  p.cache.hit_latency = Cycle(6);
  CacheStand stand(p);
  stand.warm(0x100);
  const std::uint64_t miss = stand.load(0, 0x800);
  // Taken in 7: its answer wants to leave in 13, as that of the miss.
  const std::uint64_t hit = stand.load(6, 0x100);
  stand.run();
  EXPECT_EQ(stand.answered({miss, hit}), (Cycles{14, 15}));
}

TEST(CacheComponent, HoldsAllBehindARefusedAccessUntilALineComes) {
  CacheComponentParameters p = small_cache();
  p.cache.mshrs = 1;
  CacheStand stand(p);
  stand.warm(0x100);
  const std::uint64_t first = stand.load(0, 0x800);   // taken in 1, its line in 13
  const std::uint64_t second = stand.load(0, 0x880);  // refused in 2, taken in 13
  const std::uint64_t hit = stand.load(0, 0x100);     // taken in 14
  stand.run();
  EXPECT_EQ(stand.answered({first, second, hit}), (Cycles{14, 26, 20}));
  EXPECT_EQ(stand.cache.stats().stalled_no_mshr, 11U) << "cycles 2 to 12";
  EXPECT_EQ(stand.cache.cache().stats().refused_no_mshr, 1U) << "asked once";
}

TEST(CacheComponent, AsksARefusedAccessAgainOnlyAfterALineHasCome) {
  CacheComponentParameters p = small_cache();
  p.cache.mshrs = 1;
  CacheStand stand(p);
  stand.warm(0x100);
  for (int i = 0; i < 6; ++i) stand.load(0, 0x100);
  stand.load(0, 0x800);
  stand.load(0, 0x880);  // refused in 8, while answers of the hits leave until 11
  stand.run();
  EXPECT_EQ(stand.cache.cache().stats().refused_no_mshr, 1U);
  EXPECT_EQ(stand.cache.stats().stalled_no_mshr, 11U) << "cycles 8 to 18";
}

TEST(CacheComponent, NamesTheReasonOfEveryStall) {
  CacheComponentParameters p = small_cache();
  p.cache.accesses_per_mshr = 2;
  {
    CacheStand stand(p);
    for (int i = 0; i < 3; ++i) stand.load(0, 0x100);
    stand.run();
    EXPECT_EQ(stand.cache.stats().stalled_merge_list_full, 10U) << "cycles 3 to 12";
  }
  p.cache.ways = 1;
  p.cache.bytes = Bytes(256);
  {
    CacheStand stand(p);
    stand.load(0, 0x000);
    stand.load(0, 0x100);
    stand.run();
    EXPECT_EQ(stand.cache.stats().stalled_set_reserved, 11U) << "cycles 2 to 12";
    EXPECT_EQ(stand.cache.stats().taken, 2U);
    EXPECT_EQ(stand.cache.stats().answered, 2U);
  }
}

TEST(CacheComponent, TakesOneAccessABankAndCycle) {
  CacheComponentParameters p = small_cache();
  p.banks = 4;
  CacheStand stand(p);
  std::vector<std::uint64_t> hits;
  for (const std::uint64_t line : {0x000, 0x080, 0x100, 0x180, 0x200}) {
    stand.warm(line);
    hits.push_back(stand.load(0, line));
  }
  hits.push_back(stand.load(0, 0x280));
  stand.warm(0x280);
  stand.run();
  EXPECT_EQ(stand.answered(hits), (Cycles{7, 7, 7, 7, 8, 8}));
  EXPECT_EQ(stand.cache.stats().stalled_bank_busy, 0U) << "four a cycle are all it has";
}

TEST(CacheComponent, HoldsAnAccessWhoseBankIsBusy) {
  CacheComponentParameters p = small_cache();
  p.banks = 4;
  CacheStand stand(p);
  for (const std::uint64_t line : {0x000, 0x200, 0x080}) stand.warm(line);
  const std::uint64_t a = stand.load(0, 0x000);
  const std::uint64_t b = stand.load(0, 0x200);  // of the same bank
  const std::uint64_t c = stand.load(0, 0x080);  // behind it
  stand.run();
  EXPECT_EQ(stand.answered({a, b, c}), (Cycles{7, 8, 8}));
  EXPECT_EQ(stand.cache.stats().stalled_bank_busy, 1U);
}

TEST(CacheComponent, LetsBanksOfWordsServeOneLineTogether) {
  CacheComponentParameters p = small_cache();
  p.banks = 32;
  p.bank_bytes = 4;
  CacheStand stand(p);
  stand.warm(0x100);
  const std::uint64_t a = stand.load(0, 0x100);
  const std::uint64_t b = stand.load(0, 0x104, 8);    // banks 1 and 2
  const std::uint64_t c = stand.load(0, 0x17c);       // bank 31
  const std::uint64_t d = stand.load(0, 0x108, 16);   // banks 2 to 5
  const std::uint64_t e = stand.load(0, 0x100, 128);  // all
  const std::uint64_t f = stand.load(0, 0x100);
  stand.run();
  EXPECT_EQ(stand.answered({a, b, c, d, e, f}), (Cycles{7, 7, 7, 8, 9, 10}));
}

TEST(CacheComponent, WrapsBanksAround) {
  CacheComponentParameters p = small_cache();
  p.banks = 6;
  p.bank_bytes = 4;
  CacheStand stand(p);
  stand.warm(0x100);
  const std::uint64_t a = stand.load(0, 0x104, 12);  // words 65 to 67: banks 5, 0, 1
  const std::uint64_t b = stand.load(0, 0x114);      // word 69: bank 3
  const std::uint64_t c = stand.load(0, 0x120);      // word 72: bank 0
  stand.run();
  EXPECT_EQ(stand.answered({a, b, c}), (Cycles{7, 7, 8}));
}

TEST(CacheComponent, GivesForwardedStoresTheAnswerFromBelowUnderTheirOwnName) {
  CacheStand stand(write_through_cache());
  stand.warm(0x100);
  const std::uint64_t hit = stand.store(0, 0x100);
  const std::uint64_t miss = stand.store(0, 0x800, 64);
  const std::uint64_t atomic = stand.ask(0, AccessKind::kAtomic, 0x900);
  stand.run();
  EXPECT_EQ(stand.answered({hit, miss, atomic}), (Cycles{14, 15, 16}));
  ASSERT_EQ(stand.memory.seen.size(), 3U);
  EXPECT_EQ(stand.memory.seen[1].second.source, 9U) << "the cache's own port";
  EXPECT_EQ(stand.memory.seen[1].second.bytes, 64U);
  EXPECT_EQ(stand.asker.got.find(miss)->second.second,
            (Access{0x800, 64, AccessKind::kStore, 7, miss}));
  EXPECT_TRUE(stand.cache.idle());
}

TEST(CacheComponent, AnswersStoresItselfOverAMemoryThatDoesNot) {
  CacheComponentParameters p = write_through_cache();
  p.store_answer = StoreAnswer::kHere;
  p.forwards = 1;
  for (const bool answers_all_the_same : {false, true}) {
    CacheStand stand(p);
    stand.memory.answers_stores = answers_all_the_same;
    const std::uint64_t a = stand.store(0, 0x100);
    const std::uint64_t b = stand.store(0, 0x180);
    const std::uint64_t atomic = stand.ask(0, AccessKind::kAtomic, 0x900);
    stand.run();
    EXPECT_EQ(stand.answered({a, b, atomic}), (Cycles{7, 8, 16}));
    EXPECT_EQ(stand.memory.seen.size(), 3U);
    EXPECT_TRUE(stand.cache.idle());
  }
}

TEST(CacheComponent, SendsAVictimDownBeforeTheRequestAndAnswersNoWriteBack) {
  CacheComponentParameters p = small_cache();
  p.cache.bytes = Bytes(256);
  p.cache.ways = 1;
  CacheStand stand(p);
  stand.warm(0x000, true);
  const std::uint64_t miss = stand.load(0, 0x100);
  stand.ask(0, AccessKind::kWriteBack, 0x080, 128);
  stand.run();
  ASSERT_EQ(stand.memory.seen.size(), 2U);
  EXPECT_EQ(stand.memory.seen[0],
            (std::pair<std::uint64_t, Access>{2, {0x000, 128, AccessKind::kWriteBack, 9, 0x000}}));
  EXPECT_EQ(stand.memory.seen[1].first, 3U) << "one request a cycle";
  EXPECT_EQ(stand.answered(miss), 15U);
  EXPECT_EQ(stand.asker.got.size(), 1U);
  EXPECT_EQ(stand.cache.cache().state(0x080), LineState::kDirty);
}

TEST(CacheComponent, RunsInCyclesOfItsOwnClock) {
  AccessChannel down(8), up(8), request(8), fill(8);
  Asker asker(down, up);
  CacheComponent cache("cache", small_cache(), {down, up, request, fill});
  PlainMemory memory(request, fill);
  const sim::Clock fast("core", Hertz(1e9));
  const sim::Clock half("L2", Hertz(0.5e9));
  sim::Engine engine;
  sim::ClockDomain& core = engine.add_clock(fast);
  sim::ClockDomain& l2 = engine.add_clock(half);
  engine.add(asker, core);
  engine.add(cache, l2);
  engine.add(memory, core);
  down.connect(asker, cache);
  up.connect(cache, asker);
  request.connect(cache, memory);
  fill.connect(memory, cache);
  cache.cache().access({0x100, 4, AccessKind::kLoad, 0, 0}, Cycle(0));
  cache.cache().fill(0x100);
  asker.ask(0, {0x100, 4, AccessKind::kLoad, 0, 1});
  asker.wake(Cycle(0));
  engine.run_until(sim::kEndOfTime);
  // There at 1 ns, taken at 2 ns, five cycles of 2 ns to 12 ns, one such cycle up.
  EXPECT_EQ(asker.got.find(1)->second.first, 14U);
}

TEST(CacheComponent, RefusesParametersWithAReason) {
  const auto complaint = [](CacheComponentParameters p) -> std::string {
    try {
      p.check();
    } catch (const Error& error) {
      return error.full_text();
    }
    return "taken";
  };
  CacheComponentParameters p = small_cache();
  EXPECT_EQ(complaint(p), "taken");
  p.banks = 65;
  EXPECT_EQ(complaint(p), "a cache of 65 banks\nhint: take 1 to 64");
  p = small_cache();
  p.forwards = 0;
  EXPECT_EQ(complaint(p), "a cache that lets 0 stores await their answer\nhint: take at least 1");
  p = small_cache();
  p.cache.mshrs = 0;
  EXPECT_EQ(complaint(p), "a cache of 0 MSHRs\nhint: take at least 1");
}

}  // namespace
}  // namespace raddle::memory
