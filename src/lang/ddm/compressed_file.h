// Files that are kept compressed (zlib's fastest level). What is read back is what was written, or
// the file is refused: the format has a checksum.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace raddle::ddm_lang {

// Throws Stopped if the token in force says so, Error if the file cannot be written.
void write_compressed(const std::filesystem::path& path, std::string_view content);
// Throws std::runtime_error, saying what is wrong with the file.
std::string read_compressed(const std::filesystem::path& path);

}  // namespace raddle::ddm_lang
