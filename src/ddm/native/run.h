// What the workers of one run share: the program, whether it has ended or failed, and who is out of
// work.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <vector>

#include "ddm/native/plan.h"
#include "ddm/native/priority_queue.h"
#include "ddm/native/profile.h"
#include "ddm/native/signal.h"
#include "ddm/operations.h"
#include "raddle/ddm/executor.h"

namespace raddle::ddm::native {

class Network;
class ThreadPool;
class Timeline;
class Worker;

// The host's threads in a run. The pool that they are from keeps it, under its lock.
struct Team {
  ThreadPool* pool = nullptr;
  std::vector<Worker*> vacant;   // workers without a thread
  std::size_t wanted = 0;        // for how many of these a thread is to come
  std::size_t present = 0;       // threads of the pool that are there, or on the way
  std::size_t staying = 0;       // of these, with the caller's: have not decided to leave
  std::condition_variable left;  // a thread has, after the end
};

struct Run {
  Run(const ProgramGraph& graph, std::shared_ptr<const ProgramPlan> made, const Options& chosen)
      : program(graph), plan(std::move(made)), options(chosen) {}

  static constexpr std::uint32_t kStopping = 0x80000000;

  const ProgramGraph& program;
  std::shared_ptr<const ProgramPlan> plan;
  const Options& options;
  std::vector<Worker*> workers;   // those that take part; others can be stolen from as well
  std::vector<int> memory_nodes;  // by worker: its NUMA node
  std::size_t crew = 0;           // workers that run threads: the first of them
  Network* network = nullptr;     // other nodes, if there are any
  Timeline* timeline = nullptr;
  bool profiled = false;       // contexts keep what their instances took
  CriticalPath critical_path;  // of the first context, in a run with a profile
  bool keeps_threads = false;  // none leaves for another run before the end
  bool crowded = false;        // more threads than cores
  bool pinned = false;         // threads of the pool stay on their cores
  bool watched = false;        // … while nobody takes one from them, which the caller looks after
  Team team;

  // Not zero: workers are out of work (how many), or the run stops (highest bit). Threads in
  // batches look at it.
  alignas(64) std::atomic<std::uint32_t> attention{0};
  alignas(64) std::atomic<std::uint32_t> parked{0};
  PriorityQueue priorities;                // ready instances of threads that have them
  std::shared_ptr<Operations> operations;  // started outside the run; null: none can be
  Signal wakeups;                          // what parked workers wait for
  std::atomic<bool> waking{false};         // one has been woken and has not looked for work yet
  std::atomic<bool> ended{false};

  [[nodiscard]] bool stopping() const {
    return (attention.load(std::memory_order_relaxed) & kStopping) != 0;
  }

  // Ends the run early with this error; the first one counts.
  void fail(std::exception_ptr error) {
    {
      const std::lock_guard lock(error_mutex_);
      if (!error_) error_ = std::move(error);
    }
    attention.fetch_or(kStopping);
    wake_all();
  }
  // What it failed with; null: it did not.
  [[nodiscard]] std::exception_ptr error() const {
    const std::lock_guard lock(error_mutex_);
    return error_;
  }

  void end() {
    ended.store(true);
    wake_all();
  }

  // After something was queued. One worker is woken at a time; it wakes the next if there is more
  // to do.
  void wake_one() {
    if (parked.load(std::memory_order_seq_cst) == 0) return;
    if (waking.exchange(true)) return;
    if (!wakeups.wake_one()) call_thread();
  }
  void wake_all() { wakeups.wake_all(); }
  // Whether there is something to do, in queues that any worker looks into.
  [[nodiscard]] bool has_work() const;

 private:
  void call_thread();

  mutable std::mutex error_mutex_;
  std::exception_ptr error_;
};

}  // namespace raddle::ddm::native
