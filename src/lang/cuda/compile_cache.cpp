#include "lang/cuda/compile_cache.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <vector>

#include "base/atomic_file.h"
#include "base/content_hash.h"
#include "base/error.h"
#include "base/version.h"
#include "lang/cuda/dependency_manifest.h"

namespace raddle::cuda {

namespace {

namespace fs = std::filesystem;

void add_all(ContentHash& hash, const std::vector<std::string>& texts) {
  hash.add(std::to_string(texts.size()));
  for (const std::string& text : texts) hash.add(text);
}

std::string request_key(const CompileRequest& request, const Toolchain& toolchain) {
  ContentHash hash;
  hash.add("raddle compile cache 3").add(kVersion);
  // A package update changes the compiler's size or time.
  std::error_code ignored;
  const fs::path clang = fs::canonical(toolchain.clang, ignored);
  hash.add(clang.string()).add(std::to_string(fs::file_size(clang, ignored)));
  hash.add(std::to_string(fs::last_write_time(clang, ignored).time_since_epoch().count()));
  hash.add(toolchain.include_folder).add(toolchain.library_folder);
  hash.add(fmt::format("{} {} {} {} {}", request.architecture, request.max_registers,
                       request.relocatable, request.openmp, request.no_warnings));
  hash.add(request.standard);
  for (const auto* flags :
       {&request.common_flags, &request.host_flags, &request.device_flags, &request.link_flags}) {
    add_all(hash, *flags);
  }
  const Input& input = request.inputs.front();
  hash.add(fs::current_path(ignored).string()).add(input.path).add(read_file(input.path));
  return hash.hex();
}

CompiledProgram program_in(const fs::path& entry) {
  CompiledProgram program;
  program.executable = fs::absolute(entry / "program").string();
  program.ptx_file = fs::absolute(entry / "kernels.ptx").string();
  return program;
}

std::optional<CompiledProgram> find_program(const std::string& cache_folder,
                                            const std::string& request) {
  std::error_code ignored;
  const std::optional<std::string> key = find_entry(cache_folder, request);
  if (!key) return std::nullopt;
  const fs::path entry = fs::path(cache_folder) / "programs" / *key;
  if (!fs::is_regular_file(entry / "program", ignored)) return std::nullopt;
  CompiledProgram program = program_in(entry);
  program.from_cache = true;
  if (fs::is_regular_file(entry / "warnings", ignored))
    program.diagnostics = read_file(entry / "warnings");
  return program;
}

// An entry appears whole, by renaming. Where another process was quicker, its entry is the same.
fs::path publish(const fs::path& fresh, const fs::path& entry) {
  std::error_code error;
  fs::rename(fresh, entry, error);
  if (!error || fs::is_regular_file(entry / "program")) return entry;
  fs::remove_all(entry, error);  // somebody deleted half of it
  fs::rename(fresh, entry, error);
  if (error)
    throw Error(fmt::format("cannot store the compiled program: {}", error.message()),
                entry.string());
  return entry;
}

}  // namespace

std::string cache_folder(const std::string& output_folder) {
  const char* chosen = std::getenv("RADDLE_CACHE_DIR");
  return chosen != nullptr && *chosen != '\0' ? std::string(chosen) : output_folder + "/cache";
}

CompiledProgram compile_cached(const CompileRequest& request, const Toolchain& toolchain,
                               const std::string& cache_folder,
                               const PtxCheck& check_inter_thread) {
  RADDLE_ASSERT(request.stage == Stage::kLink && request.inputs.size() == 1);
  std::error_code ignored;
  const std::string& source = request.inputs.front().path;
  if (!fs::exists(source, ignored)) throw Error(fmt::format("no such file: '{}'", source));
  if (fs::is_directory(source, ignored)) throw Error("this is a folder, not a program", source);

  const std::string key = request_key(request, toolchain);
  if (std::optional<CompiledProgram> found = find_program(cache_folder, key)) return *found;

  const fs::path programs = fs::path(cache_folder) / "programs";
  const fs::path fresh = make_fresh_folder(programs.string(), key);
  struct Cleanup {
    fs::path folder;
    ~Cleanup() {
      std::error_code unimportant;
      fs::remove_all(folder, unimportant);
    }
  } cleanup{fresh};

  CompileRequest to_folder = request;
  to_folder.output = (fresh / "program").string();
  const CompileOutcome outcome = compile(to_folder, toolchain,
                                         {.ptx_file = (fresh / "kernels.ptx").string(),
                                          .want_dependencies = true,
                                          .must_be_cuda = true,
                                          .header_cache = cache_folder,
                                          .check_inter_thread = check_inter_thread});
  if (outcome.status != 0) {
    CompiledProgram failed;
    failed.status = outcome.status;
    failed.diagnostics = outcome.diagnostics;
    return failed;
  }
  if (!outcome.diagnostics.empty()) write_file_atomically(fresh / "warnings", outcome.diagnostics);
  CompiledProgram program = program_in(
      publish(fresh, programs / store_manifest(cache_folder, key, outcome.dependencies)));
  program.diagnostics = outcome.diagnostics;
  return program;
}

}  // namespace raddle::cuda
