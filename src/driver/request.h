// What the command line asks of a driver, as plain data, and what comes back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "experiment/run_result.h"
#include "experiment/run_settings.h"
#include "machine/machine.h"

namespace raddle::driver {

class Driver;

// What the user meant by PROGRAM.
struct FoundProgram {
  const Driver* driver = nullptr;
  std::string asked;  // as the user wrote it
  std::string path;
  std::string name;  // without folder and ending, for file names
};

// How the kernel of a .ptx file is launched; other programs launch theirs themselves. A driver says
// which of these options it takes.
struct LaunchArguments {
  std::string kernel;
  std::string grid = "1";
  std::string block = "32";
  unsigned shared_bytes = 0;
  std::vector<std::string> arguments;  // driver/ptx/ptx_arguments.h
  std::vector<std::string> shown;      // "INDEX[:COUNT]": buffers to print afterwards
  std::string image;                   // of presets: the picture that is worked on
  std::vector<std::string> dumped;     // "INDEX:FILE": buffers to write to files
  std::vector<std::string> given;      // which of these options the user wrote: "--grid"
};

struct RunRequest {
  std::vector<std::string> arguments;  // the program's own
  experiment::RunSettings settings;
  std::string output_folder = "raddle-out";
  std::string compile_flags;
  bool verbose = false;  // say what was chosen for the program, and why
  bool sandbox = false;  // native code of the program can do little but compute
  LaunchArguments launch;
};

// Where the program's own output goes.
struct ProgramOutput {
  bool to_error = false;
  std::string log_file;  // both streams go here instead
};

// One run, checked: the machine takes such programs, and its parameters are within their ranges.
struct RunJob {
  const FoundProgram& program;
  const RunRequest& request;
  const machine::ParameterTable& parameters;
  machine::Traits traits;
  ProgramOutput output;
  std::string result_file;
};

struct ProgramRun {
  int status = 0;               // of the program, or of the compiler
  int signal = 0;               // that ended the program; 0: it exited
  bool compiled = true;         // false: there was nothing to run
  bool used_device = false;     // there was a CUDA call
  bool result_refused = false;  // the result could not be written; the runtime has said why
  bool out_of_time = false;     // ended by us, as it went on after the time limit
  std::string result_file = {};
  std::string trace_file = {};  // as the user named it; empty: none was made
  // None if the program ended before it could be written.
  std::optional<experiment::RunResult> result = {};
};

// A program made ready to run.
struct PreparedProgram {
  std::string file;  // what runs: its content decides the result
  int status = 0;    // the compiler's
  std::string diagnostics = {};
  bool from_cache = false;
};

struct DrawRequest {
  std::vector<std::string> arguments;  // after --: flags for compiling, of families that take them
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

struct AssemblyRequest {
  std::vector<std::string> arguments;  // the program's own: NAME=VALUE
  std::string output;                  // a file; empty: text on standard output
  bool verbose = false;
};

// "SIGSEGV (Segmentation fault)" … for 128 + the number of a signal, else empty.
std::string signal_text(int status);

}  // namespace raddle::driver
