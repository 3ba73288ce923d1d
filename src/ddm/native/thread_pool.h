// The host's threads that run workers: one pool for all runs of an executor. A thread that is out
// of work in one run goes to another that wants more; a thread that starts a run while the others
// are busy runs one of its workers itself, so each run makes progress whatever others do. Threads
// are pinned to cores until a neighbour on the machine takes a core from one of them.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "ddm/native/run.h"

namespace raddle::ddm::native {

// While it lives, the calling thread takes part in a run of that pool.
class TakingPart {
 public:
  explicit TakingPart(const ThreadPool& pool);
  TakingPart(const TakingPart&) = delete;
  TakingPart& operator=(const TakingPart&) = delete;
  ~TakingPart();
  // Of any pool.
  static bool any();
  static bool in_run_of(const ThreadPool& pool);

 private:
  const ThreadPool* outer_;  // of the run whose thread has started this one
};

class ThreadPool {
 public:
  ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool();

  [[nodiscard]] const std::vector<int>& cores() const { return cores_; }

  // Gives a run threads for its workers. If not all are free, the caller is to run the worker that
  // is returned, unless it attends to other nodes meanwhile.
  [[nodiscard]] Worker* begin(Run& run);
  // Waits until the run has ended and its threads have left.
  void finish(Run& run);

  // A run has work, and none of its threads sleeps that could be woken.
  void call(Run& run);
  // Whether another run may want a thread of this one that has no work …
  [[nodiscard]] bool wants_threads() const { return wanted_.load(std::memory_order_relaxed) != 0; }
  // … and does: then the thread has to leave. One thread stays in each run.
  [[nodiscard]] bool leave(Run& run);

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr int kAnyCore = -1;
  static constexpr int kUnknown = -2;

  struct Member {
    std::size_t number = 0;
    std::thread thread;
    std::condition_variable assigned;
    Run* run = nullptr;  // where it is or goes to
    Worker* worker = nullptr;
    bool there = false;  // it is there
    int core = kUnknown;
    // The last look at it, if it has not begun anything else since.
    Clock::time_point seen;
    std::chrono::nanoseconds ran{};
    std::uint32_t naps = 0;
  };

  void grow(std::size_t free);
  void live(Member& member);
  void want(Run& run, std::size_t more);
  void assign(Member& member, Run& run);
  void release(Member& member);
  void recall(Run& run);
  [[nodiscard]] std::size_t free() const;
  void pin(Member& member, int core);
  void loosen();
  bool loses_core(const Run& run);

  const std::vector<int> cores_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Member>> members_;
  std::vector<Run*> open_;
  std::atomic<std::size_t> wanted_{0};  // by all open runs
  Clock::time_point loose_until_;       // no thread is pinned before
  bool closing_ = false;
};

}  // namespace raddle::ddm::native
