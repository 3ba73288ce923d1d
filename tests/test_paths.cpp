#include "test_paths.h"

namespace raddle {

const std::string& test_root() {
  static const std::string path = RADDLE_TEST_ROOT;
  return path;
}

const std::string& test_build_root() {
  static const std::string path = RADDLE_TEST_BUILD_ROOT;
  return path;
}

}  // namespace raddle
