#include "energy/energy.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace raddle::energy {
namespace {

CoefficientSet small_set() {
  CoefficientSet set;
  set.name = "small";
  set.events[static_cast<std::size_t>(Event::float_add)] = Picojoule(2);
  set.events[static_cast<std::size_t>(Event::float_multiply)] = Picojoule(5);
  set.events[static_cast<std::size_t>(Event::dram_read)] = Picojoule(1000);
  set.watts[static_cast<std::size_t>(StaticPower::simd_power)] = 0.5;
  return set;
}

TEST(Energy, IsEventsTimesCoefficientsByPart) {
  EventCounts counts;
  counts.add(Event::dram_read, 3);
  counts.add(Event::float_add, 10);
  counts.add(Event::float_multiply);
  const std::vector<EnergyPart> parts = energy_by_part(counts, small_set());
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].name, "units");
  EXPECT_EQ(parts[0].energy, Picojoule(25));
  EXPECT_EQ(parts[1].name, "DRAM");
  EXPECT_EQ(parts[1].energy, Picojoule(3000));
}

TEST(Energy, ChargesPoweredPartsForTheirTime) {
  EventCounts counts;
  counts.add(StaticPower::simd_power, Seconds(2e-9));  // two units for one nanosecond
  const std::vector<EnergyPart> parts = energy_by_part(counts, small_set());
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_EQ(parts[0].name, "static: SIMD");
  EXPECT_TRUE(is_static_part(parts[0].name));
  EXPECT_FALSE(is_static_part("units"));
  EXPECT_DOUBLE_EQ(parts[0].energy.count(), 1000);  // 0.5 W · 2 ns = 1 nJ
}

TEST(Energy, DoesNotChargeNothingForWhatTheSetLacks) {
  EventCounts counts;
  counts.add(Event::token_hop);
  try {
    energy_by_part(counts, small_set());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.full_text(),
              "the energy set 'small' has no coefficient for token_hop (a 32-bit value through one "
              "switch of a fabric)\nhint: choose another set with --set energy=NAME; "
              "machines/energy holds them");
  }
}

TEST(EventCounts, AddAndSubtract) {
  EventCounts a;
  a.add(Event::shift, 7);
  a.add(StaticPower::simd_power, Seconds(3));
  EventCounts b = a;
  b.add(Event::compare, 2);
  b += a;
  b -= a;
  b -= a;
  EventCounts only_compare;
  only_compare.add(Event::compare, 2);
  EXPECT_EQ(b, only_compare);
}

}  // namespace
}  // namespace raddle::energy
