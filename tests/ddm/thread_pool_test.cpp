// All runs of an executor take their threads from one pool, which gives way to other programs.
#include <gtest/gtest.h>
#include <pthread.h>
#include <raddle/ddm.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <functional>
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

void run(Executor& executor, Program<>& program, int count) {
  NoFrame frame;
  program.run_on(executor, frame, workers(count));
}

class ThreadsSeen {
 public:
  void note() {
    const std::lock_guard lock(mutex_);
    seen_.insert(std::this_thread::get_id());
  }
  [[nodiscard]] std::size_t count() const { return seen_.size(); }

 private:
  std::mutex mutex_;
  std::set<std::thread::id> seen_;
};

TEST(ThreadPool, RunsWithinRunsHaveNoFurtherThreads) {
  const auto executor = make_native_executor();
  ThreadsSeen threads;
  Program innermost("innermost"), inner("inner"), outer("outer");
  innermost.thread("t", range(8), [&](std::size_t) {
    threads.note();
    std::this_thread::sleep_for(100us);
  });
  inner.thread("t", range(8), [&](std::size_t) { run(*executor, innermost, 2); });
  outer.thread("t", range(8), [&](std::size_t) { run(*executor, inner, 2); });
  run(*executor, outer, 2);
  EXPECT_EQ(threads.count(), 2U);
}

TEST(ThreadPool, RunsNestDeeply) {
  const auto executor = make_native_executor();
  std::atomic<int> ran{0};
  const std::function<void(int)> descend = [&](int depth) {
    Program program;
    program.thread("t", range(2), [&](std::size_t i) {
      ++ran;
      if (i == 0 && depth > 1) descend(depth - 1);
    });
    run(*executor, program, 3);
  };
  descend(40);
  EXPECT_EQ(ran, 80);
}

// Each waits for all others: none waits until another has ended.
TEST(ThreadPool, ManyRunsAreUnderWayAtTheSameTime) {
  constexpr int kRuns = 20;
  std::atomic<int> begun{0};
  std::vector<Program<>> programs(kRuns);
  std::vector<AsyncRun> runs;
  for (auto& program : programs) {
    program.thread("t", [&] {
      ++begun;
      for (int i = 0; i < 20000 && begun < kRuns; ++i) std::this_thread::sleep_for(1ms);
      if (begun < kRuns) throw std::runtime_error("alone");
    });
    runs.push_back(program.run_async(workers(1)));
  }
  for (auto& run : runs) EXPECT_EQ(run.get().threads_fired, 1U);
}

// The first run has nothing to do until the second has ended, which two threads must work on.
TEST(ThreadPool, ThreadsOutOfWorkGoToAnotherRun) {
  const auto executor = make_native_executor();
  std::atomic<bool> ended{false};
  std::atomic<int> ran_after{0};
  Program first("first"), second("second");
  auto wait = first.thread("wait", [&] {
    for (int i = 0; i < 20000 && !ended; ++i) std::this_thread::sleep_for(1ms);
  });
  auto after = first.thread("after", range(1000), [&](std::size_t) { ++ran_after; });
  wait.then(after);
  std::thread caller([&] { run(*executor, first, 2); });
  ThreadsSeen threads;
  second.thread("t", range(64), [&](std::size_t) {
    threads.note();
    std::this_thread::sleep_for(2ms);
  });
  run(*executor, second, 2);
  ended = true;
  caller.join();
  EXPECT_EQ(threads.count(), 2U);
  EXPECT_EQ(ran_after, 1000);
}

// Runs that begin and end all the time, and whose threads come and go.
TEST(ThreadPool, LosesNoWorkBetweenRuns) {
  const auto executor = make_native_executor();
  std::atomic<long> sum{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&] {
      Program program;
      auto wide =
          program.thread("wide", range(200), [&](std::size_t i) { sum += static_cast<long>(i); });
      auto narrow = program.thread("narrow", range(20), [&](std::size_t) {
        std::this_thread::sleep_for(20us);
        ++sum;
      });
      narrow.then(narrow, offset(1));
      narrow.then(wide, all);
      for (int i = 0; i < 100; ++i) run(*executor, program, 3);
    });
  }
  for (auto& caller : callers) caller.join();
  EXPECT_EQ(sum, 4 * 100 * (199 * 200 / 2 + 20));
}

std::vector<int> usable_cores(cpu_set_t& set) {
  std::vector<int> cores;
  if (sched_getaffinity(0, sizeof set, &set) == 0) {
    for (int core = 0; core < CPU_SETSIZE; ++core)
      if (CPU_ISSET(core, &set)) cores.push_back(core);
  }
  return cores;
}

// Another program computes on every core, and does not move.
TEST(ThreadPool, PinnedThreadsGiveWayToABusyNeighbour) {
  cpu_set_t all_cores;
  const auto cores = usable_cores(all_cores);
  if (cores.size() < 2) GTEST_SKIP() << "one core is all there is";
  std::atomic<bool> over{false};
  std::vector<std::thread> neighbours;
  for (const int core : cores) {
    neighbours.emplace_back([&over, core] {
      cpu_set_t one;
      CPU_ZERO(&one);
      CPU_SET(core, &one);
      pthread_setaffinity_np(pthread_self(), sizeof one, &one);
      while (!over.load(std::memory_order_relaxed)) {
      }
    });
  }
  const auto executor = make_native_executor();
  std::atomic<bool> was_pinned{false}, gave_way{false};
  Program program;
  program.thread("t", [&] {
    const auto begin = std::chrono::steady_clock::now();
    while (!gave_way && std::chrono::steady_clock::now() - begin < 20s) {
      cpu_set_t now;
      (usable_cores(now).size() == 1 ? was_pinned : gave_way) = true;
    }
  });
  run(*executor, program, 2);
  over = true;
  for (auto& neighbour : neighbours) neighbour.join();
  EXPECT_TRUE(was_pinned);
  EXPECT_TRUE(gave_way);
}

}  // namespace
}  // namespace raddle::ddm
