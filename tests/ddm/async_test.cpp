// Programs that run at the same time, within each other, and in the background.
#include <gtest/gtest.h>
#include <raddle/ddm.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

namespace raddle::ddm {
namespace {

using namespace std::chrono_literals;

Options workers(int count) {
  Options options;
  options.workers = count;
  return options;
}

TEST(AsyncRuns, GivesAReportLater) {
  std::atomic<int> ran{0};
  Program program;
  program.thread("t", range(1000), [&](std::size_t) { ++ran; });
  auto run = program.run_async(workers(2));
  EXPECT_EQ(run.get().threads_fired, 1000U);
  EXPECT_EQ(ran, 1000);
}

// Each waits for the other: both must be under way.
TEST(AsyncRuns, RunsProgramsAtTheSameTime) {
  std::atomic<int> begun{0};
  const auto meet = [&] {
    ++begun;
    for (int i = 0; i < 5000 && begun < 2; ++i) std::this_thread::sleep_for(1ms);
    if (begun < 2) throw std::runtime_error("alone");
  };
  Program one("one"), other("other");
  one.thread("t", meet);
  other.thread("t", meet);
  auto first = one.run_async(workers(1));
  auto second = other.run_async(workers(1));
  EXPECT_EQ(first.get().threads_fired, 1U);
  EXPECT_EQ(second.get().threads_fired, 1U);
}

TEST(AsyncRuns, RunsOneProgramWithSeveralFramesAtTheSameTime) {
  struct Frame {
    long sum = 0;
    std::vector<long> values = std::vector<long>(500);
  };
  Program<Frame> program;
  auto fill = program.thread("fill", range(500), [](Frame& frame, std::size_t i) {
    frame.values[i] = static_cast<long>(i);
  });
  auto add = program.thread("add", [](Frame& frame) {
    for (const long value : frame.values) frame.sum += value;
  });
  fill.then(add);
  std::vector<Frame> frames(20);
  std::vector<AsyncRun> runs;
  for (Frame& frame : frames) runs.push_back(program.run_async(frame, workers(2)));
  for (AsyncRun& run : runs) run.get();
  for (const Frame& frame : frames) EXPECT_EQ(frame.sum, 499 * 500 / 2);
}

TEST(AsyncRuns, PassesExceptionsOn) {
  Program program;
  program.thread("t", [] { throw std::runtime_error("no"); });
  auto run = program.run_async();
  run.wait();
  EXPECT_TRUE(run.has_ended());
  EXPECT_THROW(run.get(), std::runtime_error);
}

TEST(AsyncRuns, CanBeCancelled) {
  std::atomic<int> ran{0};
  Program program;
  auto slow = program.thread("slow", range(100000), [&](std::size_t) {
    ++ran;
    std::this_thread::sleep_for(100us);
  });
  slow.then(slow, offset(1));
  auto run = program.run_async(workers(2));
  while (ran == 0) std::this_thread::sleep_for(1ms);
  EXPECT_FALSE(run.has_ended());
  run.cancel();
  EXPECT_THROW(run.get(), CancelledError);
  EXPECT_LT(ran, 100000);
}

TEST(AsyncRuns, EndsWithTheCallersToken) {
  std::stop_source stop;
  stop.request_stop();
  Options options = workers(2);
  options.stop = stop.get_token();
  Program program;
  program.thread("t", range(10), [](std::size_t) {});
  auto run = program.run_async(options);
  EXPECT_THROW(run.get(), CancelledError);
}

TEST(NestedRuns, UseAllWorkers) {
  std::mutex mutex;
  std::set<std::thread::id> seen;
  Program inner("inner"), outer("outer");
  inner.thread("t", range(64), [&](std::size_t) {
    {
      const std::lock_guard lock(mutex);
      seen.insert(std::this_thread::get_id());
    }
    std::this_thread::sleep_for(2ms);
  });
  outer.thread("t", [&] { inner.run(workers(2)); });
  outer.run(workers(2));
  EXPECT_EQ(seen.size(), 2U);
}

TEST(NestedRuns, EndWhereverTheyComeFrom) {
  std::atomic<long> sum{0};
  Program innermost("innermost"), inner("inner"), outer("outer");
  innermost.thread("t", range(10), [&](std::size_t i) { sum += static_cast<long>(i); });
  inner.thread("t", range(10), [&](std::size_t) { innermost.run(workers(2)); });
  outer.thread("t", range(20), [&](std::size_t) { inner.run(workers(2)); });
  outer.run(workers(4));
  EXPECT_EQ(sum, 20 * 10 * 45);
}

TEST(NestedRuns, PassExceptionsThrough) {
  Program inner("inner"), outer("outer");
  inner.thread("t", range(100), [](std::size_t i) {
    if (i == 42) throw std::runtime_error("no");
  });
  outer.thread("t", range(8), [&](std::size_t) { inner.run(workers(2)); });
  EXPECT_THROW(outer.run(workers(2)), std::runtime_error);
}

}  // namespace
}  // namespace raddle::ddm
