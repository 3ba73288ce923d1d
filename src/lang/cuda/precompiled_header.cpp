#include "lang/cuda/precompiled_header.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>

#include "base/atomic_file.h"
#include "base/content_hash.h"
#include "base/error.h"
#include "base/version.h"
#include "lang/cuda/cache_entry.h"
#include "lang/cuda/dependency_manifest.h"
#include "lang/cuda/header_names.h"
#include "lang/cuda/process.h"

namespace raddle::cuda {

namespace {

namespace fs = std::filesystem;

constexpr const char* kFolder = "headers";
constexpr const char* kHeader = "cuda_runtime.pch";
constexpr const char* kRules = "rules";
constexpr const char* kNames = "names";

// What does not change the meaning of a header is left out, so that fewer are needed.
CompileRequest header_request(const CompileRequest& request) {
  CompileRequest result = request;
  result.common_flags.clear();
  result.max_registers = 0;
  std::erase_if(result.host_flags, [](const std::string& flag) {
    return flag.starts_with("-W") || flag.starts_with("-g");
  });
  for (std::string& flag : result.host_flags) {
    if (flag == "-O1" || flag == "-O3") flag = "-O2";
  }
  return result;
}

std::string request_key(const Command& command, const Toolchain& toolchain) {
  ContentHash hash;
  hash.add("raddle header cache 2").add(kVersion).add(compiler_identity(toolchain));
  for (const std::string& argument : command.arguments) hash.add(argument);
  return hash.hex();
}

PrecompiledHeader header_in(const fs::path& entry) {
  return {(entry / kHeader).string(), read_file(entry / kRules)};
}

// One header: found, or being made.
class HeaderJob {
 public:
  HeaderJob(const Toolchain& toolchain, const CompileRequest& request, bool needs_cxx20, Side side)
      : toolchain_(toolchain), request_(header_request(request)), side_(side) {
    job_.source = toolchain.include_folder + "/raddle/cuda/cuda_runtime.h";
    job_.needs_cxx20 = needs_cxx20;
    key_ = request_key(command(), toolchain);
    made_by_build_ = toolchain.library_folder + "/precompiled";
    cache_ = user_cache_folder();
    for (const std::string& folder : {made_by_build_, cache_}) {
      if (!folder.empty() && entry_.empty()) find_in(folder);
    }
  }

  void start() {
    if (!entry_.empty() || cache_.empty()) return;
    fresh_ = std::make_unique<FreshEntry>(fs::path(cache_) / kFolder, key_);
    job_.output = fresh_->file(kHeader).string();
    job_.dependency_file = fresh_->file(kRules).string();
    process_ = std::make_unique<Process>(
        command(), Streams{.output_file = "/dev/null", .error_file = "/dev/null"});
  }

  // The entry's folder; empty if there is none.
  fs::path finish() {
    if (process_ == nullptr) return entry_;
    const std::unique_ptr<Process> process = std::move(process_);
    if (process->wait() != 0) return {};
    const std::string rules = read_file(job_.dependency_file);
    HeaderNames names;
    for (const std::string& file : dependency_files(rules))
      add_header_names(read_file(file), names);
    write_scratch_file(fresh_->file(kNames), to_text(names));
    entry_ = fresh_->publish(store_manifest(cache_, key_, rules));
    return entry_;
  }

 private:
  Command command() const {
    return header_command(toolchain_, request_, job_, side_ == Side::kDevice);
  }
  void find_in(const std::string& folder) {
    const std::optional<std::string> name = find_entry(folder, key_);
    if (!name) return;
    if (const auto entry = find_intact_entry(fs::path(folder) / kFolder, *name)) entry_ = *entry;
  }

  const Toolchain& toolchain_;
  CompileRequest request_;
  Side side_;
  SourceJob job_;
  std::string key_;
  std::string made_by_build_;
  std::string cache_;
  fs::path entry_;
  std::unique_ptr<FreshEntry> fresh_;
  std::unique_ptr<Process> process_;
};

}  // namespace

std::vector<std::optional<PrecompiledHeader>> precompiled_headers(const Toolchain& toolchain,
                                                                  const CompileRequest& request,
                                                                  bool needs_cxx20,
                                                                  std::span<const Side> sides) {
  std::vector<std::optional<PrecompiledHeader>> headers(sides.size());
  if (request.dry_run || request.verbose) return headers;
  std::vector<std::unique_ptr<HeaderJob>> jobs;
  for (const Side side : sides)
    jobs.push_back(std::make_unique<HeaderJob>(toolchain, request, needs_cxx20, side));
  try {
    for (const auto& job : jobs) job->start();
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      const fs::path entry = jobs[i]->finish();
      if (entry.empty()) continue;
      if (leave_unchanged(request.common_flags, header_names_of(read_file(entry / kNames))))
        headers[i] = header_in(entry);
    }
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch)
    // A cache that cannot be written is no reason not to compile.
  }
  return headers;
}

}  // namespace raddle::cuda
