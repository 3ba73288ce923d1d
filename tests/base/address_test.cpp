#include "base/address.h"

#include <gtest/gtest.h>

#include <concepts>

namespace raddle {
namespace {

using namespace unit_literals;

template <class A, class B>
concept CanAdd = requires(A a, B b) { a + b; };
template <class A, class B>
concept CanSubtract = requires(A a, B b) { a - b; };
template <class A, class B>
concept CanCompare = requires(A a, B b) { a < b; };
template <class A, class B>
concept CanDivide = requires(A a, B b) { a / b; };

TEST(Address, DoesNotMixWithWhatIsNoAddress) {
  static_assert(CanAdd<Address, Bytes> && CanAdd<Address, ShortBytes>);
  static_assert(!CanAdd<Address, Address>);
  static_assert(!CanAdd<Address, Cycle> && !CanAdd<Cycle, Address>);
  static_assert(!CanAdd<Address, std::uint64_t>);
  static_assert(!CanSubtract<Bytes, Address> && !CanSubtract<Address, Cycle>);
  static_assert(!CanCompare<Address, Bytes> && !CanCompare<Address, std::uint64_t>);
  static_assert(!CanDivide<Address, Address> && !CanDivide<Address, std::uint64_t>);
  static_assert(!std::convertible_to<std::uint64_t, Address>);
  static_assert(!std::convertible_to<Address, std::uint64_t>);
  static_assert(!std::constructible_from<Address, Bytes>);
  static_assert(!std::constructible_from<Bytes, Address>);
}

TEST(Address, IsAsLargeAsTheNumberInIt) {
  static_assert(sizeof(Address) == sizeof(std::uint64_t));
  static_assert(std::is_trivially_copyable_v<Address>);
}

TEST(Address, MovesByBytes) {
  Address address(0x1000);
  address += 16_B;
  EXPECT_EQ(address, Address(0x1010));
  EXPECT_EQ(address + ShortBytes(4), Address(0x1014));
  EXPECT_EQ(address - 1_KiB, Address(0xc10));
  EXPECT_EQ(address.value(), 0x1010u);
}

TEST(Address, DiffersFromAnotherByBytes) {
  static_assert(std::same_as<decltype(Address() - Address()), Bytes>);
  EXPECT_EQ(Address(0x1080) - Address(0x1000), 128_B);
  EXPECT_LT(Address(0x1000), Address(0x1080));
}

TEST(Address, LiesInAUnitOfOneSize) {
  EXPECT_EQ(Address(0x1fff) / 4_KiB, 1u);
  EXPECT_EQ(Address(0x2000) / 4_KiB, 2u);
  EXPECT_EQ(Address(1000) / 96_B, 10u) << "no power of two";
  EXPECT_EQ(Address(1000) % 96_B, 40_B);
  EXPECT_EQ(aligned_down(Address(0x107f), 128_B), Address(0x1000));
  EXPECT_EQ(aligned_down(Address(0x1080), 128_B), Address(0x1080));
  EXPECT_EQ(aligned_down(Address(0xffff'ffff'ffff), 128_B), Address(0xffff'ffff'ff80))
      << "above what 32 bits hold";
}

TEST(Address, TouchesAsManyUnitsAsItsBytesLieIn) {
  EXPECT_EQ(units_touched(Address(0x1000), 1_B, 128_B), 1u);
  EXPECT_EQ(units_touched(Address(0x1000), 128_B, 128_B), 1u);
  EXPECT_EQ(units_touched(Address(0x107f), 1_B, 128_B), 1u);
  EXPECT_EQ(units_touched(Address(0x107f), 2_B, 128_B), 2u);
  EXPECT_EQ(units_touched(Address(0x1060), 256_B, 128_B), 3u);
  for (std::uint64_t first = 0; first < 40; ++first) {
    for (std::uint64_t bytes = 1; bytes < 40; ++bytes) {
      std::uint64_t units = 1;
      for (std::uint64_t byte = first + 1; byte < first + bytes; ++byte)
        units += byte % 12 == 0 ? 1 : 0;
      ASSERT_EQ(units_touched(Address(first), Bytes(bytes), 12_B), units) << first << " " << bytes;
    }
  }
}

}  // namespace
}  // namespace raddle
