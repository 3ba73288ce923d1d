#include "base/units.h"

#include <gtest/gtest.h>

#include <concepts>

namespace raddle {
namespace {

using namespace unit_literals;

template <class A, class B>
concept CanAdd = requires(A a, B b) { a + b; };
template <class A, class B>
concept CanCompare = requires(A a, B b) { a < b; };
template <class A, class B>
concept CanMultiply = requires(A a, B b) { a* b; };

TEST(Units, MixingThemDoesNotCompile) {
  static_assert(CanAdd<Cycle, Cycle>);
  static_assert(!CanAdd<Cycle, Bytes>);
  static_assert(!CanAdd<Cycle, std::uint64_t>);
  static_assert(!CanCompare<Picojoule, Hertz>);
  static_assert(!CanMultiply<Bytes, Bytes>);
  static_assert(!std::convertible_to<std::uint64_t, Cycle>);
  static_assert(!std::convertible_to<Cycle, std::uint64_t>);
  static_assert(!std::constructible_from<Cycle, Bytes>);
}

TEST(Units, OfOneKindAddSubtractAndCompare) {
  Cycle cycles = 10_cycles;
  cycles += 5_cycles;
  EXPECT_EQ(cycles, 15_cycles);
  EXPECT_EQ(cycles - 1_cycles, 14_cycles);
  EXPECT_LT(10_cycles, cycles);
  EXPECT_EQ((++cycles).count(), 16u);
}

TEST(Units, ScaleByPlainNumbers) {
  EXPECT_EQ(3 * 4_KiB, 12_KiB);
  EXPECT_EQ(1_MiB / 4, 256_KiB);
  EXPECT_EQ((Picojoule(2.5) * 4).count(), 10.0);
}

TEST(Units, DivideIntoPlainNumbers) {
  static_assert(std::same_as<decltype(1_GiB / 1_MiB), std::uint64_t>);
  EXPECT_EQ(1_GiB / 1_MiB, 1024u);
  EXPECT_EQ(130_B % 128_B, 2_B);
  EXPECT_DOUBLE_EQ(Hertz(3e9) / Hertz(2e9), 1.5);
}

template <class Amount>
concept CanBeHalved =
    requires(Amount amount) { amount * 0.5; } || requires(Amount amount) { amount / 2.0; };

TEST(Units, OfWholeNumbersAreNotScaledByFractions) {
  static_assert(!CanBeHalved<Cycle>);
  static_assert(!CanBeHalved<Bytes>);
  static_assert(CanBeHalved<Seconds>);
  EXPECT_EQ(3_cycles * 2, 6_cycles);
}

TEST(Units, OfTablesWidenAndDoNotNarrow) {
  static_assert(std::convertible_to<ShortCycle, Cycle>);
  static_assert(!std::constructible_from<ShortCycle, Cycle>);
  static_assert(std::same_as<decltype(1_cycles + ShortCycle(2)), Cycle>);
  EXPECT_EQ(5'000'000'000_cycles + ShortCycle(4'000'000'000), 9'000'000'000_cycles);
  EXPECT_LT(ShortCycle(4'000'000'000), 5'000'000'000_cycles);
}

TEST(Units, CyclesOverAClockAreSeconds) {
  EXPECT_DOUBLE_EQ((700_cycles / Hertz(1.4e9)).count(), 5e-7);
}

}  // namespace
}  // namespace raddle
