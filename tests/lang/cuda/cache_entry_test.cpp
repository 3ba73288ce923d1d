#include "lang/cuda/cache_entry.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/atomic_file.h"

namespace raddle::cuda {
namespace {

namespace fs = std::filesystem;

class CacheEntry : public testing::Test {
 protected:
  void SetUp() override {
    parent_ = fs::path(testing::TempDir()) /
              fmt::format("cache-entry-{}-{}", getpid(),
                          testing::UnitTest::GetInstance()->current_test_info()->name());
    FreshEntry fresh(parent_, "key");
    write_scratch_file(fresh.file("program"), "what was compiled");
    write_scratch_file(fresh.file("rules"), "program: a.cu");
    entry_ = fresh.publish("name");
  }
  void TearDown() override { fs::remove_all(parent_); }

  fs::path parent_;
  fs::path entry_;
};

TEST_F(CacheEntry, IsFoundAsItWasWritten) {
  const auto found = find_intact_entry(parent_, "name");
  ASSERT_TRUE(found);
  EXPECT_EQ(read_file(*found / "program"), "what was compiled");
  EXPECT_FALSE(find_intact_entry(parent_, "other"));
}

TEST_F(CacheEntry, IsRemovedWhenOneByteChanged) {
  write_scratch_file(entry_ / "program", "what was Compiled");
  EXPECT_FALSE(find_intact_entry(parent_, "name"));
  EXPECT_FALSE(fs::exists(entry_));
}

TEST_F(CacheEntry, IsRemovedWhenAFileIsCutOrMissing) {
  fs::resize_file(entry_ / "rules", 3);
  EXPECT_FALSE(find_intact_entry(parent_, "name"));
  SetUp();
  fs::remove(entry_ / "rules");
  EXPECT_FALSE(find_intact_entry(parent_, "name"));
  SetUp();
  fs::remove(entry_ / "seal");
  EXPECT_FALSE(find_intact_entry(parent_, "name"));
}

TEST_F(CacheEntry, OfAnotherProcessIsKeptAndADamagedOneReplaced) {
  {
    FreshEntry second(parent_, "second");
    write_scratch_file(second.file("program"), "of the second");
    EXPECT_EQ(second.publish("name"), entry_);
    EXPECT_EQ(read_file(entry_ / "program"), "what was compiled");
  }
  fs::remove(entry_ / "program");
  FreshEntry third(parent_, "third");
  write_scratch_file(third.file("program"), "of the third");
  third.publish("name");
  EXPECT_EQ(read_file(entry_ / "program"), "of the third");
}

TEST_F(CacheEntry, LeavesNothingWhenItIsNotPublished) {
  fs::path file;
  {
    FreshEntry fresh(parent_, "given up");
    file = fresh.file("program");
    write_scratch_file(file, "half");
  }
  EXPECT_FALSE(fs::exists(file.parent_path()));
}

}  // namespace
}  // namespace raddle::cuda
