#include "lang/cuda/cache_entry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <system_error>
#include <vector>

#include "base/atomic_file.h"
#include "base/content_hash.h"
#include "base/error.h"
#include "lang/cuda/dependency_manifest.h"

namespace raddle::cuda {

namespace {

namespace fs = std::filesystem;

constexpr const char* kSeal = "seal";

// A line for each file: its hash and its name.
std::string seal_of(const fs::path& folder) {
  std::vector<std::string> names;
  for (const fs::directory_entry& file : fs::directory_iterator(folder)) {
    if (file.path().filename() != kSeal) names.push_back(file.path().filename().string());
  }
  std::ranges::sort(names);
  std::string text;
  for (const std::string& name : names)
    text += fmt::format("{} {}\n", ContentHash().add(read_file(folder / name)).hex(), name);
  return text;
}

bool is_intact(const fs::path& entry) {
  std::error_code ignored;
  if (!fs::is_regular_file(entry / kSeal, ignored)) return false;
  try {
    return read_file(entry / kSeal) == seal_of(entry);
  } catch (const Error&) {
    return false;  // a file that cannot be read
  } catch (const fs::filesystem_error&) {
    return false;  // another process removes it
  }
}

}  // namespace

FreshEntry::FreshEntry(const fs::path& parent, const std::string& key)
    : folder_(make_fresh_folder(parent.string(), key)) {}

FreshEntry::~FreshEntry() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

fs::path FreshEntry::publish(const std::string& name) {
  write_scratch_file(folder_ / kSeal, seal_of(folder_));
  const fs::path entry = folder_.parent_path() / name;
  std::error_code error;
  fs::rename(folder_, entry, error);
  if (!error || find_intact_entry(entry.parent_path(), name)) return entry;
  fs::rename(folder_, entry, error);
  if (error) {
    throw Error(fmt::format("cannot store it in the compile cache: {}", error.message()),
                entry.string());
  }
  return entry;
}

std::optional<fs::path> find_intact_entry(const fs::path& parent, const std::string& name) {
  fs::path entry = parent / name;
  std::error_code ignored;
  if (!fs::is_directory(entry, ignored)) return std::nullopt;
  if (is_intact(entry)) return entry;
  fs::remove_all(entry, ignored);
  return std::nullopt;
}

std::string user_cache_folder() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value != nullptr ? value : "");
  };
  if (const std::string chosen = variable("RADDLE_CACHE_DIR"); !chosen.empty())
    return fs::absolute(chosen).string();
  if (const std::string cache = variable("XDG_CACHE_HOME"); !cache.empty())
    return cache + "/raddle";
  if (const std::string home = variable("HOME"); !home.empty()) return home + "/.cache/raddle";
  return {};
}

}  // namespace raddle::cuda
