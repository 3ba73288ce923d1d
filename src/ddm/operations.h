// Operations that threads of a run have started outside of it (see Completion), and those of them
// that have ended and are to be taken note of by whoever runs threads.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "raddle/ddm/completion.h"
#include "raddle/ddm/graph.h"

namespace raddle::ddm {

class Operations : public std::enable_shared_from_this<Operations> {
 public:
  struct Operation {
    void* context = nullptr;  // the executor's
    const BlockGraph* block = nullptr;
    std::uint32_t thread = 0;
    Coordinates at{};
    std::exception_ptr error;  // that it ended with
  };

  // `on_end` is called, one call at a time, when an operation has ended; until close().
  Operations(std::function<void()> on_end, std::function<bool()> run_stops)
      : on_end_(std::move(on_end)), run_stops_(std::move(run_stops)) {}

  [[nodiscard]] Completion begin(Operation operation);
  // One that has ended, if there is any.
  [[nodiscard]] std::optional<Operation> take();
  // Waits for one.
  [[nodiscard]] Operation wait();
  [[nodiscard]] bool any() const { return ended_count_.load(std::memory_order_seq_cst) != 0; }
  // The run is over; completions may live on.
  void close();

 private:
  class Pending;
  void end(Operation operation);
  Operation pop();

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> on_end_;
  std::function<bool()> run_stops_;
  std::deque<Operation> ended_;
  std::atomic<std::size_t> ended_count_{0};
};

}  // namespace raddle::ddm
