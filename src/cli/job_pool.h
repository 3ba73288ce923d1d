// Child processes of a long command, several at a time. Each has a process group of its own, so
// that Ctrl-C reaches this process alone, which then stops them in order; each is told to stop when
// this process dies in whatever way, SIGKILL included. While a pool lives, SIGINT, SIGTERM and
// SIGHUP come out of wait() instead of ending this process.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace raddle::cli {

struct JobCommand {
  std::vector<std::string> arguments;    // [0] is the program
  std::vector<std::string> environment;  // "NAME=value"
  std::string output_file;               // standard output
  std::string error_file;                // standard error
};

class JobPool {
 public:
  using Clock = std::chrono::steady_clock;

  struct Job {
    std::size_t number = 0;  // the caller's
    pid_t process = -1;
    Clock::time_point start;
  };
  struct End {
    std::size_t number = 0;
    int status = 0;  // 128 + N for a process ended by signal N
    double seconds = 0;
  };
  struct News {
    std::vector<End> ended;
    int signal = 0;  // one of the three, or 0
  };

  JobPool();
  ~JobPool();  // ends what still runs
  JobPool(const JobPool&) = delete;
  JobPool& operator=(const JobPool&) = delete;

  // Throws Error if there can be no further process.
  void start(std::size_t number, const JobCommand& command);
  // Returns when something happened, or after `seconds`.
  News wait(double seconds);
  // Asks all to end, and after a while, or at the next signal, ends them.
  void stop();

  const std::vector<Job>& running() const { return running_; }

 private:
  std::vector<End> reap();

  sigset_t watched_{};
  sigset_t before_{};
  std::vector<Job> running_;
};

}  // namespace raddle::cli
