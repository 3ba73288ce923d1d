// The cache component when the asker, the memory or its own tables hold it up: nothing is lost or
// answered twice, order is kept, and it sleeps while it waits.
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

#include "memory/cache_stand.h"

namespace raddle::memory {
namespace {

TEST(CacheUnderPressure, SleepsWhileItHasNothingToDo) {
  CacheComponentParameters p = small_cache();
  p.cache.mshrs = 1;
  CacheStand stand(p);
  stand.memory.latency = Cycle(5000);
  stand.load(0, 0x800);
  stand.load(0, 0x880);
  stand.load(20000, 0x800);
  stand.run();
  EXPECT_EQ(stand.asker.got.size(), 3U);
  EXPECT_LE(stand.cache.ticks, 12);
}

TEST(CacheUnderPressure, WaitsForAnAskerThatTakesAnswersSlowly) {
  CacheStand stand(small_cache(), 2);
  stand.asker.interval = 10;
  stand.warm(0x100);
  std::vector<std::uint64_t> hits;
  for (int i = 0; i < 12; ++i) hits.push_back(stand.load(0, 0x100));
  stand.run();
  for (std::size_t i = 0; i < hits.size(); ++i) EXPECT_EQ(stand.answered(hits[i]), 7 + 10 * i);
  // One was taken, two lie in the channel and five in the pipeline before the ninth is held in
  // cycle 9; it and the three behind it wait nine cycles each.
  EXPECT_EQ(stand.cache.stats().stalled_up_full, 4U * 9);
  EXPECT_LE(stand.cache.ticks, 50);
}

TEST(CacheUnderPressure, AnswersHitsInTheOrderInWhichTheyWereTaken) {
  CacheComponentParameters p = small_cache();
  p.banks = 2;
  CacheStand stand(p, 2);
  stand.asker.interval = 3;
  stand.warm(0x000);
  stand.warm(0x080);
  std::vector<std::uint64_t> hits;
  for (std::uint64_t i = 0; i < 20; ++i) hits.push_back(stand.load(0, i % 2 * 128));
  stand.run();
  for (std::size_t i = 0; i < hits.size(); ++i) EXPECT_EQ(stand.answered(hits[i]), 7 + 3 * i);
}

TEST(CacheUnderPressure, HasRoomForTheVictimsOfAllLinesOnTheirWay) {
  CacheComponentParameters p = small_cache();
  p.cache.bytes = Bytes(12 * 128);
  p.cache.ways = 12;
  p.cache.mshrs = 12;
  p.cache.allocation = Allocation::kOnFill;
  CacheStand stand(p, 1);
  for (std::uint64_t line = 0; line < 12; ++line) stand.warm(128 * line, true);
  // The memory sends lines while it takes nothing: each throws out a dirty one.
  stand.memory.shut_from = Cycle(12);
  stand.memory.takes_from = Cycle(1000);
  std::vector<std::uint64_t> misses;
  for (std::uint64_t line = 12; line < 24; ++line) misses.push_back(stand.load(0, 128 * line));
  stand.run();
  for (const std::uint64_t miss : misses) EXPECT_GT(stand.answered(miss), 0U);
  EXPECT_LT(stand.answered(misses[4]), 30U) << "what was asked for in time comes in time";
  EXPECT_EQ(stand.memory.seen.size(), 24U);
}

TEST(CacheUnderPressure, WaitsForAMemoryThatTakesNothing) {
  CacheComponentParameters p = small_cache();
  p.cache.mshrs = 32;
  CacheStand stand(p, 2);
  stand.memory.takes_from = Cycle(100);
  std::vector<std::uint64_t> misses;
  for (std::uint64_t i = 0; i < 10; ++i) misses.push_back(stand.load(0, 128 * i));
  stand.run();
  // Two requests lie in the channel, those of the cache's own queue leave as it takes them.
  for (std::size_t i = 0; i < misses.size(); ++i)
    EXPECT_GE(stand.answered(misses[i]), 112 + i) << i;
  EXPECT_EQ(stand.memory.seen.size(), 10U);
  EXPECT_GT(stand.cache.stats().stalled_down_full, 80U);
  EXPECT_LE(stand.cache.ticks, 40);
}

TEST(CacheUnderPressure, HoldsStoresWhenTooManyAwaitTheirAnswer) {
  CacheComponentParameters p = write_through_cache();
  p.forwards = 2;
  CacheStand stand(p);
  std::vector<std::uint64_t> stores;
  for (std::uint64_t i = 0; i < 4; ++i) stores.push_back(stand.store(0, 128 * i));
  stand.run();
  // The answer of the first comes in 13 and lets the third in.
  EXPECT_EQ(stand.answered(stores), (Cycles{14, 15, 26, 27}));
  EXPECT_EQ(stand.cache.stats().stalled_no_forward, 10U) << "cycles 3 to 12";
}

struct Pressure {
  CacheComponentParameters parameters;
  std::size_t capacity = 1;
  std::uint64_t asker_interval = 0;
  std::uint64_t memory_latency = 1;
  std::size_t memory_holds = 1;
};

Pressure random_pressure(std::mt19937_64& random) {
  const auto pick = [&](auto... values) {
    const std::array choice{values...};
    return choice[random() % choice.size()];
  };
  Pressure pressure;
  CacheComponentParameters& p = pressure.parameters;
  p.cache.bytes = Bytes(2048);
  p.cache.ways = pick(1U, 2U, 4U);
  p.cache.hit_latency = Cycle(pick(1U, 3U, 8U));
  p.cache.mshrs = pick(1U, 2U, 8U);
  p.cache.accesses_per_mshr = pick(1U, 2U, 8U);
  p.cache.replacement = pick(Replacement::kLru, Replacement::kTreePlru, Replacement::kRandom);
  p.cache.allocation = pick(Allocation::kOnMiss, Allocation::kOnFill);
  p.cache.write = pick(WritePolicy{WriteHit::kWriteBack, WriteMiss::kFetchOnWrite},
                       WritePolicy{WriteHit::kWriteBack, WriteMiss::kValidateOnWrite},
                       WritePolicy{WriteHit::kWriteThrough, WriteMiss::kFetchOnWrite},
                       WritePolicy{WriteHit::kWriteEvict, WriteMiss::kNoAllocate});
  if (p.cache.write.hit != WriteHit::kWriteBack) p.cache.atomics = AtomicPlace::kBelow;
  p.banks = pick(1U, 2U, 5U);
  p.bank_bytes = pick(0U, 4U);
  p.forwards = pick(1U, 4U);
  pressure.capacity = pick(1U, 2U, 7U);
  pressure.asker_interval = pick(0U, 1U, 4U);
  pressure.memory_latency = pick(1U, 20U);
  pressure.memory_holds = pick(1U, 3U, 100U);
  return pressure;
}

// Cycle and token of each answer, and what the memory saw.
struct Course {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> answers;
  std::vector<std::pair<std::uint64_t, Access>> seen;
  bool operator==(const Course&) const = default;
};

Course run_under(const Pressure& pressure, std::uint64_t seed, bool reversed) {
  CacheStand stand(pressure.parameters, pressure.capacity, reversed);
  stand.asker.interval = pressure.asker_interval;
  stand.memory.latency = Cycle(pressure.memory_latency);
  stand.memory.holds = pressure.memory_holds;
  std::mt19937_64 random(seed);
  constexpr std::array kKinds{AccessKind::kLoad,  AccessKind::kLoad,   AccessKind::kLoad,
                              AccessKind::kStore, AccessKind::kAtomic, AccessKind::kWriteBack};
  std::size_t unanswered = 0;
  constexpr std::size_t kAccesses = 400;
  for (std::size_t i = 0; i < kAccesses; ++i) {
    const AccessKind kind = kKinds[random() % kKinds.size()];
    unanswered += kind == AccessKind::kWriteBack ? 1 : 0;
    stand.ask(i / 2, kind, random() % 1024 * 4);
  }
  stand.run();
  EXPECT_EQ(stand.asker.got.size() + unanswered, kAccesses) << "each is answered once";
  EXPECT_TRUE(stand.cache.idle());
  EXPECT_EQ(stand.cache.stats().taken, kAccesses);
  Course course{{}, stand.memory.seen};
  for (const auto& [token, answer] : stand.asker.got) {
    EXPECT_EQ(stand.asker.got.count(token), 1U);
    course.answers.emplace_back(answer.first, token);
  }
  return course;
}

TEST(CacheUnderPressure, AnswersEveryAccessOnceWhateverThePressureAndTheOrderOfTicks) {
  std::mt19937_64 random(47);
  for (std::uint64_t trial = 0; trial < 300; ++trial) {
    SCOPED_TRACE(trial);
    const Pressure pressure = random_pressure(random);
    const Course course = run_under(pressure, trial, false);
    EXPECT_EQ(course, run_under(pressure, trial, true));
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace raddle::memory
