#include "base/content_hash.h"

#include <gtest/gtest.h>

namespace raddle {
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

}  // namespace
}  // namespace raddle
