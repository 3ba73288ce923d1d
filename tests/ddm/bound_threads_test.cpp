// Threads that are bound to workers: where they run, that nothing is lost on the way, and how they
// fail.
#include <gtest/gtest.h>
#include <raddle/ddm.h>

#include <atomic>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

namespace raddle::ddm {
namespace {

Options workers(int count) {
  Options options;
  options.workers = count;
  return options;
}

class Bound : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Workers, Bound, testing::Values(1, 2, 3, 5));

TEST_P(Bound, RunsInstancesOnTheirWorkerAlone) {
  std::mutex mutex;
  std::vector<std::set<std::thread::id>> seen(static_cast<std::size_t>(GetParam()));
  Program program;
  program
      .thread("where", range(500),
              [&](std::size_t i) {
                const std::lock_guard lock(mutex);
                seen[i % seen.size()].insert(std::this_thread::get_id());
              })
      .worker([](std::size_t i, int count) { return static_cast<int>(i) % count; });
  EXPECT_EQ(program.run(workers(GetParam())).threads_fired, 500U);
  std::set<std::thread::id> all;
  for (const auto& ids : seen) {
    ASSERT_EQ(ids.size(), 1U);
    all.insert(*ids.begin());
  }
  EXPECT_EQ(all.size(), seen.size());
}

// Each point adds up its neighbours of the row before; points are dealt out to workers.
TEST_P(Bound, ComputesAStencilAsOneThreadDoes) {
  constexpr std::size_t kSteps = 400, kWidth = 9;
  std::vector<std::vector<unsigned>> rows(kSteps, std::vector<unsigned>(kWidth));
  const auto point = [&](std::vector<std::vector<unsigned>>& into, std::size_t t, std::size_t p) {
    unsigned sum = static_cast<unsigned>(p + 1);
    if (t > 0) {
      sum = into[t - 1][p];
      if (p > 0) sum += 3 * into[t - 1][p - 1];
      if (p + 1 < kWidth) sum += 5 * into[t - 1][p + 1];
    }
    into[t][p] = sum;
  };
  Program program;
  auto step = program.thread("step", range(kSteps, kWidth),
                             [&](std::size_t t, std::size_t p) { point(rows, t, p); });
  step.worker(
      [](std::size_t, std::size_t p, int count) { return static_cast<int>(p * 7) % count; });
  for (const int distance : {-1, 0, 1}) step.then(step, offset(1, distance));
  auto expected = rows;
  for (std::size_t t = 0; t < kSteps; ++t) {
    for (std::size_t p = 0; p < kWidth; ++p) point(expected, t, p);
  }
  for (int round = 0; round < 3; ++round) {
    for (auto& row : rows) row.assign(kWidth, 0);
    program.run(workers(GetParam()));
    EXPECT_EQ(rows, expected);
  }
}

TEST_P(Bound, SendsMoreMessagesThanAnInboxHolds) {
  constexpr std::size_t kCount = 5000;
  std::vector<int> first(kCount), second(kCount), third(kCount);
  Program program;
  auto a =
      program.thread("a", range(kCount), [&](std::size_t i) { first[i] = static_cast<int>(i); });
  auto b = program.thread("b", range(kCount), [&](std::size_t i) { second[i] = first[i] + 1; });
  auto c = program.thread("c", range(kCount),
                          [&](std::size_t i) { third[i] = second[kCount - 1 - i] + first[i]; });
  a.worker([](std::size_t i, int count) { return static_cast<int>(i) % count; });
  b.worker([](std::size_t i, int count) { return static_cast<int>(i + 1) % count; });
  a.then(b);
  a.then(c);
  b.then(c, [](std::size_t i, auto to) { to(kCount - 1 - i); });
  program.run(workers(GetParam()));
  for (std::size_t i = 0; i < kCount; ++i) ASSERT_EQ(third[i], static_cast<int>(kCount));
}

TEST_P(Bound, WaitsForAllAndIsWaitedForByAll) {
  std::atomic<int> before{0};
  std::atomic<int> wrong{0};
  int last = 0;
  Program program;
  auto free = program.thread("free", range(300), [&](std::size_t) { ++before; });
  auto bound = program.thread("bound", range(100), [&](std::size_t) {
    if (before != 300) ++wrong;
  });
  bound.worker([](std::size_t i, int count) { return static_cast<int>(i / 10) % count; });
  auto end = program.thread("end", [&] { last = before; });
  free.then(bound, all);
  bound.then(end);
  EXPECT_EQ(program.run(workers(GetParam())).threads_fired, 401U);
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(last, 300);
}

TEST_P(Bound, LoopsOnItsWorker) {
  struct Loop {
    int left = 1000;
    int turns = 0;
  };
  Program<Loop> program("loop");
  auto begin = program.thread("begin", [](Loop&) {});
  auto test = program.choose("test", [](Loop& loop) { return --loop.left > 0; });
  auto body = program.thread("body", [](Loop& loop) { ++loop.turns; });
  auto end = program.thread("end", [](Loop&) {});
  test.worker([](int) { return 0; });
  body.worker([](int count) { return count - 1; });
  test.when(true, body).when(false, end);
  begin.then(test);
  body.again(test);
  Loop loop;
  program.run(loop, workers(GetParam()));
  EXPECT_EQ(loop.turns, 999);
}

TEST_P(Bound, RunsInInvokedBlocks) {
  struct Part {
    int from = 0;
    long sum = 0;
  };
  std::atomic<long> total{0};
  Program program;
  auto part = program.block<Part>("part");
  std::vector<std::vector<long>> cells(200, std::vector<long>(8));
  auto fill = part.thread("fill", range(8), [&](Part& frame, std::size_t i) {
    cells[static_cast<std::size_t>(frame.from)][i] = frame.from + static_cast<long>(i);
  });
  fill.worker([](const Part& frame, std::size_t i, int count) {
    return (frame.from + static_cast<int>(i)) % count;
  });
  auto add = part.thread("add", [&](Part& frame) {
    for (const long value : cells[static_cast<std::size_t>(frame.from)]) frame.sum += value;
  });
  fill.then(add);
  program.call(
      "parts", range(200), part, [](std::size_t i) { return Part{static_cast<int>(i)}; },
      [&](std::size_t, const Part& frame) { total += frame.sum; });
  program.run(workers(GetParam()));
  EXPECT_EQ(total, 8 * (199 * 200 / 2) + 200 * 28);
}

TEST_P(Bound, PassesAnExceptionOnAndRunsAgain) {
  bool fails = true;
  std::atomic<int> ran{0};
  Program program;
  auto step = program.thread("step", range(100, 4), [&](std::size_t t, std::size_t p) {
    if (fails && t == 50 && p == 3) throw std::runtime_error("no");
    ++ran;
  });
  step.worker([](std::size_t, std::size_t p, int count) { return static_cast<int>(p) % count; });
  step.then(step, offset(1, 0));
  step.then(step, offset(1, 1));
  EXPECT_THROW(program.run(workers(GetParam())), std::runtime_error);
  fails = false;
  ran = 0;
  program.run(workers(GetParam()));
  EXPECT_EQ(ran, 400);
}

TEST(BoundErrors, NamesAWorkerThatDoesNotExist) {
  Program program("p");
  program.thread("t", range(3), [](std::size_t) {}).worker([](std::size_t i, int) {
    return static_cast<int>(i);
  });
  try {
    program.run(workers(2));
    FAIL();
  } catch (const GraphError& error) {
    EXPECT_STREQ(error.what(),
                 "thread 't'[2] of block 'p': worker(…) gives worker 2 of 2\n"
                 "hint: workers are numbered from 0");
  }
}

TEST(BoundErrors, RefusesThreadsThatInvokeBlocks) {
  Program program("p");
  auto callee = program.block("callee");
  auto call = program.call("call", callee, [] { return NoFrame{}; });
  try {
    call.worker([](int) { return 0; });
    FAIL();
  } catch (const GraphError& error) {
    EXPECT_STREQ(error.what(),
                 "thread 'call' of block 'p': a thread that invokes blocks cannot be bound to a "
                 "worker\nhint: bind threads of the block that it invokes");
  }
}

TEST(BoundErrors, NamesThreadsThatStarve) {
  Program program("p");
  auto first = program.thread("first", range(4), [](std::size_t) {});
  auto second = program.thread("second", range(4), [](std::size_t) {});
  const auto own = [](std::size_t i, int count) { return static_cast<int>(i) % count; };
  second.worker(own);
  auto flag = program.choose("flag", [] { return 1; });
  flag.when(1, second, [](auto to) { to(0); });
  flag.when(2, second, [](auto to) { to(0); });
  first.then(second);
  EXPECT_THROW(program.run(workers(2)), StarvationError);
}

}  // namespace
}  // namespace raddle::ddm
