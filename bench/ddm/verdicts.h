// The bars that the data-driven runtime is held to, judged from what was measured in this run: at
// most half of the best library's time for an empty thread, faster with two workers than with one,
// factorisation not slower than the best, memory that does not grow with threads fired.
#pragma once

#include <iosfwd>
#include <map>
#include <string>
#include <utility>

namespace raddle::bench {

// The least that was measured, in nanoseconds a thread or milliseconds a factorisation.
struct Measured {
  double wall = 0;
  double cpu = 0;  // of all threads
};

class Verdicts {
 public:
  // `task` ("wavefront", "cholesky2048/64") done by `library` ("ddm") with so many workers.
  void add(const std::string& task, const std::string& library, int workers, Measured measured) {
    measured_[task][{library, workers}] = measured;
  }
  // One line for each bar that enough was measured for.
  void print(std::ostream& out) const;

 private:
  using ByLibrary = std::map<std::pair<std::string, int>, Measured>;
  static void judge(std::ostream& out, const std::string& task, const ByLibrary& measured);

  std::map<std::string, ByLibrary> measured_;
};

// Runs a loop of many threads in a small graph and looks at the memory that it takes.
void print_memory_verdict(std::ostream& out);

}  // namespace raddle::bench
