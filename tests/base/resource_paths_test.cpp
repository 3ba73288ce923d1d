#include "base/resource_paths.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <optional>
#include <string>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/temporary_folder.h"
#include "test_paths.h"

namespace raddle {
namespace {

namespace fs = std::filesystem;

// Sets RADDLE_HOME for one test.
class Home {
 public:
  explicit Home(const char* value) {
    if (const char* before = ::getenv("RADDLE_HOME")) before_ = before;
    if (value == nullptr) {
      ::unsetenv("RADDLE_HOME");
    } else {
      ::setenv("RADDLE_HOME", value, 1);
    }
  }
  ~Home() {
    if (before_) {
      ::setenv("RADDLE_HOME", before_->c_str(), 1);
    } else {
      ::unsetenv("RADDLE_HOME");
    }
  }
  Home(const Home&) = delete;
  Home& operator=(const Home&) = delete;

 private:
  std::optional<std::string> before_;
};

TEST(ResourcePaths, OfABuildTreeLieInTheSourceFolder) {
  const Home home(nullptr);
  const ResourcePaths paths = resource_paths();
  EXPECT_EQ(paths.root, fs::path(test_root()));
  EXPECT_TRUE(fs::exists(paths.machines / "ref.toml"));
  EXPECT_TRUE(fs::is_directory(paths.include / "raddle"));
  EXPECT_EQ(paths.library, fs::path(test_build_root()) / "lib");
}

TEST(ResourcePaths, FollowRaddleHome) {
  const TemporaryFolder prefix;
  const fs::path share = prefix / "share/raddle";
  fs::create_directories(share / "machines");
  fs::create_directories(prefix / "lib");
  write_file_atomically(prefix / "lib/libraddle-cudart.so", "");
  const Home home(share.c_str());
  const ResourcePaths paths = resource_paths();
  EXPECT_EQ(paths.machines, share / "machines");
  EXPECT_EQ(paths.benchmarks, share / "benchmarks");
  EXPECT_EQ(paths.library, prefix / "lib");
}

TEST(ResourcePaths, SayThatRaddleHomeIsWrong) {
  const TemporaryFolder empty;
  const Home home(empty.path().c_str());
  try {
    resource_paths();
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(
        error.full_text(),
        fmt::format(
            "RADDLE_HOME is '{}', which has no folder 'machines'\nhint: set it to Raddle's source "
            "folder or to PREFIX/share/raddle, or unset it",
            empty.path().string()));
  }
}

}  // namespace
}  // namespace raddle
