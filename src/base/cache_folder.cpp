#include "base/cache_folder.h"

#include <cstdlib>

namespace raddle {

std::string cache_folder(const std::string& output_folder) {
  const char* chosen = std::getenv(kCacheVariable);
  return chosen != nullptr && *chosen != '\0' ? std::string(chosen) : output_folder + "/cache";
}

}  // namespace raddle
