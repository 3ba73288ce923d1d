// What a person sees while a sweep or the runs of a paper go on: on a terminal one line that is
// rewritten in place, with the time left; elsewhere a line for each run that ends. Goes to standard
// error.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace raddle::cli {

// How long the rest will take, from how long runs of the same program took; where none has ended
// yet, runs of any program.
class TimeEstimate {
 public:
  void add_waiting(const std::string& program) { ++programs_[program].waiting; }
  void ended(const std::string& program, double seconds);
  // Nothing before the first run has ended. `running_seconds`: what those that go on have had.
  std::optional<double> seconds_left(unsigned jobs, double running_seconds) const;

 private:
  struct Program {
    std::size_t waiting = 0;  // or running
    std::size_t ended = 0;
    double seconds = 0;  // of those that ended
  };
  std::map<std::string, Program> programs_;
};

class SweepProgress {
 public:
  SweepProgress(unsigned jobs, bool terminal);

  void preparing(const std::string& program);
  // So many runs there are in all, and so many of them were there already.
  void begin(std::size_t runs, std::size_t reused);
  void add_waiting(const std::string& program) { estimate_.add_waiting(program); }
  void started(const std::string& name);
  // `text`: what came out, or why it failed.
  void ended(const std::string& name, const std::string& program, double seconds, bool good,
             std::string_view text);
  // Rewrites the line on a terminal; `running_seconds` as above.
  void show(std::size_t running, double running_seconds);
  void clear();

 private:
  void rewrite(std::string_view text);

  std::size_t runs_ = 0;
  unsigned jobs_;
  bool terminal_;
  bool shown_ = false;
  std::size_t done_ = 0;  // reused, ended well or failed
  std::size_t failed_ = 0;
  std::string newest_;  // the run that was started last
  TimeEstimate estimate_;
};

}  // namespace raddle::cli
