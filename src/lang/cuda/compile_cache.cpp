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
#include "lang/cuda/cache_entry.h"
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
  hash.add("raddle compile cache 5").add(kVersion);
  std::error_code ignored;
  hash.add(compiler_identity(toolchain));
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
  const std::optional<std::string> key = find_entry(cache_folder, request);
  if (!key) return std::nullopt;
  const auto entry = find_intact_entry(fs::path(cache_folder) / "programs", *key);
  if (!entry) return std::nullopt;
  CompiledProgram program = program_in(*entry);
  program.from_cache = true;
  std::error_code ignored;
  if (fs::is_regular_file(*entry / "warnings", ignored))
    program.diagnostics = read_file(*entry / "warnings");
  return program;
}

}  // namespace

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

  FreshEntry fresh(fs::path(cache_folder) / "programs", key);
  CompileRequest to_folder = request;
  to_folder.output = fresh.file("program").string();
  const CompileOutcome outcome = compile(to_folder, toolchain,
                                         {.ptx_file = fresh.file("kernels.ptx").string(),
                                          .want_dependencies = true,
                                          .must_be_cuda = true,
                                          .check_inter_thread = check_inter_thread});
  if (outcome.status != 0) {
    CompiledProgram failed;
    failed.status = outcome.status;
    failed.diagnostics = outcome.diagnostics;
    return failed;
  }
  if (!outcome.diagnostics.empty()) write_scratch_file(fresh.file("warnings"), outcome.diagnostics);
  CompiledProgram program =
      program_in(fresh.publish(store_manifest(cache_folder, key, outcome.dependencies)));
  program.diagnostics = outcome.diagnostics;
  return program;
}

}  // namespace raddle::cuda
