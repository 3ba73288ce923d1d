#include "machine/cgra/fabric/fabric_injector.h"

#include <gtest/gtest.h>

#include <deque>

namespace raddle::machine::cgra {
namespace {

// Groups of so many threads each. What a thread is told by its address: group · 100 + thread.
class GroupsOf : public ThreadFeed {
 public:
  explicit GroupsOf(std::deque<std::uint32_t> sizes) : sizes_(std::move(sizes)) {}

  FeedAnswer next(std::uint32_t /*replica*/, ThreadGroup& group) override {
    ++asked;
    if (sizes_.empty()) return ends ? FeedAnswer::kEnd : FeedAnswer::kLater;
    group.id = given_;
    group.threads = sizes_.front();
    sizes_.pop_front();
    group.addresses.clear();
    for (std::uint32_t i = 0; i < group.threads; ++i) group.addresses.push_back(given_ * 100 + i);
    group.active.assign(group.threads, 1);
    ++given_;
    return FeedAnswer::kGroup;
  }
  void left(std::uint32_t /*id*/) override {}
  void add(std::uint32_t size) { sizes_.push_back(size); }

  bool ends = true;
  std::uint32_t asked = 0;

 private:
  std::deque<std::uint32_t> sizes_;
  std::uint32_t given_ = 0;
};

std::vector<std::uint64_t> threads_of(FabricInjector& injector, GroupsOf& feed) {
  FabricRecords records(1, 0, 1);
  std::vector<std::uint64_t> all;
  while (injector.append_next(feed, 0, records, Cycle(0)))
    all.push_back(records.address(0, records.end() - 1).value());
  return all;
}

using Threads = std::vector<std::uint64_t>;

TEST(FabricInjector, TakesOneGroupBehindTheOther) {
  FabricInjector injector(1);
  GroupsOf feed({2, 3});
  EXPECT_EQ(threads_of(injector, feed), (Threads{0, 1, 100, 101, 102}));
  EXPECT_TRUE(injector.is_done());
}

TEST(FabricInjector, ThreadsWaitForWhatTheirGroupShares) {
  FabricInjector injector(1, Cycle(3));
  GroupsOf feed({4, 1});
  FabricRecords records(1, 0, 1);
  std::vector<std::uint64_t> entered;
  for (Cycle now; entered.size() < 5; ++now) {
    if (injector.append_next(feed, 0, records, now)) entered.push_back(now.count());
    ASSERT_LT(now, Cycle(100));
  }
  // The second group's is computed while threads of the first one enter.
  EXPECT_EQ(entered, (Threads{3, 4, 5, 6, 7}));
  EXPECT_EQ(injector.groups(), 2u);
}

TEST(FabricInjector, TakesTurnsWithSeveralGroups) {
  FabricInjector injector(2);
  GroupsOf feed({3, 3});
  EXPECT_EQ(threads_of(injector, feed), (Threads{0, 100, 1, 101, 2, 102}));
}

TEST(FabricInjector, TakesANewGroupWhereOneHasEnded) {
  FabricInjector injector(2);
  GroupsOf feed({1, 3, 2});
  EXPECT_EQ(threads_of(injector, feed), (Threads{0, 100, 200, 101, 201, 102}));
}

TEST(FabricInjector, GoesOnWithTheGroupsItHasWhileTheFeedHasNone) {
  FabricInjector injector(4);
  GroupsOf feed({2});
  feed.ends = false;
  EXPECT_EQ(threads_of(injector, feed), (Threads{0, 1}));
  EXPECT_EQ(feed.asked, 2u) << "not again before it is told to";
  EXPECT_TRUE(injector.is_waiting());
  EXPECT_FALSE(injector.is_done());
  feed.add(1);
  injector.ask_again();
  EXPECT_EQ(threads_of(injector, feed), Threads{100});
}

}  // namespace
}  // namespace raddle::machine::cgra
