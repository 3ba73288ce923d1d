// The masks by which units know threads, and the wheel that says where tokens arrive.
#include <gtest/gtest.h>

#include "machine/cgra/fabric/fabric_unit.h"
#include "machine/cgra/fabric/timing_wheel.h"

namespace raddle::machine::cgra {
namespace {

using namespace unit_literals;

TEST(ThreadWindow, MovesOnPastAllThreadsThatWereDoneOutOfOrder) {
  ThreadWindow window;
  for (const std::uint32_t thread : {1u, 2u, 4u}) window.note(thread);
  EXPECT_EQ(window.first(), 0u);
  EXPECT_EQ(window.done(), bit_of(1) | bit_of(2) | bit_of(4));
  window.note(0);
  EXPECT_EQ(window.first(), 3u);
  EXPECT_EQ(window.done(), bit_of(4));
}

TEST(ThreadWindow, GoesOnWhereTheBitsOfThreadsBeginAgain) {
  ThreadWindow window;
  for (std::uint32_t thread = 0; thread < 62; ++thread) window.note(thread);
  for (const std::uint32_t thread : {63u, 64u, 65u, 67u}) window.note(thread);
  window.note(62);
  EXPECT_EQ(window.first(), 66u);
  EXPECT_EQ(window.done(), bit_of(67));
  // Bit 3 is that of thread 67, which is done: what comes there next is thread 131.
  EXPECT_EQ(window.thread_of(3), 131u);
  EXPECT_EQ(window.thread_of(2), 66u);
  EXPECT_EQ(window.thread_of(1), 129u);
}

TEST(ThreadWindow, FindsTheOldestThreadAndNotTheLowestBit) {
  ThreadWindow window;
  for (std::uint32_t thread = 0; thread < 60; ++thread) window.note(thread);
  EXPECT_EQ(window.oldest(bit_of(64) | bit_of(61)), 61u);
  EXPECT_EQ(window.oldest(bit_of(64) | bit_of(65)), 64u);
}

TEST(TimingWheel, HandsOutEachNumberInItsCycleOnce) {
  TimingWheel wheel(100, 6_cycles);
  const WheelPlace place = wheel.place_of(70);
  wheel.add(place, 13_cycles);
  wheel.add(3, 13_cycles);
  wheel.add(3, 15_cycles);
  EXPECT_EQ(wheel.next(10_cycles), 13_cycles);
  UnitSet set(100);
  wheel.take(13_cycles, set);
  EXPECT_TRUE(set.contains(70));
  EXPECT_TRUE(set.contains(3));
  EXPECT_FALSE(set.contains(71));
  EXPECT_EQ(wheel.next(13_cycles), 15_cycles);
  set.clear();
  wheel.take(13_cycles, set);
  EXPECT_TRUE(set.empty());
}

TEST(UnitSet, GoesRoundFromAGivenUnitOn) {
  UnitSet set(200);
  for (const std::uint32_t unit : {2u, 64u, 69u, 70u, 199u}) set.add(unit);
  std::vector<std::uint32_t> order;
  set.for_each_from(69, [&order](std::uint32_t unit) { order.push_back(unit); });
  EXPECT_EQ(order, (std::vector<std::uint32_t>{69, 70, 199, 2, 64}));
}

}  // namespace
}  // namespace raddle::machine::cgra
