// One line on a terminal that says how a long kernel is getting on: simulated cycles, the share of
// thread blocks done, cycles simulated a second, and the time left. It comes after half a second,
// is rewritten in place and leaves nothing behind.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "machine/run/launch_options.h"

namespace raddle::report {

class ProgressLine {
 public:
  using Clock = std::chrono::steady_clock;
  using Writer = std::function<void(std::string_view)>;

  explicit ProgressLine(Writer writer) : writer_(std::move(writer)) {}

  // A kernel begins, told by its mangled name.
  void start(std::string kernel, Clock::time_point now = Clock::now());
  void update(const machine::LaunchProgress& progress, Clock::time_point now = Clock::now());
  // Takes the line away, so that something else can be printed; the next update brings it back.
  void clear();

 private:
  Writer writer_;
  std::string kernel_;
  Clock::time_point start_;
  Clock::time_point next_;
  bool shown_ = false;
};

// Writes to standard error when that is a terminal, else nowhere.
ProgressLine progress_line_on_terminal();

// "hotspot: 1.2e+09 cycles, 43% of 4096 blocks, 1.2e+07 cycles/s, 8 s left"
std::string progress_text(std::string_view kernel, const machine::LaunchProgress& progress,
                          double seconds);

}  // namespace raddle::report
