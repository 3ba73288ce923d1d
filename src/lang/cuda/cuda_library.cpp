#include "lang/cuda/cuda_library.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <system_error>

#include "base/atomic_file.h"
#include "base/content_hash.h"
#include "base/error.h"
#include "base/version.h"
#include "lang/cuda/clang_driver.h"
#include "lang/cuda/dependency_manifest.h"

namespace raddle::cuda {

namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 5> kNames = {"curand", "cufft", "cusolver", "cusparse",
                                                    "cublas"};

// What a library's own kernels are made with.
constexpr std::string_view kBase = "cublas";
constexpr std::array<std::string_view, 1> kUsesBase = {"cusolver"};

std::string library_cache() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value != nullptr ? value : "");
  };
  if (const std::string chosen = variable("RADDLE_CACHE_DIR"); !chosen.empty())
    return fs::absolute(chosen).string();
  if (const std::string cache = variable("XDG_CACHE_HOME"); !cache.empty())
    return cache + "/raddle";
  if (const std::string home = variable("HOME"); !home.empty()) return home + "/.cache/raddle";
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
  hash.add("raddle library cache 1").add(kVersion).add(name);
  SourceJob job;
  for (const Input& input : request.inputs) {
    job.source = input.path;
    for (const std::string& argument : device_command(toolchain, request, job).arguments)
      hash.add(argument);
  }
  std::error_code ignored;
  const fs::path clang = fs::canonical(toolchain.clang, ignored);
  hash.add(std::to_string(fs::last_write_time(clang, ignored).time_since_epoch().count()));
  return hash.hex();
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

std::optional<CudaLibrary> find_library(const std::string& cache, const std::string& key) {
  const std::optional<std::string> entry = find_entry(cache, key);
  if (!entry) return std::nullopt;
  const std::string stem = cache + "/libraries/" + *entry;
  std::error_code ignored;
  if (!fs::is_regular_file(stem + ".a", ignored) || !fs::is_regular_file(stem + ".d", ignored))
    return std::nullopt;
  return CudaLibrary{stem + ".a", read_file(stem + ".d")};
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
  make_cache_folder(cache + "/libraries");
  const Lock lock(fmt::format("{}/libraries/{}.lock", cache, name));
  if (std::optional<CudaLibrary> found = find_library(cache, key)) return *found;

  CompileRequest to_cache = request;
  to_cache.output = fmt::format("{}/libraries/new-{}.a", cache, key);
  std::error_code ignored;
  fs::remove(to_cache.output, ignored);  // ar would add to what was left behind
  CompileExtras extras;
  extras.want_dependencies = true;
  extras.header_cache = cache;
  const CompileOutcome outcome = compile(to_cache, toolchain, extras);
  if (outcome.status != 0) {
    throw Error(fmt::format("the library '{}' did not compile:\n{}", name, outcome.diagnostics));
  }
  const std::string stem = cache + "/libraries/" + store_manifest(cache, key, outcome.dependencies);
  write_file_atomically(stem + ".d", outcome.dependencies);
  fs::rename(to_cache.output, stem + ".a");
  return {stem + ".a", outcome.dependencies};
}

}  // namespace raddle::cuda
