// Runs the cells of a sweep that are not there yet, several `raddle run` processes at a time, and
// keeps what they give: results and logs in the sweep's folder, runs in the store. Whatever is
// finished stays so when this process is killed.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/job_pool.h"
#include "cli/sweep_programs.h"
#include "cli/sweep_progress.h"
#include "experiment/result_store.h"
#include "experiment/sweep.h"
#include "experiment/sweep_folder.h"

namespace raddle::cli {

struct SweepPlan {
  const experiment::SweepSpec& spec;
  const std::vector<experiment::SweepCell>& cells;
  const std::vector<ReadyCell>& ready;  // one a cell
  std::string output_folder;
  unsigned jobs = 1;
  SweepProgress& progress;
};

// How many cells ended how.
struct SweepCounts {
  std::size_t run = 0;     // now, and well
  std::size_t reused = 0;  // were there already
  std::size_t failed = 0;
  int signal = 0;  // that stopped the sweep, or 0
};

class SweepRunner {
 public:
  explicit SweepRunner(const SweepPlan& plan);

  SweepCounts run();
  // One a cell.
  const std::vector<experiment::CellOutcome>& outcomes() const { return outcomes_; }

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
  void done(const Task& task, const experiment::RunResult& result);
  // A store that cannot be written costs a warning, not the sweep.
  template <class Use>
  void use_store(Use use);

  SweepPlan plan_;
  experiment::SweepFolder folder_;
  std::optional<experiment::ResultStore> store_;
  SweepProgress& progress_;
  std::vector<Task> tasks_;
  std::vector<experiment::CellOutcome> outcomes_;
  SweepCounts counts_;
};

// "ended by SIGSEGV (Segmentation fault)", "exit status 2: N must be a multiple of 16": how a run
// ended, and the line of its log that says most about it.
std::string failure_reason(int status, const std::string& log);

}  // namespace raddle::cli
