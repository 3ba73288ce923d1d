// Which request a DRAM channel serves first, how much it moves, and that it neither loses nor
// invents anything.
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>

#include "base/error.h"
#include "memory/dram_rig.h"

namespace raddle::memory {
namespace {

using Tokens = std::vector<std::uint64_t>;

// Opens row 7 of bank 2, then asks at once for rows 8, 7, 7 of it.
Tokens order_of_conflict_and_hits(DramScheduling scheduling) {
  DramSpec spec = small_part();
  spec.scheduling = scheduling;
  DramRig rig(spec);
  rig.see_load(100, rig.place(2, 7, 0));
  rig.see_load(101, rig.place(2, 8, 0));
  rig.see_load(102, rig.place(2, 7, 1));
  rig.see_load(103, rig.place(2, 7, 2));
  rig.run();
  return rig.order();
}

TEST(DramScheduling, FrFcfsServesRowHitsBeforeAnOlderConflict) {
  EXPECT_EQ(order_of_conflict_and_hits(DramScheduling::kFrFcfs), (Tokens{0, 2, 3, 1}));
}

TEST(DramScheduling, FcfsServesInTheOrderOfArrival) {
  EXPECT_EQ(order_of_conflict_and_hits(DramScheduling::kFcfs), (Tokens{0, 1, 2, 3}));
}

TEST(DramScheduling, FrFcfsServesTheOldestOfSeveralHits) {
  DramRig rig(small_part());
  rig.see_load(10, rig.place(1, 7));  // opens both rows
  rig.see_load(11, rig.place(2, 7));
  rig.see_load(100, rig.place(3, 7));          // keeps the column bus free until its read at 111
  rig.see_load(107, rig.place(2, 7, 1), 256);  // hits
  rig.see_load(108, rig.place(1, 7, 1));
  rig.see_load(109, rig.place(2, 7, 2));
  rig.run();
  EXPECT_EQ(rig.order(), (Tokens{0, 1, 2, 3, 4, 5}));
}

TEST(DramScheduling, FrFcfsOpensARowWhileOthersAreRead) {
  DramRig rig(small_part());
  rig.see_load(10, rig.place(1, 7));
  for (std::uint32_t i = 0; i < 12; ++i) rig.see_load(100 + i, rig.place(1, 7, i));
  rig.see_load(112, rig.place(2, 7));
  const DramRig::Answers answers = rig.run();
  // Reads every second cycle from 100 on; the activate falls in between at 113, its read at 124.
  EXPECT_EQ(answers.at(12), 122U + 10 + 2);
  EXPECT_EQ(answers.at(13), 124U + 10 + 2);
}

TEST(DramScheduling, FcfsOpensARowOnlyWhenItsTurnHasCome) {
  DramSpec spec = small_part();
  spec.scheduling = DramScheduling::kFcfs;
  DramRig rig(spec);
  rig.see_load(10, rig.place(1, 7));
  for (std::uint32_t i = 0; i < 12; ++i) rig.see_load(100 + i, rig.place(1, 7, i));
  rig.see_load(112, rig.place(2, 7));
  const DramRig::Answers answers = rig.run();
  EXPECT_EQ(answers.at(12), 122U + 10 + 2);
  EXPECT_EQ(answers.at(13), 123U + 11 + 10 + 2);
}

// A conflict comes first, then hits without end: how many are served before it?
std::size_t hits_before_the_conflict(std::uint32_t cap) {
  DramSpec spec = small_part();
  spec.starvation_cap = cap;
  DramRig rig(spec);
  rig.see_load(10, rig.place(2, 7));
  rig.see_load(100, rig.place(2, 7, 0));
  rig.see_load(100, rig.place(2, 8));  // token 2
  for (std::uint32_t i = 0; i < 300; ++i) rig.see_load(101 + i, rig.place(2, 7, i % 16));
  rig.run();
  const Tokens order = rig.order();
  return static_cast<std::size_t>(std::find(order.begin(), order.end(), 2) - order.begin()) - 2;
}

TEST(DramScheduling, StarvationCapBoundsHowOftenARequestIsOvertaken) {
  EXPECT_EQ(hits_before_the_conflict(1), 1U);
  EXPECT_EQ(hits_before_the_conflict(20), 20U);
  EXPECT_EQ(hits_before_the_conflict(0), 300U);
}

TEST(DramScheduling, StarvationCapAlsoEndsTheReignOfReadsOverAWrite) {
  DramSpec spec = small_part();
  spec.starvation_cap = 10;
  DramRig rig(spec);
  rig.see_load(10, rig.place(2, 7));
  rig.see_load(100, rig.place(2, 7, 0));
  rig.see_store(101, rig.place(2, 7, 1));  // tRTW after every read
  for (std::uint32_t i = 0; i < 100; ++i) rig.see_load(102 + i, rig.place(2, 7, i % 16));
  rig.run();
  const Tokens order = rig.order();
  EXPECT_EQ(std::find(order.begin(), order.end(), 2) - order.begin(), 2 + 10);
}

// --- Bandwidth ------------------------------------------------------------------------------------

// Answers come one every so many cycles.
void expect_every(std::uint64_t interval, std::uint64_t first, const DramRig::Answers& answers) {
  DramRig::Answers expected;
  for (std::uint64_t i = 0; i < answers.size(); ++i) expected[i] = first + interval * i;
  EXPECT_EQ(answers, expected);
}

TEST(DramBandwidth, OfRowHitsIsThatOfTheBus) {
  DramRig rig(small_part());
  for (std::uint32_t i = 0; i < 500; ++i) rig.see_load(100 + i, rig.place(2, 7, i % 16), 64);
  expect_every(2, 100 + 11 + 10 + 2, rig.run());
  EXPECT_EQ(rig.dram.stats().bus_busy_cycles, Cycle(1000));
}

TEST(DramBandwidth, OfWriteHitsIsThatOfTheBus) {
  DramRig rig(small_part());
  for (std::uint32_t i = 0; i < 500; ++i) rig.see_store(100 + i, rig.place(2, 7, i % 16), 64);
  expect_every(2, 100 + 7 + 4 + 2, rig.run());
}

// A stream of 128-byte lines through channel 0 of a GTX 480, as fast as the DRAM takes them.
TEST(DramBandwidth, OfAGtx480StreamIsThatOfTheBus) {
  DramRig rig(DramSpec{});
  constexpr std::uint64_t kLines = 4096;
  for (std::uint64_t line = 0; line < kLines; ++line)
    rig.see_load(1, Address((line / 2) * 6 * 256 + line % 2 * 128), 128);
  const DramRig::Answers answers = rig.run();
  EXPECT_EQ(answers.size(), kLines);
  const std::uint64_t cycles = rig.taken().back().first;
  EXPECT_EQ(rig.dram.stats().bus_busy_cycles, Cycle(kLines * 4));
  // Bank groups alternate and rows are opened ahead: all but the first access hides behind data.
  EXPECT_LT(cycles, kLines * 4 + 40);
  EXPECT_EQ(rig.dram.stats().activates, kLines / 32);  // each row once: 4 KB
}

TEST(DramBandwidth, WithinOneBankGroupIsHeldDownByCcdl) {
  DramRig rig(DramSpec{});
  for (std::uint32_t i = 0; i < 100; ++i) rig.see_load(100 + i, rig.place(4, 7, i % 64), 64);
  expect_every(3, 100 + 12 + 12 + 2, rig.run());
}

TEST(DramBandwidth, OfActivatesIsHeldDownByRrd) {
  DramSpec spec;
  spec.timing.t_rrd = Cycle(5);
  spec.page_policy = PagePolicy::kClosed;
  DramRig rig(spec);
  for (std::uint32_t i = 0; i < 320; ++i) rig.see_load(100 + i, rig.place(i % 16, i), 64);
  expect_every(5, 100 + 12 + 12 + 2, rig.run());
}

TEST(DramBandwidth, OfCommandsIsOneACycle) {
  DramRig rig(DramSpec{});
  for (std::uint32_t i = 0; i < 3; ++i) rig.see_load(100 + i, rig.place(i, 7), 64);
  // Activates 100 and 106; at 112 the first read and the third activate are due: a hit goes first.
  EXPECT_EQ(rig.run(), (DramRig::Answers{{0, 126}, {1, 132}, {2, 113 + 12 + 12 + 2}}));
}

TEST(DramBandwidth, OfSdrSdramHitsIsOneBeatACycle) {
  DramSpec spec;
  spec.timing = sdr_sdram_100mhz();
  spec.timing.t_refi = Cycle(0);
  spec.mapping = sdr_sdram_address_mapping();
  DramRig rig(spec);
  for (std::uint32_t i = 0; i < 200; ++i) rig.see_load(100 + i, rig.place(1, 7, i), 16);
  expect_every(2, 100 + 2 + 2 + 2, rig.run());
}

// --- Nothing is lost ------------------------------------------------------------------------------

struct RandomRun {
  explicit RandomRun(const DramSpec& spec, Cycle taker_interval, std::size_t places) {
    DramRig rig(spec, taker_interval, places);
    std::mt19937 random(11);
    std::uint64_t cycle = 1;
    for (std::uint64_t token = 0; token < 3000; ++token) {
      constexpr std::array kKinds = {AccessKind::kLoad, AccessKind::kLoad, AccessKind::kStore,
                                     AccessKind::kWriteBack, AccessKind::kAtomic};
      const AccessKind kind = kKinds[random() % kKinds.size()];
      if (kind != AccessKind::kWriteBack) awaited.insert(token);
      rig.see(cycle, kind, rig.place(random() % 4, random() % 3, random() % 16), 64);
      cycle += random() % 12;
    }
    rig.run();
    for (const std::uint64_t token : rig.order()) answered.insert(token);
    sent = rig.sent();
    last = rig.taken().back().first;
    stats = rig.dram.stats();
  }
  std::set<std::uint64_t> awaited;
  std::multiset<std::uint64_t> answered;
  std::size_t sent = 0;
  std::uint64_t last = 0;
  DramStats stats;
};

void expect_all_answered(const RandomRun& run) {
  EXPECT_EQ(run.sent, 3000U);
  EXPECT_TRUE(
      std::equal(run.awaited.begin(), run.awaited.end(), run.answered.begin(), run.answered.end()));
  const DramStats& stats = run.stats;
  EXPECT_EQ(stats.row_hits + stats.row_misses + stats.row_conflicts, 3000U);
  EXPECT_EQ(stats.bus_busy_cycles, Cycle(2 * (stats.read_bursts + stats.write_bursts)));
  EXPECT_GT(stats.row_hits, 100U);
  EXPECT_GT(stats.activates, 100U);
}

TEST(DramTraffic, IsAnsweredOnceEachUnderEveryPolicy) {
  for (const DramScheduling scheduling : {DramScheduling::kFrFcfs, DramScheduling::kFcfs}) {
    for (const PagePolicy pages : {PagePolicy::kOpen, PagePolicy::kClosed}) {
      for (const bool refreshed : {false, true}) {
        DramSpec spec = small_part();
        spec.scheduling = scheduling;
        spec.page_policy = pages;
        if (refreshed) spec.timing.t_refi = Cycle(500);
        spec.timing.t_rfc = Cycle(60);
        expect_all_answered(RandomRun(spec, Cycle(0), 1024));
      }
    }
  }
}

TEST(DramTraffic, SurvivesBackPressureOnBothSides) {
  for (const DramScheduling scheduling : {DramScheduling::kFrFcfs, DramScheduling::kFcfs}) {
    DramSpec spec = small_part();
    spec.scheduling = scheduling;
    spec.queue_entries = 3;
    spec.answer_entries = 1;
    const RandomRun run(spec, Cycle(83), 2);
    expect_all_answered(run);
    EXPECT_GE(run.last, (run.answered.size() - 1) * 83);  // the taker sets the pace
  }
}

TEST(DramTraffic, GoesTheSameWayEveryTime) {
  const RandomRun first(small_part(), Cycle(7), 4);
  const RandomRun second(small_part(), Cycle(7), 4);
  EXPECT_EQ(first.last, second.last);
  EXPECT_TRUE(sim::operator==(first.stats, second.stats));
}

TEST(DramTraffic, FrFcfsFindsMoreHitsThanFcfs) {
  DramSpec spec = small_part();
  const RandomRun first_ready(spec, Cycle(0), 1024);
  spec.scheduling = DramScheduling::kFcfs;
  const RandomRun in_order(spec, Cycle(0), 1024);
  EXPECT_GT(first_ready.stats.row_hits, in_order.stats.row_hits);
  EXPECT_LT(first_ready.last, in_order.last);
}

// --- Faults ---------------------------------------------------------------------------------------

std::string fault(const DramSpec& spec) {
  try {
    const DramRig rig(spec);
  } catch (const Error& error) {
    return error.full_text();
  }
  return "none";
}

TEST(DramChannel, SaysWhatDoesNotBelongTogether) {
  DramSpec spec = small_part();
  spec.timing.banks = 8;
  EXPECT_EQ(fault(spec),
            "the address mapping has 4 banks, the DRAM 8\nhint: give the mapping as many bank bits "
            "as the DRAM has");
  spec = small_part();
  spec.timing.burst_length = 8;
  EXPECT_EQ(fault(spec),
            "the address mapping has bursts of 64 bytes, the DRAM of 128\nhint: a burst is burst "
            "length × bus bytes");
  spec = small_part();
  spec.most_access = Bytes(2048);
  EXPECT_EQ(fault(spec),
            "accesses of 2048 bytes do not lie within one row of a DRAM that keeps 1024 bytes "
            "together\nhint: give its address mapping a larger chunk or more low column bits");
  spec = small_part();
  spec.queue_entries = 0;
  EXPECT_EQ(
      fault(spec),
      "a DRAM channel needs places for requests and answers\nhint: give each of its queues at "
      "least one entry");
}

}  // namespace
}  // namespace raddle::memory
