#include "base/shell_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace raddle {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ShellWords, QuotesOnlyWhatAShellWouldTakeApart) {
  const std::vector<std::string> words{"a", "b c", "it's", ""};
  EXPECT_EQ(shell_quoted(words), "a 'b c' 'it'\\''s' ''");
}

TEST(ShellWords, AreTheSameAfterQuotingAndTakingApart) {
  const std::vector<std::string> words{"plain",  "two words", "it's", "",      "\"quoted\"",
                                       "tab\tx", "line\nend", "\\",   "a'b'c", "$HOME"};
  EXPECT_EQ(shell_words(shell_quoted(words)), words);
}

TEST(ShellWords, UnderstandWhatPeopleWrite) {
  EXPECT_THAT(shell_words("  -DN=4  \"a b\"'c' d\\ e "), ElementsAre("-DN=4", "a bc", "d e"));
  EXPECT_THAT(shell_words("'open end"), ElementsAre("open end"));
  EXPECT_THAT(shell_words(" "), IsEmpty());
}

}  // namespace
}  // namespace raddle
