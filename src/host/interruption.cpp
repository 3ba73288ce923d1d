#include "host/interruption.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <thread>

#include "host/host_access.h"

namespace raddle::host {
namespace {

std::atomic<bool> interruption_asked{false};
std::atomic<int> first_signal{SIGINT};
std::array<int, 2> signal_pipe{-1, -1};

// `raddle run` passes on what was sent to it; a signal to the whole group comes twice. Within this
// time it is the same one.
constexpr std::int64_t kSameSignalMilliseconds = 300;
std::atomic<std::int64_t> first_signal_at{0};

std::int64_t milliseconds_now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);  // allowed in a signal handler
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

void on_signal(int signal) {
  const int saved_errno = errno;
  if (interruption_asked.exchange(true)) {
    if (milliseconds_now() - first_signal_at > kSameSignalMilliseconds) {
      ::signal(signal, SIG_DFL);
      raise(signal);
    }
  } else {
    first_signal_at = milliseconds_now();
    first_signal = signal;
    const auto number = static_cast<unsigned char>(signal);
    // A full pipe cannot happen: one byte is ever written.
    [[maybe_unused]] const ssize_t written = write(signal_pipe[1], &number, 1);
  }
  errno = saved_errno;
}

void install(int signal) {
  struct sigaction current{};
  if (sigaction(signal, nullptr, &current) != 0 || current.sa_handler != SIG_DFL) return;
  struct sigaction action{};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, nullptr);
}

using Clock = std::chrono::steady_clock;

// Waits until there is something to read; false if the deadline came first.
bool wait_for_input(int handle, const std::optional<Clock::time_point>& deadline) {
  pollfd ready{handle, POLLIN, 0};
  for (;;) {
    int milliseconds = -1;
    if (deadline) {
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(*deadline - Clock::now()).count();
      milliseconds = static_cast<int>(std::clamp<std::int64_t>(left + 1, 0, 1'000'000));
    }
    const int count = poll(&ready, 1, milliseconds);
    if (count > 0) return true;
    if (deadline && Clock::now() >= *deadline) return false;
    if (count < 0 && errno != EINTR) return true;  // reading says what is wrong
  }
}

// The watching thread takes no signals itself, so that the program's own system calls are the ones
// interrupted.
void watch_pipe(Watch watch) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  if (watch.deadline && !wait_for_input(signal_pipe[0], watch.deadline)) watch.on_deadline();
  unsigned char number = 0;
  ssize_t got = 0;
  do {
    got = read(signal_pipe[0], &number, 1);
  } while (got < 0 && errno == EINTR);
  if (got != 1) return;
  if (number == SIGSEGV) {
    watch.on_host_access();
  } else {
    watch.on_interruption(number);
  }
}

}  // namespace

const std::atomic<bool>& interrupted() { return interruption_asked; }

int interruption_signal() { return first_signal; }

void watch_from_outside(const Watch& watch) {
  if (pipe2(signal_pipe.data(), O_CLOEXEC) != 0) return;
  std::thread(watch_pipe, watch).detach();
  install(SIGINT);
  install(SIGTERM);
  watch_host_accesses(signal_pipe[1]);
}

}  // namespace raddle::host
