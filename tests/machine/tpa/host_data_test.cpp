// Where arrays come from, and what the host expects of them.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>

#include "base/atomic_file.h"
#include "base/error.h"
#include "machine/tpa/data_source.h"
#include "machine/tpa/host_check.h"

namespace raddle::machine::tpa {
namespace {

using Words = std::vector<Word>;
using testing::ElementsAre;

template <class Action>
std::string fault_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.full_text();
  }
  return "none";
}

TEST(DataSource, FollowsItsRules) {
  EXPECT_THAT(words_from("iota", 3), ElementsAre(0, 1, 2));
  EXPECT_THAT(words_from("iota:5:-2", 3), ElementsAre(5, 3, 1));
  EXPECT_THAT(words_from("fill:7", 2), ElementsAre(7, 7));
  EXPECT_THAT(words_from("3,-1", 4), ElementsAre(3, ~Word{0}));
  EXPECT_EQ(words_from("random:4", 50), words_from("random:4", 50));
  EXPECT_NE(words_from("random:4", 50), words_from("random:5", 50));
  for (const Word word : words_from("random:1:-3:3", 100))
    EXPECT_LE(static_cast<std::int64_t>(word) + 3, 6);
  Words shuffled = words_from("permutation:9", 64);
  EXPECT_FALSE(std::ranges::is_sorted(shuffled));
  std::ranges::sort(shuffled);
  EXPECT_EQ(shuffled, words_from("iota", 64));
}

TEST(DataSource, ReadsBackWhatItWrote) {
  for (const char* name : {"words.txt", "words.bin"}) {
    const std::string file = (std::filesystem::path(testing::TempDir()) / name).string();
    const Words words{1, ~Word{0}, Word{1} << 63};
    write_words(file, words);
    EXPECT_EQ(read_words(file), words);
    EXPECT_EQ(words_from(file, 5), words);
  }
}

TEST(DataSource, RefusesWhatGivesNoWords) {
  EXPECT_EQ(fault_of([] { words_from("random", 3); }),
            "cannot read words from 'random'\nhint: iota[:FIRST[:STEP]], random:SEED[:LOW:HIGH], "
            "permutation:SEED, fill:VALUE, a list such as 3,1,2, or a file");
  EXPECT_EQ(fault_of([] { words_from("1,2,3", 2); }), "the list holds 3 words, the array 2");
  const std::string file = (std::filesystem::path(testing::TempDir()) / "bad.txt").string();
  write_file_atomically(file, "1\n2 x\n");
  EXPECT_EQ(fault_of([&] { read_words(file); }), file + ":2: 'x' is not a 64-bit integer");
}

TEST(HostCheck, ComputesWhatProgramsMustGive) {
  const Words a{3, 0, ~Word{0}, 5};
  const Words square{1, 2, 3, 4};
  const WordsOf words = [&](std::string_view name) {
    return name == "_A_" ? &a : name == "_Q_" ? &square : nullptr;
  };
  EXPECT_THAT(expected_words("min(_A_)", words), ElementsAre(~Word{0}));
  EXPECT_THAT(expected_words("max(_A_)", words), ElementsAre(5));
  EXPECT_THAT(expected_words("sums(_A_)", words), ElementsAre(7));
  EXPECT_THAT(expected_words("sums(_A_, 2)", words), ElementsAre(2, 5));
  EXPECT_THAT(expected_words("prefixes(_Q_)", words), ElementsAre(0, 1, 3, 6));
  EXPECT_THAT(expected_words("inclusive(_Q_,2)", words), ElementsAre(1, 2, 4, 6));
  EXPECT_THAT(expected_words("sort(_A_)", words), ElementsAre(~Word{0}, 0, 3, 5));
  EXPECT_THAT(expected_words("product(_Q_,_Q_)", words), ElementsAre(7, 10, 15, 22));
  EXPECT_THAT(expected_words("compact(_A_)", words), ElementsAre(3, ~Word{0}, 5));
  EXPECT_THAT(expected_words("places(_A_)", words), ElementsAre(0, 2, 3));
  EXPECT_THAT(expected_words("zeros(_A_)", words), ElementsAre(1));
  EXPECT_EQ(fault_of([&] { expected_words("sorted(_A_)", words); }),
            "'sorted(_A_)': unknown check function 'sorted'\nhint: did you mean 'sort'?");
  EXPECT_EQ(fault_of([&] { expected_words("sort(_B_)", words); }),
            "'_B_' is not an array of the program");
  EXPECT_EQ(fault_of([&] { expected_words("sort(_A_,_A_)", words); }),
            "'sort(_A_,_A_)' has 2 arguments\nhint: write it as sort(A)");
}

TEST(HostCheck, SaysWhatDiffers) {
  EXPECT_EQ(difference("_B_", "sort(_A_)", Words{1, 2, 4}, Words{1, 3, 5}),
            "element 1 of _B_ is 2, expected 3 by sort(_A_) (2 of 3 differ)");
  EXPECT_EQ(difference("_B_", "sort(_A_)", Words{1, 2, 4}, Words{1, 2}), "");
}

}  // namespace
}  // namespace raddle::machine::tpa
