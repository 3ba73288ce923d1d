#include "lang/ddm/ddm_compiler.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "base/atomic_file.h"
#include "base/content_hash.h"
#include "base/error.h"
#include "base/resource_paths.h"
#include "base/shell_words.h"
#include "base/version.h"
#include "lang/cuda/cache_entry.h"
#include "lang/cuda/dependency_manifest.h"
#include "lang/cuda/process.h"

namespace raddle::ddm_lang {
namespace {

namespace fs = std::filesystem;

constexpr const char* kClang = "clang++-19";

std::string clang() {
  std::string found = cuda::find_tool(kClang);
  if (found.empty()) {
    throw Error(fmt::format("{} is not installed", kClang), {}, "install the package clang-19");
  }
  return found;
}

// A library or plug-in that was built with Raddle.
std::string own_file(const std::string& name) {
  const fs::path file = resource_paths().library / name;
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) {
    throw Error(fmt::format("{} is missing", file.string()), {},
                "build all of Raddle; the plug-in needs the package llvm-19-dev");
  }
  return file.string();
}

// The library that runs programs on MPI's ranks, and the MPI that it was built with.
std::vector<std::string> mpi_libraries() {
  std::vector<std::string> libraries = shell_words(RADDLE_MPI_LIBRARIES);
  if (libraries.empty()) {
    throw Error("this Raddle was built without MPI", {},
                "install the package libopenmpi-dev and build Raddle again");
  }
  std::error_code ignored;
  for (const std::string& each : libraries) {
    if (fs::is_regular_file(each, ignored)) continue;
    throw Error(fmt::format("{} is missing", each), {}, "install the package libopenmpi-dev");
  }
  libraries.insert(libraries.begin(), {"-Wl,--whole-archive", own_file("libraddle-ddm-mpi.a"),
                                       "-Wl,--no-whole-archive"});
  return libraries;
}

// The simulated processor has no vector instructions for doubles, so loops stay as they are; the
// host's code rounds in the same places.
std::vector<std::string> arguments_of(const CompileRequest& request, const std::string& rules) {
  std::vector<std::string> arguments = {clang(), "-std=c++20", "-O2", "-ffp-contract=off",
                                        fmt::format("-I{}", resource_paths().include.string())};
  const auto add = [&](std::initializer_list<std::string> more) {
    arguments.insert(arguments.end(), more);
  };
  if (request.instrument) {
    add({"-fno-vectorize", "-fno-slp-vectorize",
         "-fpass-plugin=" + own_file("raddle-ddm-plugin.so")});
  }
  if (request.lines) add({"-gline-tables-only"});
  if (!rules.empty()) add({"-MD", "-MT", "program", "-MF", rules});
  arguments.insert(arguments.end(), request.inputs.begin(), request.inputs.end());
  arguments.insert(arguments.end(), request.flags.begin(), request.flags.end());
  if (request.compile_only) {
    add({"-c"});
  } else {
    if (request.instrument) {
      add({"-Wl,--whole-archive", own_file("libraddle-ddm-recorder.a"), "-Wl,--no-whole-archive"});
    }
    if (request.mpi) {
      const std::vector<std::string> libraries = mpi_libraries();
      arguments.insert(arguments.end(), libraries.begin(), libraries.end());
    }
    add({own_file("libraddle-ddm.a"), "-pthread"});
  }
  if (!request.output.empty()) add({"-o", request.output});
  return arguments;
}

std::string request_key(const CompileRequest& request) {
  ContentHash hash;
  hash.add("raddle ddm compile cache 1").add(kVersion);
  hash.add(own_file("libraddle-ddm.a")).add(read_file(own_file("libraddle-ddm.a")));
  if (request.instrument) {
    hash.add(read_file(own_file("raddle-ddm-plugin.so")));
    hash.add(read_file(own_file("libraddle-ddm-recorder.a")));
  }
  if (request.lines) hash.add("lines");
  for (const std::string& flag : request.flags) hash.add(flag);
  std::error_code ignored;
  hash.add(fs::current_path(ignored).string()).add(request.inputs.front());
  hash.add(read_file(request.inputs.front()));
  return hash.hex();
}

}  // namespace

CompileOutcome compile(const CompileRequest& request) {
  const cuda::TemporaryFolder folder;
  const bool wants_rules = request.inputs.size() == 1 && !request.compile_only;
  const std::string rules = wants_rules ? folder.file("rules") : std::string();
  const cuda::MemoryFile said;
  cuda::Streams streams;
  streams.error_handle = said.handle();
  streams.output_to_error = true;
  cuda::Process process({arguments_of(request, rules), cuda::compiler_environment()}, streams);
  CompileOutcome outcome;
  outcome.status = process.wait();
  outcome.diagnostics = said.content();
  std::error_code ignored;
  if (fs::is_regular_file(rules, ignored)) outcome.dependencies = read_file(rules);
  return outcome;
}

CompiledProgram compile_cached(const CompileRequest& request, const std::string& cache_folder) {
  const std::string key = request_key(request);
  const fs::path programs = fs::path(cache_folder) / "programs";
  if (const auto name = cuda::find_entry(cache_folder, key)) {
    if (const auto entry = cuda::find_intact_entry(programs, *name))
      return {fs::absolute(*entry / "program"), 0, {}};
  }
  cuda::FreshEntry fresh(programs, key);
  CompileRequest to_folder = request;
  to_folder.output = fresh.file("program").string();
  const CompileOutcome outcome = compile(to_folder);
  if (outcome.status != 0) return {{}, outcome.status, outcome.diagnostics};
  const fs::path entry =
      fresh.publish(cuda::store_manifest(cache_folder, key, outcome.dependencies));
  return {fs::absolute(entry / "program"), 0, outcome.diagnostics};
}

}  // namespace raddle::ddm_lang
