// One function a command, each given its options as plain data and returning the exit status: the
// simulated program's own, 0, or kUserFault. What is wrong with the user's input is thrown as
// Error.
#pragma once

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
};

struct RunOptions {
  std::string program;
  std::vector<std::string> arguments;
  experiment::RunSettings settings;
  std::string output_folder = "raddle-out";
  std::optional<std::string> json;  // "-" is standard output
  std::string compile_flags;
  PtxLaunch ptx;
};

struct CompareOptions {
  std::vector<std::string> programs;  // or results: *.json
  std::vector<std::string> machines{"ref"};
  RunOptions run;  // everything but program and machine
};

struct GraphOptions {
  std::string program;
  std::string kernel;
  std::string format = "text";
  std::string compile_flags;
};

int run_command(const RunOptions& options);
int compare_command(const CompareOptions& options);
int machines_command();
int machines_show_command(const std::string& machine, const std::vector<std::string>& assignments);
int graph_command(const GraphOptions& options);
int cc_command(std::span<const std::string> arguments);

}  // namespace raddle::cli
