// Threads that something outside the run completes.
#include <gtest/gtest.h>
#include <raddle/ddm.h>

#include <atomic>
#include <chrono>
#include <memory>
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

// Threads of the process that complete operations after a while.
class Device {
 public:
  void start(Completion done, std::function<void()> work) {
    const std::lock_guard lock(mutex_);
    threads_.emplace_back([done = std::move(done), work = std::move(work)] {
      std::this_thread::sleep_for(1ms);
      work();
      done();
    });
  }

 private:
  std::mutex mutex_;
  std::vector<std::jthread> threads_;
};

void run_on_device(Executor& executor, int count) {
  Device device;
  struct Frame {
    std::vector<int> results = std::vector<int>(20);
    int sum = 0;
  } frame;
  Program<Frame> program;
  auto start = program.external("start", range(20), [&](Frame& f, std::size_t i, Completion done) {
    device.start(std::move(done), [&f, i] { f.results[i] = static_cast<int>(i); });
  });
  auto add = program.thread("add", [](Frame& f) {
    for (const int value : f.results) f.sum += value;
  });
  start.then(add);
  const auto report = program.run_on(executor, frame, workers(count));
  EXPECT_EQ(frame.sum, 190);
  EXPECT_EQ(report.threads_fired, 21U);
}

TEST(External, WaitsForOperationsOfOtherThreads) {
  for (const int count : {1, 2, 4}) run_on_device(*make_native_executor(), count);
}

TEST(External, DoesSoOneAfterAnotherAsWell) { run_on_device(*make_sequential_executor(), 1); }

// Whoever waits for an operation does not hold a worker: one of them starts all.
TEST(External, LeavesWorkersToOthers) {
  Device device;
  std::atomic<int> open{0}, most{0}, other{0};
  Program program;
  program.external("start", range(16), [&](std::size_t, Completion done) {
    most = std::max(most.load(), ++open);
    device.start(std::move(done), [&] {
      while (most < 16) std::this_thread::sleep_for(1ms);
    });
  });
  program.thread("other", range(100), [&](std::size_t) { ++other; });
  program.run(workers(1));
  EXPECT_EQ(most, 16);
  EXPECT_EQ(other, 100);
}

TEST(External, MayEndBeforeItsBodyDoes) {
  std::atomic<int> ran{0};
  Program program;
  auto now = program.external("now", range(1000), [](std::size_t, const Completion& done) {
    done();
    done();  // once is enough
  });
  auto after = program.thread("after", range(1000), [&](std::size_t) { ++ran; });
  now.then(after);
  EXPECT_EQ(program.run(workers(2)).threads_fired, 2000U);
  EXPECT_EQ(ran, 1000);
}

TEST(External, FailsTheRunWithWhatTheOperationFailedWith) {
  Device device;
  Program program;
  auto start = program.external("start", [&](const Completion& done) {
    device.start(done, [done] {
      done.fail(std::make_exception_ptr(std::runtime_error("the disk is full")));
    });
  });
  std::atomic<bool> ran{false};
  start.then(program.thread("after", [&] { ran = true; }));
  try {
    program.run(workers(2));
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "the disk is full");
  }
  EXPECT_FALSE(ran);
}

TEST(External, SaysWhichCompletionWasDropped) {
  Program program;
  program.external("forgets", range(3), [](std::size_t i, const Completion& done) {
    if (i != 2) done();
  });
  const auto sequential = make_sequential_executor();
  NoFrame frame;
  for (auto* executor : {&default_executor(), sequential.get()}) {
    try {
      program.run_on(*executor, frame, workers(2));
      FAIL();
    } catch (const Error& error) {
      EXPECT_STREQ(
          error.what(),
          "thread 'forgets'[2] of block 'main': its Completion was dropped without a call\n"
          "hint: call it when the operation has ended, or fail(…) if it cannot be started");
    }
  }
}

TEST(External, TellsOperationsThatTheRunIsCancelled) {
  Device device;
  std::stop_source stop;
  Options options = workers(2);
  options.stop = stop.get_token();
  std::atomic<bool> stopped{false};
  Program program;
  program.external("endless", [&](const Completion& done) {
    device.start(done, [&stopped, done] {
      while (!done.run_stops()) std::this_thread::sleep_for(1ms);
      stopped = true;
    });
    stop.request_stop();
  });
  EXPECT_THROW(program.run(options), CancelledError);
  EXPECT_TRUE(stopped);
}

// A run ends when its last operation has; a completion may live on and be called once more.
TEST(External, LetsCompletionsOutliveTheRun) {
  std::vector<Completion> kept;
  Program program;
  program.external("keep", [&](const Completion& done) {
    kept.push_back(done);
    done();
  });
  program.run(workers(1));
  kept.front()();
  EXPECT_FALSE(kept.front().run_stops());
}

TEST(External, CannotBeBoundToAWorker) {
  Program program;
  auto start = program.external("start", [](const Completion& done) { done(); });
  try {
    start.worker([](int) { return 0; });
    FAIL();
  } catch (const GraphError& error) {
    EXPECT_STREQ(
        error.what(),
        "thread 'start' of block 'main': a thread that is completed from outside cannot be "
        "bound to a worker\nhint: bind threads that follow it");
  }
}

}  // namespace
}  // namespace raddle::ddm
