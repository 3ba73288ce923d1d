#include "cli/simulated_run.h"

#include <fmt/format.h>

#include <utility>

#include "base/atomic_file.h"
#include "base/error.h"
#include "cli/output.h"
#include "experiment/launch_settings.h"

namespace raddle::cli {

SimulatedRun::SimulatedRun(const RunOptions& options, const ProgramOutput& output)
    : options_(options), output_(output) {}

SimulatedRun::~SimulatedRun() {
  if (output_.log_file.empty()) return;
  try {
    write_file_atomically(output_.log_file, log_);
  } catch (const Error& error) {
    cli::print_error(fmt::format("raddle: warning: {}\n", error.full_text()));
  }
}

machine::LaunchOptions SimulatedRun::begin(const std::string& name,
                                           const machine::DeviceDescription& device) {
  const experiment::RunSettings& settings = options_.settings;
  print_error(experiment::unheeded_settings(settings, device));
  trace_ = experiment::open_trace(settings, device);
  note_.emplace();
  machine::LaunchOptions launch = experiment::launch_options(settings);
  launch.trace = trace_.get();
  launch.interrupted = note_->flag();
  if (settings.timeout_seconds > 0) {
    launch.deadline = start_ + std::chrono::duration_cast<Clock::duration>(
                                   std::chrono::duration<double>(settings.timeout_seconds));
  }
  launch.progress = [this](const machine::LaunchProgress& done) { progress_.update(done); };
  launch.print = [this](std::string_view text) { print(text); };
  progress_.start(name);
  return launch;
}

void SimulatedRun::end() {
  progress_.clear();
  if (trace_ != nullptr) trace_->finish();
}

void SimulatedRun::print(std::string_view text) {
  if (output_.to_error || !output_.log_file.empty()) return print_error(text);
  progress_.clear();
  cli::print(text);
}

void SimulatedRun::print_error(std::string_view text) {
  progress_.clear();
  if (output_.log_file.empty()) return cli::print_error(text);
  log_ += text;
}

ProgramRun SimulatedRun::result(Ended ended, const std::string& result_file) {
  ProgramRun run;
  run.status = note_->status_of(ended.launch);
  if (run.status == 0 && ended.is_wrong) run.status = kUserFault;
  run.used_device = true;
  run.result_file = result_file;
  if (trace_ != nullptr) run.trace_file = options_.settings.trace_file;
  experiment::RunResult& result = run.result.emplace(
      experiment::start_result(options_.settings.program, ended.arguments,
                               options_.settings.machine, ended.parameters, ended.peaks));
  result.partial = !ended.launch.complete;
  if (result.partial) result.partial_reason = note_->reason_of(ended.launch);
  result.exit_status = run.status;
  experiment::add_launch(result, std::move(ended.launch));
  result.host.wall_seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  result.host.peak_memory_bytes = experiment::peak_memory_bytes();
  experiment::write_result_file(result, result_file);
  return run;
}

}  // namespace raddle::cli
