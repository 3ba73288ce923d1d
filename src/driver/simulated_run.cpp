#include "driver/simulated_run.h"

#include <fmt/format.h>

#include <utility>

#include "base/atomic_file.h"
#include "base/console.h"
#include "base/error.h"
#include "base/exit_status.h"
#include "driver/interrupt_note.h"
#include "experiment/launch_settings.h"
#include "report/text/fault_list.h"

namespace raddle::driver {

bool checks_results(const RunRequest& request) {
  const Checks& check = request.settings.check;
  return check && !experiment::names_checks(check);
}

StopToken stop_in_time(const experiment::RunSettings& settings) {
  if (settings.timeout_seconds <= 0) return current_stop();
  return current_stop().until(StopToken::Clock::now() +
                              std::chrono::duration_cast<StopToken::Clock::duration>(
                                  std::chrono::duration<double>(settings.timeout_seconds)));
}

SimulatedRun::SimulatedRun(const RunJob& job)
    : job_(job), stop_scope_(stop_in_time(job.request.settings)) {}

SimulatedRun::~SimulatedRun() {
  if (job_.output.log_file.empty()) return;
  try {
    write_file_atomically(job_.output.log_file, log_);
  } catch (const Error& error) {
    raddle::print_error(fmt::format("raddle: warning: {}\n", error.full_text()));
  }
}

machine::LaunchOptions SimulatedRun::begin(const std::string& name) {
  const experiment::RunSettings& settings = job_.request.settings;
  print_error(experiment::ignored_settings(settings, job_.traits));
  trace_ = experiment::open_trace(settings, job_.traits);
  machine::LaunchOptions launch = experiment::launch_options(settings);
  launch.trace = trace_.get();
  launch.control =
      machine::RunControl(Cycle(settings.max_cycles), current_stop(),
                          [this](const machine::LaunchProgress& done) { progress_.update(done); });
  launch.print = [this](std::string_view text) { print(text); };
  progress_.start(name);
  return launch;
}

void SimulatedRun::end(const machine::Machine& machine) {
  progress_.clear();
  if (trace_ != nullptr) trace_->finish();
  for (const Error& remark : machine.remarks())
    print_error(fmt::format("raddle: warning: {}\n", remark.full_text()));
}

void SimulatedRun::print(std::string_view text) {
  if (job_.output.to_error || !job_.output.log_file.empty()) return print_error(text);
  progress_.clear();
  raddle::print(text);
}

void SimulatedRun::print_error(std::string_view text) {
  progress_.clear();
  if (job_.output.log_file.empty()) return raddle::print_error(text);
  log_ += text;
}

void SimulatedRun::mark_stopped(machine::LaunchResult& launch, const Stopped& stopped) {
  const bool interrupted = stopped.reason == StopReason::kInterrupted;
  machine::Fault fault = machine::RunStopped{interrupted ? machine::FaultKind::kInterrupted
                                                         : machine::FaultKind::kWatchdogTimeout,
                                             interrupted ? "interrupted" : "stopped by --timeout"}
                             .fault(launch.kernel);
  fault.details.push_back(fmt::format("while {}", stopped.phase));
  launch.faults.push_back(std::move(fault));
  ++launch.fault_count;
  launch.complete = false;
}

ProgramRun SimulatedRun::result(Ended ended) {
  const experiment::RunSettings& settings = job_.request.settings;
  for (const machine::LaunchResult& launch : ended.earlier)
    print_error(report::fault_errors(launch));
  print_error(report::fault_errors(ended.launch));
  ProgramRun run;
  run.status = InterruptNote::status_of(ended.launch);
  if (run.status == 0 && ended.is_wrong) run.status = kUserFault;
  run.used_device = true;
  run.result_file = job_.result_file;
  if (trace_ != nullptr) run.trace_file = settings.trace_file;
  experiment::RunResult& result = run.result.emplace(
      experiment::start_result(settings.program, ended.arguments, settings.machine,
                               ended.machine.table(), ended.machine.peaks()));
  result.partial = !ended.launch.complete;
  if (result.partial) result.partial_reason = InterruptNote::reason_of(ended.launch);
  result.exit_status = run.status;
  for (machine::LaunchResult& launch : ended.earlier)
    experiment::add_launch(result, std::move(launch));
  experiment::add_launch(result, std::move(ended.launch));
  result.host.wall_seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  result.host.peak_memory_bytes = experiment::peak_memory_bytes();
  try {
    experiment::write_result_file(result, job_.result_file);
  } catch (const Error& error) {
    print_error(fmt::format("raddle: error: {}\n", error.full_text()));
    run.result_file.clear();
    if (run.status == 0) run.status = kUserFault;
  }
  return run;
}

}  // namespace raddle::driver
