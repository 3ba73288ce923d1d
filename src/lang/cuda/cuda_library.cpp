#include "lang/cuda/cuda_library.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <system_error>

#include "base/atomic_file.h"
#include "base/content_hash.h"
#include "base/error.h"
#include "base/version.h"
#include "lang/cuda/cache_entry.h"
#include "lang/cuda/clang_driver.h"
#include "lang/cuda/dependency_manifest.h"

namespace raddle::cuda {

namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 6> kNames = {"curand",   "cufft",    "cusolver",
                                                    "cusparse", "cublasLt", "cublas"};

// What a library's own kernels are made with.
constexpr std::string_view kBase = "cublas";
constexpr std::array<std::string_view, 2> kUsesBase = {"cusolver", "cublasLt"};

constexpr const char* kFolder = "libraries";
constexpr const char* kArchive = "library.a";
constexpr const char* kRules = "rules";

std::string library_cache() {
  std::string cache = user_cache_folder();
  if (!cache.empty()) return cache;
  throw Error("there is no folder for compiled libraries: HOME is not set", {},
              "set RADDLE_CACHE_DIR");
}

std::vector<std::string> sources_of(std::string_view name, const Toolchain& toolchain) {
  const fs::path folder = fs::path(toolchain.source_folder) / name;
  std::vector<std::string> sources;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().extension() == ".cu") sources.push_back(entry.path().string());
  }
  if (sources.empty())
    throw Error(fmt::format("the sources of the library '{}' are missing", name), folder.string());
  std::ranges::sort(sources);
  return sources;
}

CompileRequest library_request(const std::vector<std::string>& sources) {
  CompileRequest request;
  request.stage = Stage::kArchive;
  for (const std::string& source : sources) request.inputs.push_back({source, Language::kCuda});
  // Position-independent, as a program may put it into a shared library of its own.
  request.host_flags = {"-O2", "-fPIC"};
  request.device_flags = {"-O3"};
  return request;
}

std::string request_key(std::string_view name, const CompileRequest& request,
                        const Toolchain& toolchain) {
  ContentHash hash;
  hash.add("raddle library cache 2").add(kVersion).add(name);
  SourceJob job;
  for (const Input& input : request.inputs) {
    job.source = input.path;
    for (const std::string& argument : device_command(toolchain, request, job).arguments)
      hash.add(argument);
  }
  return hash.add(compiler_identity(toolchain)).hex();
}

// One process compiles, the others wait for what it makes.
class Lock {
 public:
  explicit Lock(const std::string& file)
      : handle_(open(file.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666)) {
    if (handle_ >= 0) flock(handle_, LOCK_EX);
  }
  ~Lock() {
    if (handle_ >= 0) close(handle_);
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  int handle_ = -1;
};

CudaLibrary library_in(const fs::path& entry) {
  return {(entry / kArchive).string(), read_file(entry / kRules)};
}

std::optional<CudaLibrary> find_library(const std::string& cache, const std::string& key) {
  const std::optional<std::string> name = find_entry(cache, key);
  if (!name) return std::nullopt;
  const auto entry = find_intact_entry(fs::path(cache) / kFolder, *name);
  if (!entry) return std::nullopt;
  return library_in(*entry);
}

}  // namespace

std::span<const std::string_view> cuda_library_names() { return kNames; }

std::vector<std::string_view> cuda_libraries_of(std::string_view name) {
  for (const std::string_view ending : {"_static_nocallback", "_static"}) {
    if (name.ends_with(ending)) name.remove_suffix(ending.size());
  }
  const auto place = std::ranges::find(kNames, name);
  if (place == kNames.end()) return {};
  if (std::ranges::find(kUsesBase, name) != kUsesBase.end()) return {*place, kBase};
  return {*place};
}

CudaLibrary cuda_library(std::string_view name, const Toolchain& toolchain) {
  const CompileRequest request = library_request(sources_of(name, toolchain));
  const std::string key = request_key(name, request, toolchain);
  const std::string cache = library_cache();
  if (std::optional<CudaLibrary> found = find_library(cache, key)) return *found;
  make_cache_folder(fmt::format("{}/{}", cache, kFolder));
  const Lock lock(fmt::format("{}/{}/{}.lock", cache, kFolder, name));
  if (std::optional<CudaLibrary> found = find_library(cache, key)) return *found;

  FreshEntry fresh(fs::path(cache) / kFolder, key);
  CompileRequest to_cache = request;
  to_cache.output = fresh.file(kArchive).string();
  CompileExtras extras;
  extras.want_dependencies = true;
  const CompileOutcome outcome = compile(to_cache, toolchain, extras);
  if (outcome.status != 0) {
    throw Error(fmt::format("the library '{}' did not compile:\n{}", name, outcome.diagnostics));
  }
  write_scratch_file(fresh.file(kRules), outcome.dependencies);
  return library_in(fresh.publish(store_manifest(cache, key, outcome.dependencies)));
}

}  // namespace raddle::cuda
