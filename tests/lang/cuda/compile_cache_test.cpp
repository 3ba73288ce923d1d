#include "lang/cuda/compile_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "lang/cuda/content_hash.h"
#include "lang/cuda/dependency_manifest.h"

namespace raddle::cuda {
namespace {

TEST(ContentHash, TellsContentsApart) {
  const auto hash = [](std::initializer_list<std::string_view> texts) {
    ContentHash content;
    for (const std::string_view text : texts) content.add(text);
    return content.hex();
  };
  EXPECT_EQ(hash({"a", "b"}), hash({"a", "b"}));
  EXPECT_NE(hash({"a", "b"}), hash({"ab", ""}));
  EXPECT_NE(hash({"a", "b"}), hash({"b", "a"}));
  EXPECT_NE(hash({""}), hash({}));
  EXPECT_NE(hash({std::string_view("\0", 1)}), hash({""}));
  EXPECT_NE(hash({"0123456789abcdef"}), hash({"0123456789abcdee"}));
  EXPECT_EQ(hash({"a"}).size(), 32u);
}

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
