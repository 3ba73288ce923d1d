// One function a command, each given its options as plain data and returning the exit status: the
// simulated program's own, 0, or kUserFault. What is wrong with the user's input is thrown as
// Error.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "experiment/run_settings.h"

namespace raddle::cli {

inline constexpr int kUserFault = 1;
inline constexpr int kUsageFault = 2;
inline constexpr int kInternalFault = 70;

// How a .ptx file is launched; the other kinds of program launch their kernels themselves.
struct PtxLaunch {
  std::string kernel;
  std::string grid = "1";
  std::string block = "32";
  unsigned shared_bytes = 0;
  std::vector<std::string> arguments;  // ptx_arguments.h
  std::vector<std::string> shown;      // "INDEX[:COUNT]": buffers to print afterwards
  std::vector<std::string> dumped;     // "INDEX:FILE": buffers to write to files
  std::vector<std::string> given;      // which of these options the user wrote: "--grid"
};

struct RunOptions {
  std::string program;
  std::vector<std::string> arguments;
  experiment::RunSettings settings;
  std::string output_folder = "raddle-out";
  std::optional<std::string> json;  // "-" is standard output
  std::string compile_flags;
  bool store = true;     // add the run to the store of the output folder
  bool verbose = false;  // say what was chosen for the program, and why
  PtxLaunch ptx;
};

struct CompareOptions {
  std::vector<std::string> programs;  // or results: *.json
  std::vector<std::string> machines{"ref"};
  RunOptions run;  // everything but program and machine
};

struct ReproduceOptions {
  std::string paper;   // empty: list them
  std::string figure;  // only this one, and no claims
  bool json = false;
  std::string output_folder = "raddle-out";
};

struct ReportOptions {
  std::vector<std::string> results;
  std::string output = "raddle-out/report.html";
};

struct GraphOptions {
  std::string program;
  std::string kernel;
  std::string format = "text";  // text or dot; with a machine also svg
  std::string compile_flags;
  // A fabric: draw the kernel's pieces as dataflow graphs, or on the machine's grid.
  std::string machine;
  std::vector<std::string> assignments;  // "KEY=VALUE"
  bool placed = false;
  std::string block = "32";  // distances between threads depend on its shape
  std::optional<std::uint32_t> piece;
};

struct AsmOptions {
  std::string program;
  std::vector<std::string> arguments;  // the program's own: NAME=VALUE
  std::string output;                  // a file; empty: text on standard output
  bool reference = false;              // print the instruction set instead
  bool verbose = false;
};

struct ResultsOptions {
  std::string output_folder = "raddle-out";
  std::string program;
  std::string machine;
  std::optional<std::int64_t> last;
  std::optional<std::string> csv;  // a file; "-" is standard output
  std::optional<std::int64_t> shown;
};

struct SweepOptions {
  std::string spec;
  std::string output_folder = "raddle-out";
  unsigned jobs = 0;    // processes at once; 0: one a core
  bool resume = false;  // accepted and of no effect: a sweep always resumes
};

int run_command(const RunOptions& options);
int compare_command(const CompareOptions& options);
int machines_command();
int machines_show_command(const std::string& machine, const std::vector<std::string>& assignments);
int reproduce_command(const ReproduceOptions& options);
int results_command(const ResultsOptions& options);
int sweep_command(const SweepOptions& options);
int report_command(const ReportOptions& options);
int graph_command(const GraphOptions& options);
int asm_command(const AsmOptions& options);
int disasm_command(const AsmOptions& options);
int cc_command(std::span<const std::string> arguments);
int cxx_command(std::span<const std::string> arguments);

}  // namespace raddle::cli
