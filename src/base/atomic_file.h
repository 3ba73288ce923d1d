// Files that are there whole or not at all: the content goes to a temporary name in the same
// folder, to the disk, and is then renamed, so that a killed run or a full disk leaves the old file
// as it was and no half file beside it.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace raddle {

// Replaces or creates `path`. A symbolic link is followed; a device or pipe is written to directly.
// Throws Error "cannot write 'PATH': reason".
void write_file_atomically(const std::filesystem::path& path, std::string_view content);
// The same for a file that is never in memory as a whole: `produce` is given a function that takes
// the content part by part, in order.
using TextSink = std::function<void(std::string_view)>;
void write_file_atomically(const std::filesystem::path& path,
                           const std::function<void(const TextSink&)>& produce);

// For files of which nothing need be left after a crash of the host: neither renamed nor synced.
// Throws the same.
void write_scratch_file(const std::filesystem::path& path, std::string_view content);

// The whole file. Throws Error "cannot read 'PATH': reason".
std::string read_file(const std::filesystem::path& path);

}  // namespace raddle
