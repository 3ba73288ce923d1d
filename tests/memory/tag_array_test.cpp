#include "memory/tag_array.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace raddle::memory {
namespace {

TagArrayShape shape_of(std::uint32_t sets, std::uint32_t ways, std::uint32_t line_bytes = 64) {
  TagArrayShape shape;
  shape.sets = sets;
  shape.ways = ways;
  shape.line_bytes = ShortBytes(line_bytes);
  return shape;
}

void bring(TagArray& tags, std::uint64_t address, bool dirty = false) {
  const LinePlace place = tags.choose_victim(tags.set_of(Address(address)));
  ASSERT_TRUE(place.found());
  tags.reserve(place, Address(address));
  tags.fill(place, dirty);
}

LineState state_of(const TagArray& tags, std::uint64_t address) {
  const LinePlace place = tags.find(Address(address));
  return place.found() ? tags.state(place) : LineState::kInvalid;
}

TEST(TagArray, FindsALineByAnyOfItsAddresses) {
  TagArray tags(shape_of(4, 2));
  EXPECT_FALSE(tags.find(Address(0x1000)).found());
  bring(tags, 0x1010);
  EXPECT_EQ(state_of(tags, 0x1000), LineState::kValid);
  EXPECT_EQ(state_of(tags, 0x103f), LineState::kValid);
  EXPECT_EQ(state_of(tags, 0x1040), LineState::kInvalid);
  EXPECT_EQ(state_of(tags, 0x0fff), LineState::kInvalid);
  EXPECT_EQ(tags.line_at(tags.find(Address(0x1020))), Address(0x1000));
}

TEST(TagArray, GoesFromReservedToValidOrDirtyToInvalid) {
  TagArray tags(shape_of(1, 2));
  const LinePlace place = tags.choose_victim(tags.set_of(Address(0x80)));
  tags.reserve(place, Address(0x80));
  EXPECT_EQ(state_of(tags, 0x80), LineState::kReserved);
  tags.fill(place, false);
  EXPECT_EQ(state_of(tags, 0x80), LineState::kValid);
  tags.mark_dirty(place);
  EXPECT_EQ(state_of(tags, 0x80), LineState::kDirty);
  tags.invalidate(place);
  EXPECT_EQ(state_of(tags, 0x80), LineState::kInvalid);
  bring(tags, 0xc0, true);
  EXPECT_EQ(state_of(tags, 0xc0), LineState::kDirty);
}

TEST(TagArray, TakesInvalidPlacesBeforeItThrowsOutALine) {
  TagArray tags(shape_of(1, 3));
  for (const std::uint64_t address : {0x000, 0x040, 0x080}) bring(tags, address);
  tags.invalidate(tags.find(Address(0x040)));
  bring(tags, 0x0c0);
  EXPECT_EQ(state_of(tags, 0x000), LineState::kValid);
  EXPECT_EQ(state_of(tags, 0x080), LineState::kValid);
  EXPECT_EQ(state_of(tags, 0x0c0), LineState::kValid);
}

TEST(TagArray, NeverChoosesAReservedLine) {
  for (const auto policy :
       {Replacement::kLru, Replacement::kFifo, Replacement::kTreePlru, Replacement::kRandom}) {
    TagArrayShape shape = shape_of(1, 4);
    shape.replacement = policy;
    TagArray tags(shape);
    for (std::uint64_t line = 0; line < 3; ++line)
      tags.reserve(tags.choose_victim(tags.set_of(Address(64 * line))), Address(64 * line));
    bring(tags, 64 * 3);
    for (std::uint64_t line = 4; line < 40; ++line) {
      EXPECT_EQ(tags.line_at(tags.choose_victim(tags.set_of(Address(64 * line)))),
                Address(64 * (line - 1)));
      bring(tags, 64 * line);
    }
    tags.reserve(tags.choose_victim(tags.set_of(Address(64 * 99))), Address(64 * 99));
    EXPECT_FALSE(tags.choose_victim(tags.set_of(Address(64 * 100))).found()) << "all are reserved";
  }
}

TEST(TagArray, UsesEverySetOfANumberThatIsNoPowerOfTwo) {
  const TagArray tags(shape_of(393, 16, 128));  // 786 KB in 16 ways
  std::vector<int> lines(393);
  for (std::uint64_t line = 0; line < 393 * 10; ++line) ++lines[tags.set_of(Address(line * 128))];
  for (const int count : lines) EXPECT_EQ(count, 10);
}

TEST(TagArray, HashSpreadsAStrideThatWouldHitOneSet) {
  TagArrayShape shape = shape_of(64, 1, 128);
  const auto sets_hit = [&](std::uint64_t stride) {
    const TagArray tags(shape);
    std::set<std::uint32_t> sets;
    for (std::uint64_t i = 0; i < 64; ++i) sets.insert(tags.set_of(Address(i * stride)));
    return sets.size();
  };
  EXPECT_EQ(sets_hit(64 * 128), 1U);
  shape.index = SetIndex::kXorHash;
  EXPECT_EQ(sets_hit(64 * 128), 64U);
  EXPECT_EQ(sets_hit(128), 64U) << "and consecutive lines still lie in different sets";
  shape.sets = 48;
  EXPECT_GT(sets_hit(48 * 128), 30U);
  shape.sets = 1;
  EXPECT_EQ(sets_hit(128), 1U);
}

TEST(TagArray, ASliceUsesAllItsSetsForTheAddressesThatReachIt) {
  TagArrayShape shape = shape_of(64, 1, 128);
  shape.slices = 6;
  shape.slice_bytes = ShortBytes(256);
  const TagArray tags(shape);
  std::vector<int> lines(64);
  // What the third of six memory partitions sees, 256 bytes at a time.
  for (std::uint64_t chunk = 2; chunk < 6 * 64; chunk += 6) {
    ++lines[tags.set_of(Address(chunk * 256))];
    ++lines[tags.set_of(Address(chunk * 256 + 128))];
  }
  for (const int count : lines) EXPECT_EQ(count, 2);
}

TEST(TagArray, FlushThrowsOutAllButReservedLinesAndNamesTheDirty) {
  TagArray tags(shape_of(2, 2));
  bring(tags, 0x000, true);
  bring(tags, 0x040, true);
  bring(tags, 0x080);
  tags.reserve(tags.choose_victim(tags.set_of(Address(0x0c0))), Address(0x0c0));
  std::vector<Address> dirty;
  for (const DirtyLine& line : tags.flush()) dirty.push_back(line.address);
  EXPECT_EQ(dirty, (std::vector<Address>{Address(0x000), Address(0x040)}));
  for (const std::uint64_t address : {0x000, 0x040, 0x080})
    EXPECT_EQ(state_of(tags, address), LineState::kInvalid);
  EXPECT_EQ(state_of(tags, 0x0c0), LineState::kReserved);
  EXPECT_TRUE(tags.flush().empty());
}

}  // namespace
}  // namespace raddle::memory
