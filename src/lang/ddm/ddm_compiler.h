// Compiles data-driven C++ programs (include/raddle/ddm.h) with clang-19: as they are, for this
// host, or instrumented by the pass plug-in, so that they can record themselves for d2now.
#pragma once

#include <string>
#include <vector>

namespace raddle::ddm_lang {

struct CompileRequest {
  std::vector<std::string> inputs;  // sources and objects
  std::vector<std::string> flags;   // the user's, after ours
  std::string output;
  bool instrument = false;
  bool lines = false;         // … with source lines, for check_for_races
  bool compile_only = false;  // -c: an object
  bool mpi = false;           // link what runs it on the ranks that mpirun starts
};

struct CompileOutcome {
  int status = 0;
  std::string diagnostics;
  std::string dependencies;  // make rules for the target "program"
};

// Throws Error where a tool or a part of Raddle is missing.
CompileOutcome compile(const CompileRequest& request);

struct CompiledProgram {
  std::string executable;  // empty if compiling failed
  int status = 0;
  std::string diagnostics;
};

// One source to an executable in the cache, or found there.
CompiledProgram compile_cached(const CompileRequest& request, const std::string& cache_folder);

}  // namespace raddle::ddm_lang
