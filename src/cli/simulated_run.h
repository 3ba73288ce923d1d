// A simulation in this process, from its options to its result: time limit, Ctrl-C, trace, progress
// line, what it prints and where, and the result document. The runners of programs that are no
// executables share it and differ in what they load and start.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/interrupt_note.h"
#include "cli/program_runner.h"
#include "machine/machine.h"
#include "report/progress_line.h"
#include "sim/trace.h"

namespace raddle::cli {

class SimulatedRun {
 public:
  // --timeout counts from here. The options must outlive the run, and the run every machine that
  // was given its launch options, as these point to its trace.
  SimulatedRun(const RunOptions& options, const ProgramOutput& output);
  // The log is there however the run has ended.
  ~SimulatedRun();
  SimulatedRun(const SimulatedRun&) = delete;
  SimulatedRun& operator=(const SimulatedRun&) = delete;

  // Before the launch, called `name` on the progress line: opens the trace, and says what was asked
  // for that the device does not heed. Until then Ctrl-C ends us, from then on the launch.
  machine::LaunchOptions begin(const std::string& name, const machine::DeviceDescription& device);
  // After it.
  void end();

  // What the program prints, and what is to be said about it; both go to the log where there is
  // one.
  void print(std::string_view text);
  void print_error(std::string_view text);

  struct Ended {
    machine::LaunchResult launch;
    const machine::ParameterTable& parameters;
    machine::Peaks peaks = {};
    std::vector<std::string> arguments = {};
    bool is_wrong = false;  // it came to its end, but what it computed does not pass a check
  };
  // The result, which is also written to its file.
  ProgramRun result(Ended ended, const std::string& result_file);

 private:
  using Clock = std::chrono::steady_clock;

  const Clock::time_point start_ = Clock::now();
  const RunOptions& options_;
  ProgramOutput output_;
  std::optional<InterruptNote> note_;
  std::unique_ptr<sim::TraceFile> trace_;
  report::ProgressLine progress_ = report::progress_line_on_terminal();
  std::string log_;
};

}  // namespace raddle::cli
