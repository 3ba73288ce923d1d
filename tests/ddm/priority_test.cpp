// Which of the ready instances come first.
#include <gtest/gtest.h>
#include <raddle/ddm.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

namespace raddle::ddm {
namespace {

Options workers(int count) {
  Options options;
  options.workers = count;
  return options;
}

TEST(Priorities, TakeTheHighestReadyInstanceFirst) {
  std::vector<int> order;
  Program program;
  auto begin = program.thread("begin", [] {});
  auto work = program.thread(
      "work", range(200), [&](std::size_t i) { order.push_back(static_cast<int>(i * 37 % 200)); });
  begin.then(work);
  work.priority([](std::size_t i) { return i * 37 % 200; });
  program.run(workers(1));
  ASSERT_EQ(order.size(), 200U);
  EXPECT_TRUE(std::ranges::is_sorted(order, std::greater<>{}));
}

TEST(Priorities, PutThreadsWithoutOneBetweenPositiveAndNegativeOnes) {
  std::string order;
  Program program;
  auto begin = program.thread("begin", [] {});
  auto low = program.thread("low", range(3), [&](std::size_t) { order += 'l'; });
  auto plain = program.thread("plain", range(3), [&](std::size_t) { order += 'p'; });
  auto high = program.thread("high", range(3), [&](std::size_t) { order += 'h'; });
  begin.then(low);
  begin.then(plain);
  begin.then(high);
  low.priority(-1);
  high.priority(1);
  program.run(workers(1));
  EXPECT_EQ(order, "hhhppplll");
}

// Of a long chain and many short ones the long one begins at once, and the run is no longer than
// it.
TEST(Priorities, FollowTheCriticalPath) {
  for (const bool first : {false, true}) {
    std::string order;
    Program program;
    program.thread("short", range(50), [&](std::size_t) { order += 's'; });
    auto chain = program.thread("long", range(20), [&](std::size_t) { order += 'l'; });
    chain.then(chain, offset(1));
    auto end = program.thread("end", [&] { order += 'e'; });
    chain.then(end, all);
    if (first) program.critical_path_first();
    program.run(workers(1));
    ASSERT_EQ(order.size(), 71U);
    EXPECT_EQ(order.substr(0, 19) == std::string(19, 'l'), first);
  }
}

TEST(Priorities, GiveTheSameNumbersWithManyWorkers) {
  constexpr std::size_t kSize = 40;
  std::vector<long> value(kSize * kSize);
  Program program;
  auto cell = program.thread("cell", range(kSize, kSize), [&](std::size_t i, std::size_t j) {
    value[i * kSize + j] =
        i == 0 || j == 0 ? 1 : (value[(i - 1) * kSize + j] + value[i * kSize + j - 1]) % 1000003;
  });
  cell.then(cell, offset(1, 0));
  cell.then(cell, offset(0, 1));
  program.run(workers(4));
  const auto expected = value;
  program.critical_path_first();
  for (const int count : {1, 2, 4}) {
    std::ranges::fill(value, 0);
    EXPECT_EQ(program.run(workers(count)).threads_fired, kSize * kSize);
    EXPECT_EQ(value, expected);
  }
}

TEST(Priorities, HoldBesideBoundAndInvokingThreads) {
  std::atomic<int> ran{0};
  Program program;
  auto inner = program.block("inner");
  inner.thread("in", range(5), [&](std::size_t) { ++ran; });
  auto bound = program.thread("bound", range(40), [&](std::size_t) { ++ran; });
  bound.worker([](std::size_t i, int count) { return static_cast<int>(i) % count; });
  auto call = program.call("call", range(40), inner, [](std::size_t) { return NoFrame{}; });
  auto spawn = program.thread("spawn", range(40), [&, inner](std::size_t, Spawn more) {
    more(inner, {});
    ++ran;
  });
  auto plain = program.thread("plain", range(40), [&](std::size_t) { ++ran; });
  bound.then(call);
  bound.then(spawn);
  call.then(plain);
  spawn.then(plain);
  call.priority([](std::size_t i) { return i; });
  spawn.priority(-5);
  for (const int count : {1, 3}) {
    ran = 0;
    program.run(workers(count));
    EXPECT_EQ(ran, 40 + 40 * 5 + 40 + 40 * 5 + 40);
  }
}

}  // namespace
}  // namespace raddle::ddm
