// Entries of the compile cache. An entry is a folder that appears whole, by renaming, with a seal:
// a list of its files and their hashes. A file that was cut, overwritten or lost is noticed when
// the entry is looked for; the entry is then removed, and whoever asked makes it anew.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace raddle::cuda {

// An entry in the making. Removed with everything in it unless it is published.
class FreshEntry {
 public:
  // In the folder `parent`; `key` tells processes apart that make different entries.
  FreshEntry(const std::filesystem::path& parent, const std::string& key);
  ~FreshEntry();
  FreshEntry(const FreshEntry&) = delete;
  FreshEntry& operator=(const FreshEntry&) = delete;

  std::filesystem::path file(const std::string& name) const { return folder_ / name; }
  // Seals it and gives it its name; returns where it is. Where another process was quicker, its
  // entry is the same. Throws Error.
  std::filesystem::path publish(const std::string& name);

 private:
  std::filesystem::path folder_;
};

// The entry with all its files as they were written; nothing, and no entry left, where one is
// missing or damaged.
std::optional<std::filesystem::path> find_intact_entry(const std::filesystem::path& parent,
                                                       const std::string& name);

// For what does not belong to one project: CUDA's headers and libraries. $RADDLE_CACHE_DIR, else
// `raddle` in the user's cache folder; empty where there is no such folder.
std::string user_cache_folder();

}  // namespace raddle::cuda
