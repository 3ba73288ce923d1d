// Instances that take long run one by one: those that wait can be taken by other workers, and near
// ones follow each other.
#include <gtest/gtest.h>
#include <raddle/ddm.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <set>
#include <thread>
#include <vector>

namespace raddle::ddm {
namespace {

using Clock = std::chrono::steady_clock;

Options workers(int count) {
  Options options;
  options.workers = count;
  return options;
}

void take(std::chrono::microseconds time) {
  const auto end = Clock::now() + time;
  while (Clock::now() < end) {
  }
}

// False if it takes too long.
template <class Condition>
bool wait_until(Condition condition) {
  const auto end = Clock::now() + std::chrono::seconds(20);
  while (!condition()) {
    if (Clock::now() > end) return false;
    std::this_thread::yield();
  }
  return true;
}

TEST(LongThreads, AreTakenByOthersWhileOneOfTheSameTileRuns) {
  std::atomic<int> begun{0};
  std::atomic<bool> met{true};
  Program program;
  program.thread("meet", range(2), [&](std::size_t) {
    ++begun;
    if (!wait_until([&] { return begun == 2; })) met = false;
  });
  program.run(workers(2));
  EXPECT_TRUE(met);
}

// The first instance ends when another worker has taken the others, of which the last one ends when
// the first one's consumer has run.
TEST(LongThreads, LetConsumersBeginBeforeTheTileIsDone) {
  std::atomic<bool> taken{false};
  std::atomic<bool> consumed{false};
  std::atomic<bool> in_time{true};
  Program program;
  auto produce = program.thread("produce", range(3), [&](std::size_t i) {
    if (i == 1) taken = true;
    if (i == 0 && !wait_until([&] { return taken.load(); })) in_time = false;
    if (i == 2 && !wait_until([&] { return consumed.load(); })) in_time = false;
  });
  auto consume = program.thread("consume", [&] { consumed = true; });
  produce.then(consume, [](std::size_t i, auto to) {
    if (i == 0) to();
  });
  program.run(workers(2));
  EXPECT_TRUE(in_time);
}

TEST(LongThreads, RunNearOnesAfterEachOther) {
  std::vector<std::vector<std::size_t>> order;
  Program program;
  program.thread("cell", range(4, 4, 4), [&](std::size_t i, std::size_t j, std::size_t k) {
    take(std::chrono::microseconds(50));
    order.push_back({i, j, k});
  });
  program.run(workers(1));
  ASSERT_EQ(order.size(), 64U);
  // Every eight of them are a cube of two in each direction.
  for (std::size_t cube = 0; cube < 8; ++cube) {
    std::set<std::vector<std::size_t>> corners;
    for (std::size_t i = 8 * cube; i < 8 * cube + 8; ++i)
      corners.insert({order[i][0] / 2, order[i][1] / 2, order[i][2] / 2});
    EXPECT_EQ(corners.size(), 1U) << "cube " << cube;
  }
}

// A recurrence over a space, with instances of all durations: some run one by one, others in
// batches, and a thread changes from one to the other.
class LongThreadsOnWorkers : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Workers, LongThreadsOnWorkers, testing::Values(1, 2, 3, 8));

TEST_P(LongThreadsOnWorkers, GiveWhatALoopGives) {
  constexpr std::size_t kSide = 9;
  const auto next = [](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
    return a + 3 * b + 7 * c + 1;
  };
  std::vector<std::uint64_t> values((kSide + 1) * (kSide + 1) * (kSide + 1));
  const auto at = [](std::size_t i, std::size_t j, std::size_t k) {
    return (i * (kSide + 1) + j) * (kSide + 1) + k;
  };
  auto expected = values;
  for (std::size_t i = 1; i <= kSide; ++i)
    for (std::size_t j = 1; j <= kSide; ++j)
      for (std::size_t k = 1; k <= kSide; ++k)
        expected[at(i, j, k)] =
            next(expected[at(i - 1, j, k)], expected[at(i, j - 1, k)], expected[at(i, j, k - 1)]);
  Program program;
  auto step = program.thread(
      "step", range(kSide, kSide, kSide), [&](std::size_t i, std::size_t j, std::size_t k) {
        take(std::chrono::microseconds((7 * i + 5 * j + 3 * k) % 4 == 0 ? 30 : 0));
        values[at(i + 1, j + 1, k + 1)] = next(
            values[at(i, j + 1, k + 1)], values[at(i + 1, j, k + 1)], values[at(i + 1, j + 1, k)]);
      });
  step.then(step, offset(1, 0, 0));
  step.then(step, offset(0, 1, 0));
  step.then(step, offset(0, 0, 1));
  for (int round = 0; round < 5; ++round) {
    std::ranges::fill(values, 0);
    const auto report = program.run(workers(GetParam()));
    EXPECT_EQ(report.threads_fired, kSide * kSide * kSide);
    EXPECT_EQ(values, expected);
  }
}

}  // namespace
}  // namespace raddle::ddm
