// The two steps of the compile cache: what is asked for names a manifest, which lists every file
// that was read the last time; the contents of these files then name the entry. So a hit needs no
// preprocessor.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace raddle::cuda {

// The files of make rules for the target "program", sorted, each once.
std::vector<std::string> dependency_files(std::string_view rules);

// Hash of the request, and of the names and contents of the files; nothing if one of them is gone.
std::optional<std::string> content_key(const std::string& request,
                                       const std::vector<std::string>& files);

// The entry's name as far as the manifest in `folder` tells; nothing if there is none or a file is
// gone.
std::optional<std::string> find_entry(const std::string& folder, const std::string& request);
// Remembers the files and returns the entry's name. Throws Error.
std::string store_manifest(const std::string& folder, const std::string& request,
                           std::string_view rules);

// Throws Error with a hint to choose another place.
void make_cache_folder(const std::string& folder);

// A folder of this process in `parent`, in which an entry is made before it is renamed. Removes
// those that processes left behind which were killed an hour ago or earlier.
std::string make_fresh_folder(const std::string& parent, const std::string& key);

}  // namespace raddle::cuda
