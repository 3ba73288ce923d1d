// What ends a simulated program from outside: Ctrl-C and the time limit. The first signal asks the
// running kernel to stop, so that the result so far can be stored; a second one ends the process at
// once. A thread of its own waits for both, because what is to be done cannot be done in a signal
// handler, and because host code may be waiting for something else.
#pragma once

#include <atomic>
#include <chrono>
#include <optional>

namespace raddle::host {

// True from the first signal on; machines look at it while they run.
const std::atomic<bool>& interrupted();
// The signal that came; SIGINT if none did.
int interruption_signal();

// Both functions are called from the watching thread.
struct Watch {
  void (*on_interruption)(int signal) = nullptr;
  void (*on_host_access)() = nullptr;  // refused_host_access()
  std::optional<std::chrono::steady_clock::time_point> deadline;
  void (*on_deadline)() = nullptr;
};

// Installs the handlers, unless the program has its own, and starts watching.
void watch_from_outside(const Watch& watch);

}  // namespace raddle::host
