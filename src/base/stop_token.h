// Whether the user wants work to end: a signal came, or its time is over. Whoever starts work puts
// a token in force on its thread (StopScope); phases that take long and count no cycles, such as
// reading PTX or placing a graph, ask for it between two steps. Layers below the machines need to
// know no more of a run than this.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>

namespace raddle {

enum class StopReason : std::uint8_t { kNone, kInterrupted, kTimeout };

// Thrown where a phase ends because it was stopped. Not an Error: nobody did anything wrong.
struct Stopped {
  StopReason reason = StopReason::kInterrupted;
  const char* phase = "";  // what was going on: "reading PTX"
};

class StopToken {
 public:
  using Clock = std::chrono::steady_clock;

  StopToken() = default;  // never stops anything
  // The flag must outlive the token and its copies; null: there is none.
  explicit StopToken(const std::atomic<bool>* interrupted,
                     Clock::time_point deadline = Clock::time_point::max())
      : interrupted_(interrupted), deadline_(deadline) {}

  bool can_stop() const { return interrupted_ != nullptr || has_deadline(); }
  StopReason reason() const {
    if (interrupted_ != nullptr && interrupted_->load(std::memory_order_relaxed))
      return StopReason::kInterrupted;
    return has_deadline() && Clock::now() > deadline_ ? StopReason::kTimeout : StopReason::kNone;
  }
  // The same with this deadline, if its own is not earlier.
  StopToken until(Clock::time_point deadline) const {
    return StopToken(interrupted_, std::min(deadline, deadline_));
  }

 private:
  bool has_deadline() const { return deadline_ != Clock::time_point::max(); }

  const std::atomic<bool>* interrupted_ = nullptr;
  Clock::time_point deadline_ = Clock::time_point::max();
};

// Puts a token in force on this thread; the one before comes back at the end.
class StopScope {
 public:
  explicit StopScope(const StopToken& token);
  ~StopScope();
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

 private:
  StopToken before_;
};

// The token in force on this thread.
const StopToken& current_stop();

// Throws Stopped if the token in force says so. Takes some nanoseconds, with a deadline some tens:
// cheap enough for a loop whose body takes a microsecond.
void throw_if_stopped(const char* phase);

}  // namespace raddle
