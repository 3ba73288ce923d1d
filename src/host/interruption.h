// Ctrl-C while a simulated program runs: the first one asks the running kernel to stop, so that the
// result so far can be stored; a second one ends the process at once. A thread of its own waits for
// the signal, because what is to be done cannot be done in a signal handler.
#pragma once

#include <atomic>

namespace raddle::host {

// True from the first signal on; machines look at it while they run.
const std::atomic<bool>& interrupted();

// Installs the handlers, unless the program has its own, and calls `on_interruption` with the
// signal's number on the waiting thread.
void watch_for_interruption(void (*on_interruption)(int signal));

}  // namespace raddle::host
