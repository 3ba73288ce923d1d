// Ranges of more than three dimensions.
#include <gtest/gtest.h>
#include <raddle/ddm.h>

#include <array>
#include <atomic>
#include <vector>

namespace raddle::ddm {
namespace {

Options workers(int count) {
  Options options;
  options.workers = count;
  return options;
}

using Index = std::size_t;

TEST(Dimensions, RunsEveryIndexOfSixOnce) {
  std::vector<std::atomic<int>> ran(Index{2} * 3 * 4 * 2 * 3 * 5);
  Program program;
  program.thread("t", range(2, 3, 4, 2, 3, 5),
                 [&](Index a, Index b, Index c, Index d, Index e, Index f) {
                   ++ran[((((a * 3 + b) * 4 + c) * 2 + d) * 3 + e) * 5 + f];
                 });
  EXPECT_EQ(program.run(workers(2)).threads_fired, ran.size());
  for (const auto& count : ran) EXPECT_EQ(count, 1);
}

// Paths through a grid of five dimensions, counted by threads and by loops.
struct Grid {
  Index n = 4;
  std::vector<long> paths = std::vector<long>(4 * 4 * 4 * 4 * 4);
  long& at(Index a, Index b, Index c, Index d, Index e) {
    return paths[(((a * n + b) * n + c) * n + d) * n + e];
  }
  void compute(Index a, Index b, Index c, Index d, Index e) {
    long sum = a + b + c + d + e == 0 ? 1 : 0;
    if (a > 0) sum += at(a - 1, b, c, d, e);
    if (b > 0) sum += at(a, b - 1, c, d, e);
    if (c > 0) sum += at(a, b, c - 1, d, e);
    if (d > 0) sum += at(a, b, c, d - 1, e);
    if (e > 0) sum += at(a, b, c, d, e - 1);
    at(a, b, c, d, e) = sum;
  }
};

TEST(Dimensions, StepsStayWithinEachDimension) {
  Grid expected;
  for (Index i = 0; i < expected.paths.size(); ++i)
    expected.compute(i / 256, i / 64 % 4, i / 16 % 4, i / 4 % 4, i % 4);
  Program<Grid> program;
  auto cell = program.thread(
      "cell", range(&Grid::n, &Grid::n, 4, &Grid::n, 4),
      [](Grid& g, Index a, Index b, Index c, Index d, Index e) { g.compute(a, b, c, d, e); });
  cell.then(cell, offset(1, 0, 0, 0, 0));
  cell.then(cell, offset(0, 1, 0, 0, 0));
  cell.then(cell, offset(0, 0, 1, 0, 0));
  cell.then(cell, offset(0, 0, 0, 1, 0));
  cell.then(cell, offset(0, 0, 0, 0, 1));
  for (const int count : {1, 2, 4}) {
    Grid grid;
    EXPECT_EQ(program.run(grid, workers(count)).threads_fired, 1024U);
    EXPECT_EQ(grid.paths, expected.paths);
  }
}

TEST(Dimensions, TakeConditionsMappingsAndGrain) {
  std::atomic<int> upper{0}, mapped{0}, indices{0};
  Program program;
  auto half =
      program.thread("half", range(4, 3, 2, 5), [&](Index, Index, Index, Index) { ++upper; });
  half.where([](Index i, Index, Index, Index l) { return l <= i; });
  auto to = program.thread("to", range(5, 4), [&](Index, Index) { ++mapped; });
  half.then(to, [](Index i, Index, Index, Index l, auto target) { target(l, i); });
  auto back = program.thread("back", range(2, 2, 2, 2), [](Index, Index, Index, Index) {});
  to.then(back, [](Index i, Index j, auto target) { target(i % 2, j % 2, 0, 0); });
  program.thread("chunks", range(5, 6, 7, 8).grain(2, 4, 3, 8),
                 [&](Chunk a, Chunk b, Chunk c, Chunk d) {
                   indices += static_cast<int>(a.size() * b.size() * c.size() * d.size());
                 });
  program.run(workers(2));
  EXPECT_EQ(upper, (1 + 2 + 3 + 4) * 6);
  EXPECT_EQ(mapped, 20);
  EXPECT_EQ(indices, 5 * 6 * 7 * 8);
}

TEST(Dimensions, AreNamedInMessages) {
  Program program;
  auto a = program.thread("a", range(2, 2, 2, 2), [](Index, Index, Index, Index) {});
  auto b = program.thread("b", range(3), [](Index) {});
  a.then(b, [](Index i, Index, Index, Index l, auto to) { to(2 * i + l); });
  try {
    program.run();
    FAIL();
  } catch (const GraphError& error) {
    EXPECT_STREQ(
        error.what(),
        "thread 'a'[1,0,0,1] of block 'main': it names 'b'[3] as consumer, which is not an "
        "instance of that thread\nhint: let the mapping leave out consumers beyond the "
        "range or the condition of 'b'");
  }
}

}  // namespace
}  // namespace raddle::ddm
