// Ranges with a grain, and the ready-made programs, against what the standard library computes.
#include <gtest/gtest.h>
#include <raddle/ddm.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <random>
#include <stdexcept>
#include <vector>

namespace raddle::ddm {
namespace {

Options workers(int count) {
  Options options;
  options.workers = count;
  return options;
}

std::vector<int> random_values(std::size_t count) {
  std::mt19937 random(7);
  std::vector<int> values(count);
  for (int& value : values) value = static_cast<int>(random() % 1000);
  return values;
}

class Patterns : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Workers, Patterns, testing::Values(1, 2, 3));

TEST_P(Patterns, RunsEveryIndexOfARangeWithAGrainOnce) {
  std::vector<std::atomic<int>> line(1001), plane(17 * 31), space(5 * 6 * 7);
  Program program;
  program.thread("line", range(line.size()).grain(10), [&](std::size_t i) { ++line[i]; });
  program.thread("plane", range(17, 31).grain(4, 5),
                 [&](std::size_t i, std::size_t j) { ++plane[31 * i + j]; });
  program.thread("space", range(5, 6, 7).grain(2, 6, 3), [&](Chunk a, Chunk b, Chunk c) {
    for (const auto i : a) {
      for (const auto j : b) {
        for (const auto k : c) ++space[(i * 6 + j) * 7 + k];
      }
    }
  });
  EXPECT_EQ(program.run(workers(GetParam())).threads_fired, 101U + 5 * 7 + 3 * 3);
  for (const auto& count : line) EXPECT_EQ(count, 1);
  for (const auto& count : plane) EXPECT_EQ(count, 1);
  for (const auto& count : space) EXPECT_EQ(count, 1);
}

TEST_P(Patterns, TakesTheSizeOfAGrainedRangeFromTheFrame) {
  struct Frame {
    std::size_t count = 0;
    std::vector<int> values;
  };
  Program<Frame> program;
  auto fill = program.thread("fill", range(&Frame::count).grain(7), [](Frame& frame, Chunk chunk) {
    for (const auto i : chunk) frame.values[i] = static_cast<int>(i);
  });
  auto twice = program.thread("twice", range(&Frame::count).grain(7),
                              [](Frame& frame, std::size_t i) { frame.values[i] *= 2; });
  fill.then(twice);
  for (const std::size_t count : {0, 1, 6, 7, 8, 1000}) {
    Frame frame{count, std::vector<int>(count)};
    program.run(frame, workers(GetParam()));
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(frame.values[i], static_cast<int>(2 * i));
  }
}

TEST_P(Patterns, ChoosesAGrainThatLeavesEnoughChunks) {
  std::atomic<std::size_t> sum{0};
  const auto report = parallel_for(
      std::size_t{1000000}, [&](Chunk chunk) { sum += chunk.size(); }, workers(GetParam()));
  EXPECT_EQ(sum, 1000000U);
  EXPECT_GE(report.threads_fired, 250U);
  EXPECT_LE(report.threads_fired,
            std::max<std::size_t>(256, 16 * std::thread::hardware_concurrency()));
}

TEST_P(Patterns, Reduces) {
  const auto values = random_values(100003);
  const long sum = reduce(
      values.size(), 0L, [&](std::size_t i) { return static_cast<long>(values[i]); }, std::plus<>{},
      workers(GetParam()));
  EXPECT_EQ(sum, std::accumulate(values.begin(), values.end(), 0L));
  const int most = reduce(
      values.size(), -1, [&](std::size_t i) { return values[i]; },
      [](int a, int b) { return std::max(a, b); }, workers(GetParam()));
  EXPECT_EQ(most, std::ranges::max(values));
  EXPECT_EQ(reduce(0, 5, [](std::size_t) { return 1; }), 5);
}

TEST_P(Patterns, Scans) {
  for (const std::size_t count : {0, 1, 255, 257, 100003}) {
    auto values = random_values(count);
    auto expected = values;
    std::partial_sum(values.begin(), values.end(), expected.begin());
    inclusive_scan(std::span(values), std::plus<>{}, workers(GetParam()));
    EXPECT_EQ(values, expected);
  }
}

TEST_P(Patterns, SortsAndKeepsTheOrderOfEqualValues) {
  for (const std::size_t count : {0, 1, 2048, 5000, 300007}) {
    std::vector<std::pair<int, std::size_t>> values;
    for (const int value : random_values(count)) values.emplace_back(value, values.size());
    auto expected = values;
    const auto less = [](const auto& a, const auto& b) { return a.first < b.first; };
    std::ranges::stable_sort(expected, less);
    sort(std::span(values), less, workers(GetParam()));
    EXPECT_EQ(values, expected);
  }
}

TEST(PipelinePattern, PassesItemsThroughSerialStagesInOrder) {
  constexpr std::size_t kItems = 3000, kSlots = 8;
  std::vector<std::size_t> in, out;
  std::vector<std::size_t> squares(kSlots);
  std::atomic<int> open{0}, most{0};
  const auto report = pipeline(kItems, kSlots, serial([&](std::size_t i) {
                                 in.push_back(i);
                                 const int now = ++open;
                                 if (now > most) most = now;
                               }),
                               parallel([&](std::size_t i) { squares[i % kSlots] = i * i; }),
                               serial([&](std::size_t i) {
                                 out.push_back(squares[i % kSlots]);
                                 --open;
                               }));
  EXPECT_EQ(report.threads_fired, 3 * kItems);
  ASSERT_EQ(out.size(), kItems);
  for (std::size_t i = 0; i < kItems; ++i) {
    ASSERT_EQ(in[i], i);
    ASSERT_EQ(out[i], i * i);
  }
  EXPECT_LE(most, static_cast<int>(kSlots));
}

TEST_P(Patterns, RunsAWavefrontInOrder) {
  constexpr std::size_t kSide = 130;
  std::vector<unsigned> paths(kSide * kSide);
  const auto cell = [](std::vector<unsigned>& into, std::size_t i, std::size_t j) {
    into[i * kSide + j] =
        i == 0 || j == 0 ? 1 : into[(i - 1) * kSide + j] + into[i * kSide + j - 1];
  };
  wavefront(
      range(kSide, kSide).grain(16, 9), [&](std::size_t i, std::size_t j) { cell(paths, i, j); },
      workers(GetParam()));
  std::vector<unsigned> expected(kSide * kSide);
  for (std::size_t i = 0; i < kSide; ++i) {
    for (std::size_t j = 0; j < kSide; ++j) cell(expected, i, j);
  }
  EXPECT_EQ(paths, expected);
}

TEST_P(Patterns, RunsAStencilStepByStep) {
  constexpr std::size_t kCells = 1000, kSteps = 50;
  std::vector<double> two[2] = {std::vector<double>(kCells), std::vector<double>(kCells)};
  two[0][kCells / 2] = 1;
  auto alone = two[0];
  const auto next = [](const std::vector<double>& old, std::size_t i) {
    return old[i] +
           0.25 * ((i > 0 ? old[i - 1] : 0) - 2 * old[i] + (i + 1 < kCells ? old[i + 1] : 0));
  };
  stencil(
      kSteps, range(kCells).grain(64),
      [&](std::size_t step, Chunk chunk) {
        for (const auto i : chunk) two[(step + 1) % 2][i] = next(two[step % 2], i);
      },
      workers(GetParam()));
  for (std::size_t step = 0; step < kSteps; ++step) {
    const auto old = alone;
    for (std::size_t i = 0; i < kCells; ++i) alone[i] = next(old, i);
  }
  EXPECT_EQ(two[kSteps % 2], alone);
}

TEST_P(Patterns, PassesExceptionsOn) {
  EXPECT_THROW(parallel_for(
                   std::size_t{1000},
                   [](std::size_t i) {
                     if (i == 777) throw std::runtime_error("no");
                   },
                   workers(GetParam())),
               std::runtime_error);
}

}  // namespace
}  // namespace raddle::ddm
