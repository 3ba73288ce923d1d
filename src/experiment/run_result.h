// What one run of one program on one machine produced: the content of a `raddle.result/2` document
// as plain data. The CUDA runtime fills it while the program runs; result_json.h writes and reads
// it; report/ prints it. Everything under `host` tells about this computer, not about the simulated
// one, and is left out of comparisons.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "machine/launch_result.h"
#include "machine/machine.h"
#include "machine/parameters.h"

namespace raddle::experiment {

inline constexpr std::string_view kResultSchema = "raddle.result/2";
inline constexpr std::string_view kComparisonSchema = "raddle.comparison/1";

// Copies between host and device that the program asked for.
struct CopyTotals {
  std::uint64_t host_to_device_bytes = 0;
  std::uint64_t device_to_host_bytes = 0;
  std::uint64_t device_to_device_bytes = 0;
  std::uint64_t copies = 0;
};

struct HostFigures {
  double wall_seconds = 0;
  std::uint64_t peak_memory_bytes = 0;
};

// Sums over all launches of a run, added to even when a launch itself is no longer kept in the
// list.
struct RunTotals {
  std::uint64_t launches = 0;
  std::uint64_t cycles = 0;
  double seconds = 0;  // simulated
  std::uint64_t thread_instructions = 0;
  std::uint64_t warp_instructions = 0;
  std::uint64_t branches = 0;
  std::uint64_t divergent_branches = 0;
  std::uint64_t barriers = 0;
  std::array<std::uint64_t, kernel::kInstructionClasses> thread_instructions_by_class{};
  std::array<std::uint64_t, kernel::kInstructionClasses> warp_instructions_by_class{};
  std::vector<machine::MemoryTraffic> memory;  // by level, in order of first appearance
  std::vector<machine::Stall> stalls;
  std::vector<machine::Share> energy;
  std::string energy_set;
  std::vector<machine::Utilisation> utilisation;
  std::vector<sim::StatValue> stats;
  std::vector<machine::Histogram> histograms;
  std::uint64_t fault_count = 0;

  double ipc() const {
    return cycles == 0 ? 0 : static_cast<double>(thread_instructions) / static_cast<double>(cycles);
  }
};

struct RunResult {
  std::string program;                 // the source or executable as the user named it
  std::vector<std::string> arguments;  // the program's own
  std::string machine;                 // "ref", or the TOML file given
  std::string implementation;          // which machine folder: "ref", "simt" …
  std::string parameters_hash;
  std::vector<machine::Parameter> parameters;
  machine::Peaks peaks;
  std::vector<machine::LaunchResult> launches;
  std::vector<machine::Fault> faults;  // of the host's part of the program
  RunTotals totals;
  CopyTotals copies;
  bool partial = false;        // stopped before the program's end
  std::string partial_reason;  // "interrupted", "timeout", …; empty when not partial
  int exit_status = 0;         // the program's own, where it is known
  HostFigures host;
  std::string raddle_version;
};

// Launches kept one by one; a program that launches more often has the later ones counted in the
// totals alone.
inline constexpr std::size_t kMaxListedLaunches = 10'000;

// Starts a result: machine, its peaks, parameters and their hash, Raddle's version.
RunResult start_result(std::string program, std::vector<std::string> arguments, std::string machine,
                       const machine::ParameterTable& parameters, const machine::Peaks& peaks);

// Adds one launch to sums over launches.
void add_to_totals(RunTotals& totals, const machine::LaunchResult& launch);

// Adds one launch to the totals and, up to kMaxListedLaunches, to the list. A launch with a figure
// that cannot be (figure_guard.h) makes the result partial.
void add_launch(RunResult& result, machine::LaunchResult launch);

// Peak resident memory of this process.
std::uint64_t peak_memory_bytes();

// Writes the document so that no half file is ever seen. Throws Error when the place cannot be
// written. Implemented in result_json_write.cpp.
void write_result_file(const RunResult& result, const std::string& path);

}  // namespace raddle::experiment
