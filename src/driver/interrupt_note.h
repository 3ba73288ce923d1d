// Ctrl-C while this process compiles, loads or simulates a program: it stops, and the result,
// marked partial, is still written.
#pragma once

#include <signal.h>

#include <atomic>
#include <string>

#include "base/stop_token.h"
#include "machine/launch_result.h"

namespace raddle::driver {

// While one exists, SIGINT and SIGTERM are noted instead of ending us.
class InterruptNote {
 public:
  InterruptNote();
  ~InterruptNote();
  InterruptNote(const InterruptNote&) = delete;
  InterruptNote& operator=(const InterruptNote&) = delete;

  static const std::atomic<bool>* flag();
  // Exit status, and why the result is partial, of a launch that ended, or of what was stopped
  // before there was one.
  static int status_of(const machine::LaunchResult& launch);
  static std::string reason_of(const machine::LaunchResult& launch);
  static int status_of(const Stopped& stopped);
  static std::string reason_of(const Stopped& stopped);

 private:
  struct sigaction old_interrupt_{};
  struct sigaction old_terminate_{};
};

}  // namespace raddle::driver
