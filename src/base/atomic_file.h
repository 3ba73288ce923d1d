// Files that are there whole or not at all: the content goes to a temporary name in the same
// folder, to the disk, and is then renamed, so that a killed run or a full disk leaves the old file
// as it was and no half file beside it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace raddle {

// Replaces or creates `path`. A symbolic link is followed; a device or pipe is written to directly.
// Throws Error "cannot write 'PATH': reason".
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

// The whole file. Throws Error "cannot read 'PATH': reason".
std::string read_file(const std::filesystem::path& path);

}  // namespace raddle
