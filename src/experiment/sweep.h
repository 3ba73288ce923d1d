// A sweep: a list of cells, each one run of one program on one machine, told apart by a hash of
// everything that decides its result. What is hashed is content, so a cell that another sweep has
// run, or this one before it was killed, is found again; and one whose program, input, parameter or
// simulator changed is not.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "experiment/run_result.h"
#include "experiment/sweep_spec.h"

namespace raddle::experiment {

struct SweepCell {
  std::string name;                 // "matmul n=64": its values on the axes that have several
  std::vector<std::string> labels;  // its value on each axis
  std::string program;
  std::string machine = "ref";
  std::vector<std::string> arguments;
  std::vector<std::string> assignments;  // "key=value"
  std::string parameters_hash;
  std::string compile_flags;
  std::vector<std::string> inputs;  // files whose content counts
  bool check = false;
  double timeout_seconds = 0;
  std::uint64_t max_cycles = 0;
  std::string kernel, grid, block, shared;  // how a .ptx file is launched; empty: as usual
  std::string program_place;                // "FILE:LINE", for messages
  std::string inputs_place;
};

// What is run, wherever it was written: the grid of a spec, or the groups of a paper.
struct Sweep {
  std::string name;
  std::string file;  // for messages
  std::vector<std::string> axes;
  std::vector<std::string> figures;  // to be kept of each cell, named as in result_figures.h
  std::vector<SweepCell> cells;
};

// All cells in order: the grid without what is excluded, then what is included. Throws Error for a
// cell without program, for unknown machines and parameters, and for values of the wrong kind.
Sweep sweep_of(const SweepSpec& spec);

// Everything that decides a result, by content.
struct CellIdentity {
  std::string program;  // hash of what runs and of the flags that it was compiled with
  std::vector<std::string> arguments;
  std::string parameters_hash;
  std::vector<std::string> launch;  // of a .ptx file
  std::vector<std::string> inputs;  // hashes of the files
  bool check = false;
  std::string raddle;  // version and build
};
std::string cell_key(const CellIdentity& identity);

enum class CellStatus { kNotRun, kFailed, kDone };

struct CellOutcome {
  CellStatus status = CellStatus::kNotRun;
  std::string key;
  std::string reason;  // of a failure
  std::string log_file;
  std::string result_file;  // from the output folder
  std::uint64_t launches = 0;
  std::uint64_t cycles = 0;
  double seconds = 0;
  std::uint64_t thread_instructions = 0;
  std::uint64_t warp_instructions = 0;
  double ipc = 0;
  std::optional<double> energy;                // picojoules; none: not modelled
  std::vector<std::optional<double>> figures;  // those that the spec names
};

// A finished cell's main figures, and those of `figures` that the result has.
CellOutcome outcome_of(const RunResult& result, const std::vector<std::string>& figures);

// One row a cell: its axes, what ran, how it ended, the figures. Nothing of this computer is in it:
// the same sweep gives the same file.
std::string sweep_csv(const Sweep& sweep, const std::vector<CellOutcome>& outcomes);

}  // namespace raddle::experiment
