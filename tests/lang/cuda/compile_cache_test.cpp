#include "lang/cuda/compile_cache.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/cache_folder.h"
#include "lang/cuda/dependency_manifest.h"

namespace raddle::cuda {
namespace {

TEST(DependencyManifest, ReadsMakeRules) {
  EXPECT_THAT(dependency_files(
                  "program: a.cu \\\n  dir/b.h with\\ blank.h \\\n cost$$.h\nprogram: a.cu c.h\n"),
              testing::ElementsAre("a.cu", "c.h", "cost$.h", "dir/b.h", "with blank.h"));
  EXPECT_THAT(dependency_files(""), testing::IsEmpty());
}

TEST(CompileCache, LivesInTheOutputFolderUnlessToldOtherwise) {
  unsetenv("RADDLE_CACHE_DIR");
  EXPECT_EQ(cache_folder("out"), "out/cache");
  setenv("RADDLE_CACHE_DIR", "/elsewhere", 1);
  EXPECT_EQ(cache_folder("out"), "/elsewhere");
  unsetenv("RADDLE_CACHE_DIR");
}

TEST(CompileCache, RemovesWhatKilledProcessesLeftBehindLongAgo) {
  namespace fs = std::filesystem;
  const fs::path parent = fs::path(testing::TempDir()) / fmt::format("left-behind-{}", getpid());
  constexpr int kNoProcess = 0x7ffffff0;
  const auto make = [&](const std::string& name, std::chrono::minutes age) {
    fs::create_directories(parent / name);
    fs::last_write_time(parent / name, fs::file_time_type::clock::now() - age);
    return parent / name;
  };
  using std::chrono::minutes;
  const auto old = make(fmt::format("new-a-{}", kNoProcess), minutes(70));
  const auto young = make(fmt::format("new-b-{}", kNoProcess), minutes(50));
  const auto alive = make(fmt::format("new-c-{}", getpid()), minutes(70));
  const auto entry = make(fmt::format("d-{}", kNoProcess), minutes(70));
  EXPECT_TRUE(fs::is_directory(make_fresh_folder(parent.string(), "e")));
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(young) && fs::exists(alive) && fs::exists(entry));
  fs::remove_all(parent);
}

}  // namespace
}  // namespace raddle::cuda
