// When each worker ran what, written as a trace that Perfetto and chrome://tracing open (the Trace
// Event Format).
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ddm/native/plan.h"

namespace raddle::ddm::native {

class Timeline {
 public:
  using Clock = std::chrono::steady_clock;

  Timeline(std::string file, std::size_t workers)
      : file_(std::move(file)), events_(workers), waits_(workers) {}

  // Instances of a thread that a worker ran one after another; each worker writes to a list of its
  // own.
  void add(unsigned worker, const BlockPlan& block, const ThreadPlan& thread,
           const Coordinates& first, unsigned count, Clock::time_point begin,
           Clock::time_point end) {
    events_[worker].push_back({&block, &thread, first, count, begin, end});
  }

  struct Event {
    const BlockPlan* block;
    const ThreadPlan* thread;
    Coordinates first;
    unsigned count;
    Clock::time_point begin;
    Clock::time_point end;
  };
  // By worker.
  [[nodiscard]] const std::vector<std::vector<Event>>& events() const { return events_; }
  [[nodiscard]] Clock::time_point start() const { return start_; }
  // A worker looked for something to run in vain.
  void add_wait(unsigned worker, Clock::time_point begin, Clock::time_point end) {
    waits_[worker].emplace_back(begin, end);
  }

  // Throws Error if the file cannot be written.
  void write(int node) const;

 private:
  std::string file_;
  Clock::time_point start_ = Clock::now();
  std::vector<std::vector<Event>> events_;
  std::vector<std::vector<std::pair<Clock::time_point, Clock::time_point>>> waits_;
};

}  // namespace raddle::ddm::native
