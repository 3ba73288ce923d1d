// Ctrl-C while a simulator runs in this process: it stops, and the result, marked partial, is still
// written.
#pragma once

#include <signal.h>

#include <atomic>
#include <string>

#include "machine/launch_result.h"

namespace raddle::cli {

// While one exists, SIGINT and SIGTERM are noted instead of ending us.
class InterruptNote {
 public:
  InterruptNote();
  ~InterruptNote();
  InterruptNote(const InterruptNote&) = delete;
  InterruptNote& operator=(const InterruptNote&) = delete;

  const std::atomic<bool>* flag() const;
  // Exit status, and why the result is partial, of a launch that ended.
  int status_of(const machine::LaunchResult& launch) const;
  std::string reason_of(const machine::LaunchResult& launch) const;

 private:
  struct sigaction old_interrupt_{};
  struct sigaction old_terminate_{};
};

}  // namespace raddle::cli
