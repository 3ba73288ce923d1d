#include "host/interruption.h"

#include <fcntl.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <thread>

namespace raddle::host {
namespace {

std::atomic<bool> interruption_asked{false};
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

// The waiting thread takes no signals itself, so that the program's own system calls are the ones
// interrupted.
void wait_for_signal(void (*on_interruption)(int)) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  unsigned char number = 0;
  ssize_t got = 0;
  do {
    got = read(signal_pipe[0], &number, 1);
  } while (got < 0 && errno == EINTR);
  if (got == 1) on_interruption(number);
}

}  // namespace

const std::atomic<bool>& interrupted() { return interruption_asked; }

void watch_for_interruption(void (*on_interruption)(int signal)) {
  if (pipe2(signal_pipe.data(), O_CLOEXEC) != 0) return;
  std::thread(wait_for_signal, on_interruption).detach();
  install(SIGINT);
  install(SIGTERM);
}

}  // namespace raddle::host
