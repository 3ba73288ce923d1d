#include "lang/cuda/compile_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

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

}  // namespace
}  // namespace raddle::cuda
