#include "memory/coalescer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "base/error.h"

namespace raddle::memory {
namespace {

constexpr std::uint64_t kWarp = 0xffffffff;
using Segments = std::vector<Segment>;

Segments segments_of(const std::vector<std::uint64_t>& address, std::uint32_t bytes,
                     std::uint32_t segment_bytes, std::uint64_t mask = kWarp) {
  std::array<Segment, kMaxSegments> out;
  const std::size_t count = coalesce({address, mask, bytes}, ShortBytes(segment_bytes), out);
  return {out.begin(), out.begin() + static_cast<std::ptrdiff_t>(count)};
}

std::vector<std::uint64_t> strided(std::uint64_t stride, std::uint64_t first = 0,
                                   std::size_t lanes = 32) {
  std::vector<std::uint64_t> address(lanes);
  for (std::size_t i = 0; i < lanes; ++i) address[i] = first + i * stride;
  return address;
}

TEST(Coalescer, MakesOneAccessOfConsecutiveWords) {
  EXPECT_EQ(segments_of(strided(4, 0x1000), 4, 128), (Segments{{Address(0x1000), kWarp}}));
}

TEST(Coalescer, CutsConsecutiveWordsAtSegmentBorders) {
  EXPECT_EQ(segments_of(strided(4, 0x1060), 4, 128),
            (Segments{{Address(0x1000), 0x000000ff}, {Address(0x1080), 0xffffff00}}));
  EXPECT_EQ(segments_of(strided(4, 0x1000), 4, 64),
            (Segments{{Address(0x1000), 0x0000ffff}, {Address(0x1040), 0xffff0000}}));
  EXPECT_EQ(segments_of(strided(8, 0x1010), 8, 128), (Segments{{Address(0x1000), 0x00003fff},
                                                               {Address(0x1080), 0x3fffc000},
                                                               {Address(0x1100), 0xc0000000}}));
  EXPECT_EQ(segments_of(strided(16, 0), 16, 32).size(), 16U);
}

TEST(Coalescer, MakesOneAccessOfEachRowOfATile) {
  std::vector<std::uint64_t> address = strided(4, 0x1000);
  for (std::size_t i = 16; i < 32; ++i) address[i] = 0x8040 + (i - 16) * 4;
  EXPECT_EQ(segments_of(address, 4, 128),
            (Segments{{Address(0x1000), 0x0000ffff}, {Address(0x8000), 0xffff0000}}));
  // Rows that begin in the middle of a group of lanes, and end in a segment that is known.
  for (std::size_t i = 0; i < 32; ++i)
    address[i] = i < 12 ? 0x1000 + i * 4 : i < 28 ? 0x8000 + i * 4 : 0x1040 + i * 2 / 8 * 8;
  EXPECT_EQ(segments_of(address, 4, 128),
            (Segments{{Address(0x1000), 0xf0000fff}, {Address(0x8000), 0x0ffff000}}));
}

TEST(Coalescer, BelievesThatLanesAreKnownToBeConsecutive) {
  const std::vector<std::uint64_t> address = strided(4, 0x1060);
  std::array<Segment, kMaxSegments> out;
  ASSERT_EQ(coalesce({address, kWarp, 4, true}, ShortBytes(128), out), 2U);
  EXPECT_EQ(out[0], (Segment{Address(0x1000), 0x000000ff}));
  EXPECT_EQ(out[1], (Segment{Address(0x1080), 0xffffff00}));
}

TEST(Coalescer, GivesScatteredSegmentsInTheOrderOfTheirFirstLane) {
  const std::vector<std::uint64_t> address{0x480, 0x004, 0x4fc, 0x200, 0x000};
  EXPECT_EQ(
      segments_of(address, 4, 128, 0b11111),
      (Segments{{Address(0x480), 0b00101}, {Address(0x000), 0b10010}, {Address(0x200), 0b01000}}));
  EXPECT_EQ(segments_of(address, 4, 128, 0b11010),
            (Segments{{Address(0x000), 0b10010}, {Address(0x200), 0b01000}}));
  EXPECT_EQ(segments_of(address, 4, 128, 0), Segments{});
}

TEST(Coalescer, GivesBothSegmentsOfAnAccessThatStraddlesABorder) {
  EXPECT_EQ(segments_of({0x07e}, 4, 128, 1), (Segments{{Address(0x000), 1}, {Address(0x080), 1}}));
  EXPECT_EQ(segments_of(strided(4, 0x07e, 2), 4, 128, 0b11),
            (Segments{{Address(0x000), 0b01}, {Address(0x080), 0b11}}));
  EXPECT_EQ(segments_of(strided(12, 0x078, 3), 12, 32, 0b111),
            (Segments{{Address(0x060), 0b001}, {Address(0x080), 0b111}}));
}

TEST(Coalescer, CountsSegments) {
  EXPECT_EQ(count_segments({strided(4), kWarp, 4}, ShortBytes(128)), 1U);
  EXPECT_EQ(count_segments({strided(0), kWarp, 4}, ShortBytes(128)), 1U);
  EXPECT_EQ(count_segments({strided(8), kWarp, 4}, ShortBytes(128)), 2U);
  EXPECT_EQ(count_segments({strided(128), kWarp, 4}, ShortBytes(128)), 32U);
}

TEST(Coalescer, FindsItOurFaultWhenALaneTouchesMoreThanASegment) {
  EXPECT_THROW(count_segments({strided(64), kWarp, 64}, ShortBytes(32)), InternalError);
  EXPECT_THROW(count_segments({strided(64), kWarp, 4}, ShortBytes(48)), InternalError);
}

// Byte by byte.
Segments naive(const std::vector<std::uint64_t>& address, std::uint32_t bytes,
               std::uint32_t segment_bytes, std::uint64_t mask) {
  Segments found;
  for (std::size_t i = 0; i < address.size(); ++i) {
    if ((mask >> i & 1) == 0) continue;
    for (std::uint64_t byte = address[i]; byte < address[i] + bytes; ++byte) {
      const Address start(byte - byte % segment_bytes);
      const auto known = std::find_if(found.begin(), found.end(),
                                      [&](const Segment& s) { return s.address == start; });
      if (known == found.end()) {
        found.push_back({start, std::uint64_t{1} << i});
      } else {
        known->lanes |= std::uint64_t{1} << i;
      }
    }
  }
  return found;
}

TEST(Coalescer, AgreesWithTheDefinitionOnRandomAddresses) {
  std::mt19937_64 random(23);
  const auto pick = [&](auto... values) {
    const std::array choice{values...};
    return choice[random() % choice.size()];
  };
  for (int trial = 0; trial < 20000; ++trial) {
    const std::uint32_t bytes = pick(1U, 2U, 4U, 8U, 16U, 12U);
    const std::uint32_t segment_bytes = pick(32U, 64U, 128U);
    std::vector<std::uint64_t> address(pick(32U, 16U, 64U, 5U));
    const std::uint64_t range = pick(64U, 1024U, 100000U);
    const std::uint64_t stride = pick(0U, 0U, 1U, 1U, 2U, 64U);  // 0: scattered
    const std::uint64_t unit = pick(bytes, bytes, bytes, 1U);    // 1: not aligned
    const std::uint64_t first = random() % range;
    for (std::size_t i = 0; i < address.size(); ++i)
      address[i] = stride == 0 ? random() % range * unit : first * unit + i * stride * bytes;
    const std::uint64_t lanes = low_bits(address.size());
    const std::uint64_t mask = random() % 2 == 0 ? lanes : random() & lanes;
    ASSERT_EQ(segments_of(address, bytes, segment_bytes, mask),
              naive(address, bytes, segment_bytes, mask))
        << "trial " << trial;
  }
}

}  // namespace
}  // namespace raddle::memory
