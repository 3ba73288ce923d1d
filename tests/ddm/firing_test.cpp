// Firing rules: what runs, how often, and after what.
#include <gtest/gtest.h>
#include <raddle/ddm.h>

#include <array>
#include <atomic>
#include <numeric>
#include <vector>

namespace raddle::ddm {
namespace {

Options workers(int count) {
  Options options;
  options.workers = count;
  return options;
}

class Firing : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Workers, Firing, testing::Values(1, 2, 3, 8));

TEST_P(Firing, RunsEachInstanceOfARangeOnce) {
  std::vector<std::atomic<int>> runs(1000);
  Program program;
  program.thread("touch", range(1000), [&](std::size_t i) { ++runs[i]; });
  const auto report = program.run(workers(GetParam()));
  EXPECT_EQ(report.threads_fired, 1000U);
  for (const auto& count : runs) EXPECT_EQ(count, 1);
}

TEST_P(Firing, RunsEachInstanceOfAPlaneAndOfASpaceOnce) {
  std::vector<std::atomic<int>> plane(13 * 29);
  std::vector<std::atomic<int>> space(3 * 5 * 7);
  Program program;
  program.thread("plane", range(13, 29),
                 [&](std::size_t i, std::size_t j) { ++plane[29 * i + j]; });
  program.thread("space", range(3, 5, 7), [&](std::size_t i, std::size_t j, std::size_t k) {
    ++space[(5 * i + j) * 7 + k];
  });
  program.run(workers(GetParam()));
  for (const auto& count : plane) EXPECT_EQ(count, 1);
  for (const auto& count : space) EXPECT_EQ(count, 1);
}

TEST_P(Firing, RunsNothingOfAnEmptyRangeButWhatFollowsIt) {
  int after = 0;
  Program program;
  auto none = program.thread("none", range(0), [](std::size_t) { FAIL(); });
  auto last = program.thread("last", [&] { ++after; });
  none.then(last);
  program.run(workers(GetParam()));
  EXPECT_EQ(after, 1);
}

TEST_P(Firing, WaitsForAllInstancesBeforeASingleConsumer) {
  std::vector<int> values(5000);
  long sum = 0;
  Program program;
  auto fill = program.thread("fill", range(values.size()),
                             [&](std::size_t i) { values[i] = static_cast<int>(i); });
  auto add =
      program.thread("add", [&] { sum = std::accumulate(values.begin(), values.end(), 0L); });
  fill.then(add);
  program.run(workers(GetParam()));
  EXPECT_EQ(sum, 4999L * 5000 / 2);
}

TEST_P(Firing, PassesFromIndexToIndex) {
  std::vector<int> a(777);
  std::vector<int> b(777);
  Program program;
  auto first =
      program.thread("first", range(777), [&](std::size_t i) { a[i] = static_cast<int>(2 * i); });
  auto second = program.thread("second", range(777), [&](std::size_t i) { b[i] = a[i] + 1; });
  first.then(second);
  program.run(workers(GetParam()));
  for (std::size_t i = 0; i < b.size(); ++i) EXPECT_EQ(b[i], static_cast<int>(2 * i + 1));
}

TEST_P(Firing, HoldsARangeBackUntilAllOfAnotherHasRun) {
  std::vector<int> a(300, 0);
  std::vector<int> sums(300, 0);
  Program program;
  auto first = program.thread("first", range(300), [&](std::size_t i) { a[i] = 1; });
  auto second = program.thread("second", range(300), [&](std::size_t i) {
    sums[i] = std::accumulate(a.begin(), a.end(), 0);
  });
  first.then(second, all);
  program.run(workers(GetParam()));
  for (const int sum : sums) EXPECT_EQ(sum, 300);
}

TEST_P(Firing, FollowsAWavefrontInOrder) {
  constexpr std::size_t kSize = 70;
  std::vector<std::uint64_t> paths(kSize * kSize);
  Program program;
  auto cell = program.thread("cell", range(kSize, kSize), [&](std::size_t i, std::size_t j) {
    const auto up = i > 0 ? paths[(i - 1) * kSize + j] : 0;
    const auto left = j > 0 ? paths[i * kSize + j - 1] : 0;
    paths[i * kSize + j] = i + j == 0 ? 1 : (up + left) % 1000003;
  });
  cell.then(cell, offset(1, 0));
  cell.then(cell, offset(0, 1));
  program.run(workers(GetParam()));
  std::vector<std::uint64_t> expected(kSize * kSize, 1);
  for (std::size_t i = 1; i < kSize; ++i) {
    for (std::size_t j = 1; j < kSize; ++j) {
      expected[i * kSize + j] =
          (expected[(i - 1) * kSize + j] + expected[i * kSize + j - 1]) % 1000003;
    }
  }
  EXPECT_EQ(paths, expected);
}

TEST_P(Firing, FollowsOffsetsInThreeDimensionsAndBackwards) {
  std::vector<int> depth(6 * 9 * 10);
  const auto at = [](std::size_t i, std::size_t j, std::size_t k) { return (i * 9 + j) * 10 + k; };
  Program program;
  auto cell =
      program.thread("cell", range(6, 9, 10), [&](std::size_t i, std::size_t j, std::size_t k) {
        int best = 0;
        if (i > 0) best = std::max(best, depth[at(i - 1, j, k)]);
        if (j + 1 < 9) best = std::max(best, depth[at(i, j + 1, k)]);
        if (k > 1) best = std::max(best, depth[at(i, j, k - 2)]);
        depth[at(i, j, k)] = best + 1;
      });
  cell.then(cell, offset(1, 0, 0));
  cell.then(cell, offset(0, -1, 0));
  cell.then(cell, offset(0, 0, 2));
  program.run(workers(GetParam()));
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j < 9; ++j) {
      for (std::size_t k = 0; k < 10; ++k) {
        EXPECT_EQ(depth[at(i, j, k)], static_cast<int>(i + (8 - j) + k / 2 + 1));
      }
    }
  }
}

TEST_P(Firing, CountsInputsThatAMappingGives) {
  // A tree: each of 64 leaves enables its parent, which waits for all of its four children.
  std::vector<int> sums(1 + 4 + 16 + 64, 0);
  Program program;
  auto node = program.thread("node", range(sums.size()), [&](std::size_t i) {
    if (4 * i + 1 >= sums.size()) {
      sums[i] = 1;
      return;
    }
    for (std::size_t child = 4 * i + 1; child <= 4 * i + 4; ++child) sums[i] += sums[child];
  });
  node.then(node, [](std::size_t i, auto to) {
    if (i > 0) to((i - 1) / 4);
  });
  program.run(workers(GetParam()));
  EXPECT_EQ(sums[0], 64);
}

TEST_P(Firing, RunsOnlyIndicesThatExist) {
  std::vector<std::atomic<int>> runs(20 * 20);
  Program program;
  auto below = program.thread("below", range(20, 20),
                              [&](std::size_t i, std::size_t j) { ++runs[20 * i + j]; });
  below.where([](std::size_t i, std::size_t j) { return j < i; });
  below.then(below, offset(1, 0));
  program.run(workers(GetParam()));
  for (std::size_t i = 0; i < 20; ++i) {
    for (std::size_t j = 0; j < 20; ++j) EXPECT_EQ(runs[20 * i + j], j < i ? 1 : 0);
  }
}

TEST_P(Firing, TakesRangesFromTheFrameThatTheInletSets) {
  struct Frame {
    std::size_t size = 0;
    std::vector<int> values;
    int outlet_saw = 0;
  };
  Program<Frame> program;
  program.inlet([](Frame& frame) {
    frame.size = 123;
    frame.values.resize(123);
  });
  program.thread("fill", range(&Frame::size),
                 [](Frame& frame, std::size_t i) { frame.values[i] = 1; });
  program.outlet([](Frame& frame) {
    frame.outlet_saw = std::accumulate(frame.values.begin(), frame.values.end(), 0);
  });
  Frame frame;
  program.run(frame, workers(GetParam()));
  EXPECT_EQ(frame.outlet_saw, 123);
}

TEST_P(Firing, RunsOnlyTheConsumersThatASwitchChose) {
  enum class Kind { kEven, kOdd, kZero };
  std::vector<int> results(100, -1);
  Program program;
  auto kind = program.choose("kind", range(100), [](std::size_t i) {
    return i == 0 ? Kind::kZero : i % 2 == 0 ? Kind::kEven : Kind::kOdd;
  });
  auto zero = program.thread("zero", range(100), [&](std::size_t i) { results[i] = 0; });
  auto even = program.thread("even", range(100), [&](std::size_t i) { results[i] = 2; });
  auto odd = program.thread("odd", range(100), [&](std::size_t i) { results[i] = 1; });
  kind.when(Kind::kZero, zero).when(Kind::kEven, even).when(Kind::kOdd, odd);
  program.run(workers(GetParam()));
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(results[i], i == 0 ? 0 : i % 2 == 0 ? 2 : 1);
}

TEST_P(Firing, LoopsThroughASwitchAsInFigure4) {
  struct Frame {
    int index = -1;
    int limit = 50;
    int joins = 0;
    bool returned = false;
  };
  Program<Frame> program;
  auto begin = program.thread("Thr11", [](Frame& f) { f.index = 0; });
  auto test = program.choose("Thr12", [](Frame& f) { return f.index < f.limit; });
  auto left = program.thread("left", [](Frame&) {});
  auto right = program.thread("right", [](Frame&) {});
  auto next = program.thread("Thr13", [](Frame& f) {
    ++f.index;
    ++f.joins;
  });
  auto end = program.thread("Thr14", [](Frame& f) { f.returned = true; });
  begin.then(test);
  test.when(true, left).when(true, right).when(false, end);
  left.then(next);
  right.then(next);
  next.again(test);
  Frame frame;
  const auto report = program.run(frame, workers(GetParam()));
  EXPECT_EQ(frame.index, 50);
  EXPECT_EQ(frame.joins, 50);
  EXPECT_TRUE(frame.returned);
  EXPECT_EQ(report.threads_fired, 1U + 51 + 3 * 50 + 1);
}

TEST_P(Firing, MergesTheBranchesOfASwitch) {
  std::vector<int> results(200);
  Program program;
  auto kind = program.choose("kind", range(200), [](std::size_t i) { return i % 3 == 0; });
  auto yes = program.thread("yes", range(200), [&](std::size_t i) { results[i] = 10; });
  auto no = program.thread("no", range(200), [&](std::size_t i) { results[i] = 20; });
  auto after = program.thread("after", range(200), [&](std::size_t i) { ++results[i]; });
  kind.when(true, yes).when(false, no);
  yes.merge(after);
  no.merge(after);
  program.run(workers(GetParam()));
  for (std::size_t i = 0; i < 200; ++i) EXPECT_EQ(results[i], i % 3 == 0 ? 11 : 21);
}

}  // namespace
}  // namespace raddle::ddm
