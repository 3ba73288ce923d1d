// A log of stores: its owner sees them at once, memory when they are committed, in their order.
#include "kernel/exec/store_log.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace raddle::kernel::exec {
namespace {

class StoreLogTest : public ::testing::Test {
 protected:
  StoreLogTest() : memory_(4096, std::byte{0}) {}
  void store(std::size_t at, std::initializer_list<int> values) {
    std::vector<std::byte> bytes;
    for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
    log_.add(memory_.data() + at, bytes.data(), static_cast<std::uint32_t>(bytes.size()));
  }
  // What the owner of the log reads.
  std::vector<int> read(std::size_t at, std::uint32_t bytes) {
    std::vector<std::byte> row(memory_.begin() + static_cast<std::ptrdiff_t>(at),
                               memory_.begin() + static_cast<std::ptrdiff_t>(at + bytes));
    if (log_.may_touch(memory_.data() + at, bytes))
      log_.patch(memory_.data() + at, row.data(), bytes);
    std::vector<int> values;
    for (const std::byte b : row) values.push_back(std::to_integer<int>(b));
    return values;
  }
  int in_memory(std::size_t at) const { return std::to_integer<int>(memory_[at]); }

  std::vector<std::byte> memory_;
  StoreLog log_;
};
using Values = std::vector<int>;

TEST_F(StoreLogTest, ShowsAStoreToItsOwnerAndNotToOthers) {
  store(100, {1, 2, 3, 4});
  EXPECT_EQ(read(100, 4), (Values{1, 2, 3, 4}));
  EXPECT_EQ(in_memory(100), 0);
}

TEST_F(StoreLogTest, PatchesOnlyTheBytesThatOverlap) {
  store(100, {1, 2, 3, 4});
  EXPECT_EQ(read(102, 4), (Values{3, 4, 0, 0}));
  EXPECT_EQ(read(98, 4), (Values{0, 0, 1, 2}));
  EXPECT_EQ(read(101, 1), (Values{2}));
  EXPECT_EQ(read(104, 2), (Values{0, 0}));
}

TEST_F(StoreLogTest, TheLaterStoreWins) {
  store(100, {1, 2, 3, 4});
  store(102, {7});
  EXPECT_EQ(read(100, 4), (Values{1, 2, 7, 4}));
  EXPECT_TRUE(log_.commit());
  EXPECT_EQ(in_memory(102), 7);
  EXPECT_EQ(in_memory(103), 4);
}

TEST_F(StoreLogTest, IsEmptyAfterACommit) {
  EXPECT_TRUE(log_.empty());
  store(0, {5});
  EXPECT_FALSE(log_.empty());
  log_.commit();
  EXPECT_TRUE(log_.empty());
  EXPECT_FALSE(log_.may_touch(memory_.data(), 1));
  EXPECT_EQ(in_memory(0), 5);
}

TEST_F(StoreLogTest, SaysWhetherACommitChangedAnything) {
  store(8, {0, 0});
  EXPECT_FALSE(log_.commit()) << "the same values as before";
  store(8, {1, 0});
  EXPECT_TRUE(log_.commit());
  EXPECT_FALSE(log_.commit());
}

TEST_F(StoreLogTest, NeverMissesAStoreAcrossTheEndOfALine) {
  for (std::size_t at = 120; at < 136; ++at) {
    StoreLog log;
    const std::byte value[8] = {};
    log.add(memory_.data() + at, value, 8);
    for (std::size_t byte = 0; byte < 8; ++byte)
      EXPECT_TRUE(log.may_touch(memory_.data() + at + byte, 1)) << at << " " << byte;
  }
}

TEST_F(StoreLogTest, FindsAStoreInTheMiddleOfALongStretch) {
  const std::byte value{1};
  std::byte* middle = memory_.data() + 256;
  log_.add(middle, &value, 1);
  EXPECT_TRUE(log_.may_touch(memory_.data(), 512));
  EXPECT_TRUE(log_.may_touch(middle, 1));
}

TEST_F(StoreLogTest, AgreesWithAPlainCopyOfMemory) {
  std::mt19937 random(3);
  std::vector<std::byte> plain = memory_;
  for (int round = 0; round < 2000; ++round) {
    const std::uint32_t bytes = 1u << random() % 5;
    const std::size_t at = random() % (memory_.size() - bytes);
    if (random() % 3 == 0) {
      std::vector<std::byte> row(memory_.data() + at, memory_.data() + at + bytes);
      if (log_.may_touch(memory_.data() + at, bytes))
        log_.patch(memory_.data() + at, row.data(), bytes);
      ASSERT_EQ(std::memcmp(row.data(), plain.data() + at, bytes), 0);
    } else if (random() % 50 == 0) {
      log_.commit();
      ASSERT_EQ(memory_, plain);
    } else {
      std::vector<std::byte> data(bytes);
      for (std::byte& b : data) b = static_cast<std::byte>(random());
      log_.add(memory_.data() + at, data.data(), bytes);
      std::copy(data.begin(), data.end(), plain.begin() + static_cast<std::ptrdiff_t>(at));
    }
  }
}

}  // namespace
}  // namespace raddle::kernel::exec
