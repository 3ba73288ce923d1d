// How a program is to be run: on which machine, with which changes to its parameters, how long, and
// where the result goes. A compiled program takes its settings from the environment, so that
// `raddle run` and the user's own shell agree: the command line turns its options into these
// variables and the CUDA runtime reads them back.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/checks.h"

namespace raddle::experiment {

struct RunSettings {
  std::string machine = "ref";  // RADDLE_MACHINE: a name or a .toml file
  std::vector<std::string>
      assignments;        // RADDLE_SET: "key=value,key=value"; a comma within a value is written \,
  std::string json_file;  // RADDLE_JSON: the result goes here when the program ends; empty: nowhere
  std::string program;    // RADDLE_PROGRAM: what the result calls the program; empty: its own path
  Checks check;           // RADDLE_CHECK=1, or "memory,race"
  bool lines = false;     // RADDLE_LINES=1: counts per source line
  std::uint64_t max_cycles = 0;     // RADDLE_MAX_CYCLES, per launch; 0: no limit
  double timeout_seconds = 0;       // RADDLE_TIMEOUT, of the whole program; 0: no limit
  std::string trace_file;           // RADDLE_TRACE: a Perfetto trace of all launches; empty: none
  std::uint64_t sample_cycles = 0;  // RADDLE_SAMPLE: figures over time, every so many cycles; 0: no
  unsigned host_threads = 1;        // RADDLE_THREADS: threads of this computer that simulate
};

// More threads than any computer has are a slip of the hand.
inline constexpr unsigned kMaxHostThreads = 1024;
// The longest interval of samples: no run is as long, and a machine can count it in parts of a
// cycle.
inline constexpr std::uint64_t kMaxSampleCycles = 1'000'000'000'000;

// From this process's environment. Throws Error that names the variable whose value is wrong.
RunSettings settings_from_environment();

// The variables as "NAME=value", only those that differ from the defaults (RADDLE_MACHINE always).
std::vector<std::string> to_environment(const RunSettings& settings);

// The names of all these variables: a child's environment is cleared of them before its own are
// added.
const std::vector<std::string>& setting_variables();

}  // namespace raddle::experiment
