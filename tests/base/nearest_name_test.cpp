#include "base/nearest_name.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace raddle {
namespace {

const std::vector<std::string> kMachines{"cgra", "fermi", "ref", "simt"};

TEST(EditDistance, CountsInsertDeleteReplaceAndSwapOnceEach) {
  EXPECT_EQ(edit_distance("fermi", "fermi"), 0u);
  EXPECT_EQ(edit_distance("ferm", "fermi"), 1u);
  EXPECT_EQ(edit_distance("fermii", "fermi"), 1u);
  EXPECT_EQ(edit_distance("fexmi", "fermi"), 1u);
  EXPECT_EQ(edit_distance("fremi", "fermi"), 1u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

TEST(EditDistance, IgnoresLetterCase) { EXPECT_EQ(edit_distance("FERMI", "fermi"), 0u); }

TEST(NearestName, FindsTheMisspeltOne) {
  EXPECT_EQ(nearest_name("fremi", kMachines), "fermi");
  EXPECT_EQ(nearest_name("CGRA", kMachines), "cgra");
  EXPECT_EQ(nearest_name("rev", kMachines), "ref");
}

TEST(NearestName, FindsNothingForWhatIsFarFromAll) {
  EXPECT_EQ(nearest_name("volta", kMachines), std::nullopt);
  EXPECT_EQ(nearest_name("", kMachines), std::nullopt);
  EXPECT_EQ(nearest_name("x", std::vector<std::string>{"y"}), std::nullopt);
}

TEST(NearestName, TakesTheFirstOfEquallyNearNames) {
  EXPECT_EQ(nearest_name("bat", std::vector<std::string>{"cat", "hat"}), "cat");
}

TEST(NearestName, CompletesTheOnlyNameThatBeginsSo) {
  const std::vector<std::string> known{"clock_hz", "shared_bytes_per_block", "warp_size"};
  EXPECT_EQ(nearest_name("shared", known), "shared_bytes_per_block");
  const std::vector<std::string> two{"shared_bytes_per_block", "shared_bytes_per_multiprocessor"};
  EXPECT_EQ(nearest_name("shared", two), std::nullopt);
}

TEST(NearestName, FindsADottedNameByItsLastPart) {
  EXPECT_EQ(nearest_name("bytes", std::vector<std::string>{"l2.bytes", "clock_hz"}), "l2.bytes");
}

TEST(Suggestion, IsAQuestionOrEmpty) {
  EXPECT_EQ(suggestion("fremi", kMachines), "did you mean 'fermi'?");
  EXPECT_EQ(suggestion("volta", kMachines), "");
}

}  // namespace
}  // namespace raddle
