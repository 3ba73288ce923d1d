// The engine of experiments: runs the cells of a sweep that are not there yet, several `raddle run`
// processes at a time, and keeps what they give: results and logs in the sweep's folder, runs in
// the store. Whatever is finished stays so when this process is killed. `raddle sweep` and `raddle
// reproduce` differ in where their cells come from and in what they do with the results.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "experiment/run_result.h"
#include "experiment/sweep.h"

namespace raddle::cli {

struct SweepRunOptions {
  std::string output_folder;
  unsigned jobs = 0;  // processes at once; 0: one a core
  // Hears of every cell that is there, be it run now or before.
  std::function<void(std::size_t cell, const experiment::RunResult& result)> keep = {};
};

// How the cells ended.
struct SweepEnd {
  std::vector<experiment::CellOutcome> outcomes;  // one a cell
  std::size_t run = 0;                            // now, and well
  std::size_t reused = 0;                         // were there already
  std::size_t failed = 0;
  int signal = 0;  // that stopped the sweep, or 0
};

// Prepares the programs, then runs what is missing. Throws Error as prepare_cells() does.
SweepEnd run_sweep(const experiment::Sweep& sweep, const SweepRunOptions& options);

// Says on standard error which cells failed, and why, and what stopped the sweep; returns the exit
// status of the command.
int report_end(const experiment::Sweep& sweep, const SweepEnd& end,
               const std::string& output_folder);

// "1 cell", "3 cells".
std::string plural(std::size_t count, const char* word);

// "ended by SIGSEGV (Segmentation fault)", "exit status 2: N must be a multiple of 16": how a run
// ended, and the line of its log that says most about it.
std::string failure_reason(int status, const std::string& log);

}  // namespace raddle::cli
