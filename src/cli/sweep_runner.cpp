#include "cli/sweep_runner.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "base/atomic_file.h"
#include "base/cache_folder.h"
#include "base/console.h"
#include "base/error.h"
#include "base/exit_status.h"
#include "base/number_format.h"
#include "cli/job_pool.h"
#include "cli/sweep_programs.h"
#include "cli/sweep_progress.h"
#include "experiment/result_json.h"
#include "experiment/result_store.h"
#include "experiment/sweep_folder.h"

extern char** environ;

namespace raddle::cli {

namespace {

namespace fs = std::filesystem;
using experiment::CellOutcome;
using experiment::CellStatus;
using experiment::RunResult;
using experiment::SweepCell;
using experiment::SweepFolder;

constexpr double kTickSeconds = 0.25;

// The cell as `raddle run` is told it. Each runs with an output folder of its own, which goes when
// its result has been kept by its key.
std::vector<std::string> run_arguments(const SweepCell& cell, const driver::Driver& driver,
                                       const std::string& folder) {
  std::vector<std::string> words{
      "/proc/self/exe", "run",        cell.program,        "--machine=" + cell.machine,
      "--json=-",       "--no-store", "--output=" + folder};
  for (const std::string& assignment : cell.assignments) words.push_back("--set=" + assignment);
  if (cell.check) words.emplace_back("--check");
  if (cell.max_cycles != 0) words.push_back(fmt::format("--max-cycles={}", cell.max_cycles));
  if (cell.timeout_seconds != 0) words.push_back(fmt::format("--timeout={}", cell.timeout_seconds));
  if (!cell.compile_flags.empty()) words.push_back("--cc=" + cell.compile_flags);
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) words.push_back(fmt::format("{}={}", option, value));
  };
  add("--kernel", cell.kernel);
  add("--grid", cell.grid);
  add("--block", cell.block);
  add("--shared", cell.shared);
  if (driver.family().arguments_are_launch_arguments) {
    for (const std::string& argument : cell.arguments) words.push_back("--arg=" + argument);
    return words;
  }
  words.emplace_back("--");
  words.insert(words.end(), cell.arguments.begin(), cell.arguments.end());
  return words;
}

// All cells share the programs that were compiled for them.
std::vector<std::string> environment_with_cache(const std::string& output_folder) {
  const std::string cache = fs::absolute(cache_folder(output_folder)).string();
  const std::string prefix = fmt::format("{}=", kCacheVariable);
  std::vector<std::string> variables{prefix + cache};
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (!std::string_view(*variable).starts_with(prefix)) variables.emplace_back(*variable);
  }
  return variables;
}

std::string text_or_nothing(const fs::path& file) {
  try {
    return read_file(file);
  } catch (const Error&) {
    return {};
  }
}

// Lines that say what happened but not why: that nothing came of a program which has just said so
// itself, and how it wants to be called.
bool explains_nothing(std::string_view line) {
  return line.ends_with("no result was written") || line.starts_with("usage:") ||
         line.starts_with("Usage:");
}

// The last line that Raddle wrote, else the last that the program wrote; of either rather one that
// explains something.
std::string telling_line(const std::string& log) {
  constexpr std::string_view kOurs = "raddle: ";
  std::string ours, theirs, any;
  for (std::size_t start = 0; start < log.size();) {
    const std::size_t end = std::min(log.find('\n', start), log.size());
    const std::string line = log.substr(start, end - start);
    start = end + 1;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const bool is_ours = line.starts_with(kOurs);
    any = is_ours ? line.substr(kOurs.size()) : line;
    if (!explains_nothing(any)) (is_ours ? ours : theirs) = any;
  }
  if (!ours.empty()) return ours;
  return theirs.empty() ? any : theirs;
}

class SweepRunner {
 public:
  SweepRunner(const experiment::Sweep& sweep, const SweepRunOptions& options,
              const std::vector<ReadyCell>& ready, unsigned jobs, SweepProgress& progress);

  SweepEnd run();

 private:
  // One run; several cells may ask for the same.
  struct Task {
    std::string key;
    std::string name;
    std::vector<std::size_t> cells;
  };

  void make_tasks();
  bool take_finished(const Task& task);
  void refuse(const Task& task);  // what does not compile
  void run_waiting(const std::vector<std::size_t>& waiting);
  JobCommand command_for(const Task& task);
  void finish(const JobPool::End& end);
  void fail(const Task& task, const std::string& reason, double seconds);
  void done(const Task& task, const RunResult& result);
  const SweepCell& cell_of(const Task& task) const { return sweep_.cells[task.cells.front()]; }
  // A store that cannot be written costs a warning, not the sweep.
  template <class Use>
  void use_store(Use use);

  const experiment::Sweep& sweep_;
  const SweepRunOptions& options_;
  const std::vector<ReadyCell>& ready_;  // one a cell
  unsigned jobs_;
  SweepFolder folder_;
  std::optional<experiment::ResultStore> store_;
  SweepProgress& progress_;
  std::vector<Task> tasks_;
  SweepEnd end_;
};

SweepRunner::SweepRunner(const experiment::Sweep& sweep, const SweepRunOptions& options,
                         const std::vector<ReadyCell>& ready, unsigned jobs,
                         SweepProgress& progress)
    : sweep_(sweep),
      options_(options),
      ready_(ready),
      jobs_(jobs),
      folder_(options.output_folder),
      progress_(progress) {
  end_.outcomes.resize(sweep.cells.size());
  use_store([&] { store_.emplace(options_.output_folder); });
  make_tasks();
}

template <class Use>
void SweepRunner::use_store(Use use) {
  try {
    use();
  } catch (const Error& error) {
    store_.reset();
    progress_.clear();
    print_error(fmt::format("raddle: warning: {}\n", error.full_text()));
  }
}

void SweepRunner::make_tasks() {
  std::map<std::string, std::size_t> by_key;
  for (std::size_t i = 0; i < sweep_.cells.size(); ++i) {
    const std::string& key = ready_[i].key;
    end_.outcomes[i].key = key;
    const auto [place, is_new] = by_key.try_emplace(key, tasks_.size());
    if (is_new) tasks_.push_back({key, sweep_.cells[i].name, {}});
    tasks_[place->second].cells.push_back(i);
  }
}

SweepEnd SweepRunner::run() {
  std::vector<std::size_t> waiting;
  std::size_t reused = 0;
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    if (!ready_[tasks_[i].cells.front()].failure.empty()) continue;
    if (take_finished(tasks_[i])) {
      ++reused;
    } else {
      waiting.push_back(i);
    }
  }
  progress_.begin(tasks_.size(), reused);
  for (const Task& task : tasks_) {
    if (!ready_[task.cells.front()].failure.empty()) refuse(task);
  }
  run_waiting(waiting);
  progress_.clear();

  std::vector<experiment::StoredCell> stored;
  for (std::size_t i = 0; i < sweep_.cells.size(); ++i)
    stored.push_back({end_.outcomes[i].key, sweep_.cells[i].labels});
  if (store_) use_store([&] { store_->set_cells(sweep_.name, sweep_.axes, stored); });
  return std::move(end_);
}

bool SweepRunner::take_finished(const Task& task) {
  const std::optional<RunResult> result = folder_.finished(task.key);
  if (!result) return false;
  done(task, *result);
  end_.reused += task.cells.size();
  return true;
}

void SweepRunner::refuse(const Task& task) {
  const ReadyCell& ready = ready_[task.cells.front()];
  write_file_atomically(fs::path(options_.output_folder) / SweepFolder::log_name(task.key),
                        ready.diagnostics);
  fail(task, ready.failure, 0);
}

void SweepRunner::run_waiting(const std::vector<std::size_t>& waiting) {
  for (const std::size_t task : waiting) progress_.add_waiting(cell_of(tasks_[task]).program);
  JobPool pool;
  std::size_t next = 0;
  while (next < waiting.size() || !pool.running().empty()) {
    while (next < waiting.size() && pool.running().size() < jobs_) {
      const Task& task = tasks_[waiting[next]];
      pool.start(waiting[next++], command_for(task));
      progress_.started(task.name);
    }
    double running_seconds = 0;
    for (const JobPool::Job& job : pool.running())
      running_seconds += std::chrono::duration<double>(JobPool::Clock::now() - job.start).count();
    progress_.show(pool.running().size(), running_seconds);
    const JobPool::News news = pool.wait(kTickSeconds);
    for (const JobPool::End& end : news.ended) finish(end);
    if (news.signal == 0) continue;
    progress_.clear();
    end_.signal = news.signal;
    pool.stop();
    return;
  }
}

JobCommand SweepRunner::command_for(const Task& task) {
  const SweepFolder::Workplace place = folder_.start(task.key);
  const std::size_t cell = task.cells.front();
  JobCommand command;
  command.arguments =
      run_arguments(sweep_.cells[cell], *ready_[cell].driver, place.folder.string());
  command.environment = environment_with_cache(options_.output_folder);
  command.output_file = place.result.string();
  command.error_file = place.log.string();
  return command;
}

void SweepRunner::finish(const JobPool::End& end) {
  const Task& task = tasks_[end.number];
  const SweepFolder::Workplace place = folder_.workplace(task.key);
  const std::string log = text_or_nothing(place.log);
  std::optional<RunResult> result;
  std::string reason;
  if (end.status != 0) {
    reason = failure_reason(end.status, log);
  } else {
    try {
      result = experiment::read_result_file(place.result.string());
      if (result->partial) reason = "stopped before its end: " + result->partial_reason;
    } catch (const Error&) {
      reason = "wrote no result: " + telling_line(log);
    }
  }
  folder_.keep(task.key, reason.empty());
  if (!reason.empty()) return fail(task, reason, end.seconds);
  done(task, *result);
  end_.run += task.cells.size();
  progress_.ended(task.name, cell_of(task).program, end.seconds, true,
                  fmt::format("{} cycles", with_thousands(result->totals.cycles)));
}

void SweepRunner::fail(const Task& task, const std::string& reason, double seconds) {
  end_.failed += task.cells.size();
  for (const std::size_t cell : task.cells) {
    end_.outcomes[cell].status = CellStatus::kFailed;
    end_.outcomes[cell].reason = reason;
    end_.outcomes[cell].log_file = SweepFolder::log_name(task.key);
  }
  progress_.ended(task.name, cell_of(task).program, seconds, false, reason);
}

void SweepRunner::done(const Task& task, const RunResult& result) {
  CellOutcome outcome = outcome_of(result, sweep_.figures);
  outcome.key = task.key;
  outcome.log_file = SweepFolder::log_name(task.key);
  outcome.result_file = SweepFolder::result_name(task.key);
  for (const std::size_t cell : task.cells) {
    end_.outcomes[cell] = outcome;
    if (options_.keep) options_.keep(cell, result);
  }
  if (!store_) return;
  const std::string file = (fs::path(options_.output_folder) / outcome.result_file).string();
  use_store([&] { store_->add(result, {experiment::utc_now(), file, task.key}); });
}

std::string failures_of(const experiment::Sweep& sweep, const std::vector<CellOutcome>& outcomes,
                        const std::string& output_folder) {
  std::string text;
  for (std::size_t i = 0; i < sweep.cells.size(); ++i) {
    if (outcomes[i].status != CellStatus::kFailed) continue;
    text += fmt::format("  {}: {}\n    log: {}\n", sweep.cells[i].name, outcomes[i].reason,
                        (fs::path(output_folder) / outcomes[i].log_file).string());
  }
  return text;
}

}  // namespace

SweepEnd run_sweep(const experiment::Sweep& sweep, const SweepRunOptions& options) {
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  const unsigned jobs = options.jobs != 0 ? options.jobs : cores;
  SweepProgress progress(jobs, isatty(STDERR_FILENO) == 1);
  const std::vector<ReadyCell> ready =
      prepare_cells(sweep.cells, options.output_folder,
                    [&](const std::string& program) { progress.preparing(program); });
  progress.clear();
  return SweepRunner(sweep, options, ready, jobs, progress).run();
}

int report_end(const experiment::Sweep& sweep, const SweepEnd& end,
               const std::string& output_folder) {
  if (end.failed != 0)
    print_error(fmt::format("raddle: {} failed:\n{}", plural(end.failed, "cell"),
                            failures_of(sweep, end.outcomes, output_folder)));
  if (end.signal == 0) return end.failed == 0 ? 0 : kUserFault;
  print_error(fmt::format("raddle: stopped by {}\nhint: the same command resumes from here\n",
                          driver::signal_text(128 + end.signal)));
  return 128 + end.signal;
}

std::string plural(std::size_t count, const char* word) {
  return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s");
}

std::string failure_reason(int status, const std::string& log) {
  const std::string signal = driver::signal_text(status);
  if (!signal.empty()) return fmt::format("terminated by {}", signal);
  const std::string line = telling_line(log);
  return line.empty() ? fmt::format("exit status {}", status)
                      : fmt::format("exit status {}: {}", status, line);
}

}  // namespace raddle::cli
