// A simulation in this process, from its options to its result: time limit, Ctrl-C, trace, progress
// line, what it prints and where, and the result document. Drivers whose programs are not
// executables share it and differ in what they load and start.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/stop_token.h"
#include "driver/request.h"
#include "machine/launch_result.h"
#include "machine/machine.h"
#include "machine/run/launch_options.h"
#include "report/text/progress_line.h"
#include "sim/trace.h"

namespace raddle::driver {

// The stop token in force with the time limit of the settings, which counts from now.
StopToken stop_in_time(const experiment::RunSettings& settings);

// Whether --check is to compare results with those of an interpreter, where a program has one: that
// is what it does for such programs unless it names something else.
bool checks_results(const RunRequest& request);

class SimulatedRun {
 public:
  // --timeout counts from here, and stops also what comes before the launch. The job must outlive
  // the run, and the run every machine that was given its launch options, as these point to its
  // trace.
  explicit SimulatedRun(const RunJob& job);
  // The log is there however the run has ended.
  ~SimulatedRun();
  SimulatedRun(const SimulatedRun&) = delete;
  SimulatedRun& operator=(const SimulatedRun&) = delete;

  // Before the launch, called `name` on the progress line: opens the trace, and says what was asked
  // for that the machine ignores.
  machine::LaunchOptions begin(const std::string& name);
  // The launch is over: finishes the trace and prints the machine's remarks.
  void end(const machine::Machine& machine);

  // What the program prints, and what is to be said about it; both go to the log where there is
  // one.
  void print(std::string_view text);
  void print_error(std::string_view text);

  // The launch came to its end, but what was to be done with what it left was stopped.
  static void mark_stopped(machine::LaunchResult& launch, const Stopped& stopped);

  struct Ended {
    machine::LaunchResult launch;
    const machine::Machine& machine;
    std::vector<machine::LaunchResult> earlier = {};  // launches before it
    std::vector<std::string> arguments = {};
    bool is_wrong = false;  // it came to its end, but what it computed does not pass a check
  };
  // The result, which is also written to its file. Prints the faults of its launches.
  ProgramRun result(Ended ended);

 private:
  using Clock = std::chrono::steady_clock;

  const Clock::time_point start_ = Clock::now();
  const RunJob& job_;
  const StopScope stop_scope_;
  std::unique_ptr<sim::TraceFile> trace_;
  report::ProgressLine progress_ = report::progress_line_on_terminal();
  std::string log_;
};

}  // namespace raddle::driver
