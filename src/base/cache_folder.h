// Where compiled programs are kept from one run to the next.
#pragma once

#include <string>

namespace raddle {

inline constexpr const char* kCacheVariable = "RADDLE_CACHE_DIR";

// The folder that this variable names, else `cache` in the output folder.
std::string cache_folder(const std::string& output_folder);

}  // namespace raddle
