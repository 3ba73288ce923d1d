// Finds what a user means by PROGRAM, compiles it where that is needed, runs it on a machine and
// brings the result back. `raddle run` and `raddle compare` differ only in what they do with it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "experiment/run_result.h"
#include "lang/cuda/compile_cache.h"

namespace raddle::cli {

struct ProgramFamily;

enum class ProgramKind { kCuda, kPtx, kExecutable, kOther };

struct FoundProgram {
  ProgramKind kind = ProgramKind::kCuda;
  std::string path;
  std::string name;                       // without folder and ending, for file names
  const ProgramFamily* family = nullptr;  // of kOther
};

// By its ending, by being an executable, or as the name of a bundled benchmark. Throws Error.
FoundProgram find_program(const std::string& program);

// Bundled benchmarks by name, sorted.
std::vector<std::string> bundled_programs();

// Whose output the program's own standard output becomes.
struct ProgramOutput {
  bool to_error = false;
  std::string log_file;  // both streams go here instead
};

struct ProgramRun {
  int status = 0;               // of the program, or of the compiler
  int signal = 0;               // that ended the program; 0: it exited
  bool compiled = true;         // false: there was nothing to run
  bool used_device = false;     // there was a CUDA call
  bool result_refused = false;  // the result could not be written; the runtime has said why
  bool out_of_time = false;     // ended by us, as it went on after the time limit
  std::string result_file;
  std::string trace_file;  // as the user named it; empty: none was made
  std::optional<experiment::RunResult>
      result;  // none if the program ended before it could be written
};

// The result is also written to the output folder and added to its store of runs. Throws Error for
// a machine, parameter, folder or program that is no good.
ProgramRun run_program(const RunOptions& options, const ProgramOutput& output);

// Compiles a CUDA program into the cache of the output folder, or finds it there. Throws Error.
cuda::CompiledProgram compile_program(const FoundProgram& program, const std::string& compile_flags,
                                      const std::string& output_folder);

// The PTX text of a .cu or .ptx file; nothing if compiling failed (diagnostics were printed).
// Writes no file.
std::optional<std::string> ptx_of_program(const std::string& program,
                                          const std::string& compile_flags);

// "SIGSEGV (segmentation fault)" … for 128 + the number of a signal, else empty.
std::string signal_text(int status);

}  // namespace raddle::cli
