#include "lang/cuda/precompiled_header.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "base/atomic_file.h"
#include "base/content_hash.h"
#include "base/version.h"
#include "lang/cuda/dependency_manifest.h"
#include "lang/cuda/process.h"

namespace raddle::cuda {

namespace {

namespace fs = std::filesystem;

std::string request_key(const Command& command) {
  ContentHash hash;
  hash.add("raddle header cache 1").add(kVersion);
  for (const std::string& argument : command.arguments) hash.add(argument);
  return hash.hex();
}

}  // namespace

std::optional<PrecompiledHeader> precompiled_header(const Toolchain& toolchain,
                                                    const CompileRequest& request, bool needs_cxx20,
                                                    Side side, const std::string& cache_folder) {
  if (!request.common_flags.empty() || request.dry_run || request.verbose) return std::nullopt;
  const fs::path folder = fs::absolute(fs::path(cache_folder) / "headers").lexically_normal();
  make_cache_folder(folder.string());
  SourceJob job;
  job.source = (folder / "cuda_runtime.cu")
                   .string();  // clang wants to see it again whenever the header is used
  job.needs_cxx20 = needs_cxx20;
  const std::string key =
      request_key(header_command(toolchain, request, job, side == Side::kDevice));

  std::error_code ignored;
  const std::optional<std::string> known = find_entry(cache_folder, key);
  if (known) {
    PrecompiledHeader header{(folder / (*known + ".pch")).string(), {}};
    if (fs::is_regular_file(header.file, ignored) &&
        fs::is_regular_file(folder / (*known + ".d"), ignored)) {
      header.dependencies = read_file(folder / (*known + ".d"));
      return header;
    }
  }
  if (!fs::is_regular_file(job.source, ignored))
    write_file_atomically(job.source, "#include \"cuda_runtime.h\"\n");
  const fs::path fresh = folder / fmt::format("new-{}-{}", key, getpid());
  job.output = fresh.string() + ".pch";
  job.dependency_file = fresh.string() + ".d";
  Process process(header_command(toolchain, request, job, side == Side::kDevice),
                  {.output_file = "/dev/null", .error_file = "/dev/null"});
  if (process.wait() != 0) {
    fs::remove(job.output, ignored);
    fs::remove(job.dependency_file, ignored);
    return std::nullopt;
  }
  PrecompiledHeader header;
  header.dependencies = read_file(job.dependency_file);
  const std::string entry = store_manifest(cache_folder, key, header.dependencies);
  header.file = (folder / (entry + ".pch")).string();
  fs::rename(job.output, header.file);
  fs::rename(job.dependency_file, folder / (entry + ".d"));
  return header;
}

}  // namespace raddle::cuda
