#include "memory/mshr.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

#include "base/error.h"

namespace raddle::memory {
namespace {

Access access_with(std::uint64_t token) {
  return {Address(0), ShortBytes(4), AccessKind::kLoad, 0, token};
}

std::vector<std::uint64_t> tokens_of(std::span<const Access> accesses) {
  std::vector<std::uint64_t> tokens;
  for (const Access& access : accesses) tokens.push_back(access.token);
  return tokens;
}

TEST(MshrTable, GivesBackWhoWaitedInTheOrderOfArrival) {
  MshrTable table(2, 3);
  const MshrTable::Entry a = table.allocate(Address(0x100));
  const MshrTable::Entry b = table.allocate(Address(0x200));
  table.append(a, access_with(1));
  table.append(b, access_with(2));
  table.append(a, access_with(3));
  EXPECT_TRUE(table.has_room(a));
  table.append(a, access_with(4));
  EXPECT_FALSE(table.has_room(a));
  EXPECT_EQ(tokens_of(table.complete(a)), (std::vector<std::uint64_t>{1, 3, 4}));
  EXPECT_EQ(tokens_of(table.complete(b)), (std::vector<std::uint64_t>{2}));
}

TEST(MshrTable, FindsALineUntilItIsComplete) {
  MshrTable table(2, 1);
  EXPECT_EQ(table.find(Address(0x100)), MshrTable::kNone);
  const MshrTable::Entry entry = table.allocate(Address(0x100));
  EXPECT_EQ(table.find(Address(0x100)), entry);
  EXPECT_EQ(table.find(Address(0x180)), MshrTable::kNone);
  table.complete(entry);
  EXPECT_EQ(table.find(Address(0x100)), MshrTable::kNone);
}

TEST(MshrTable, IsFullWhenAllEntriesAreTakenAndNotAfterOneIsGivenBack) {
  MshrTable table(2, 1);
  table.allocate(Address(0x100));
  EXPECT_FALSE(table.full());
  const MshrTable::Entry second = table.allocate(Address(0x200));
  EXPECT_TRUE(table.full());
  EXPECT_THROW(table.allocate(Address(0x300)), InternalError);
  table.complete(second);
  EXPECT_FALSE(table.full());
  table.allocate(Address(0x300));
  EXPECT_EQ(table.size(), 2U);
  EXPECT_EQ(table.peak(), 2U);
  EXPECT_TRUE((table.stats() == MshrStats{3, 0, 1}));
}

TEST(MshrTable, AFreshEntryIsCleanAndEmptyWhateverItWasBefore) {
  MshrTable table(1, 2);
  MshrTable::Entry entry = table.allocate(Address(0x100));
  table.append(entry, access_with(1));
  table.mark_dirty(entry);
  EXPECT_TRUE(table.dirty(entry));
  table.complete(entry);
  entry = table.allocate(Address(0x200));
  EXPECT_FALSE(table.dirty(entry));
  EXPECT_TRUE(table.complete(entry).empty());
}

TEST(MshrTable, AgreesWithAMapOverALongRandomRun) {
  std::mt19937_64 random(11);
  MshrTable table(16, 4);
  std::map<std::uint64_t, std::vector<std::uint64_t>> model;
  std::uint32_t peak = 0;
  for (std::uint64_t step = 0; step < 50000; ++step) {
    const std::uint64_t line = random() % 40 * 128;
    const MshrTable::Entry entry = table.find(Address(line));
    const auto known = model.find(line);
    ASSERT_EQ(entry != MshrTable::kNone, known != model.end());
    if (known == model.end()) {
      ASSERT_EQ(table.full(), model.size() == 16);
      if (table.full()) continue;
      table.append(table.allocate(Address(line)), access_with(step));
      model[line] = {step};
    } else if (random() % 3 == 0) {
      ASSERT_EQ(tokens_of(table.complete(entry)), known->second);
      model.erase(known);
    } else {
      ASSERT_EQ(table.has_room(entry), known->second.size() < 4);
      if (!table.has_room(entry)) continue;
      table.append(entry, access_with(step));
      known->second.push_back(step);
    }
    peak = std::max(peak, table.size());
    ASSERT_EQ(table.size(), model.size());
  }
  EXPECT_EQ(table.peak(), peak);
}

}  // namespace
}  // namespace raddle::memory
