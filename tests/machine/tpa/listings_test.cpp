// The paper's listings (Figs. 18, 19, 21): steps, results, and what equal keys do to them.
#include <gmock/gmock.h>

#include <algorithm>

#include "base/atomic_file.h"
#include "base/resource_paths.h"
#include "machine/tpa/host_check.h"
#include "tpa_fixture.h"

namespace raddle::machine::tpa {
namespace {

std::string listing(const std::string& name) {
  return read_file(resource_paths().benchmarks / "e" / (name + ".tpa"));
}

// Whether all .expect lines hold.
bool is_right(const Outcome& outcome) {
  if (outcome.fault() != "none") return false;
  std::map<std::string, Words, std::less<>> held;
  for (const Symbol& symbol : outcome.program->symbols) {
    held[symbol.name] = symbol.initial;
    held[symbol.name].resize(symbol.words);
  }
  const WordsOf words = [&](std::string_view name) { return &held.find(name)->second; };
  return std::ranges::all_of(outcome.program->expectations, [&](const Expectation& expectation) {
    return difference(expectation.symbol, expectation.call, outcome.words(expectation.symbol),
                      expected_words(expectation.call, words))
        .empty();
  });
}

struct Listing {
  const char* name;
  std::uint64_t steps;
};
class Listings : public testing::TestWithParam<Listing> {};

TEST_P(Listings, GiveTheHostsResultInThePapersSteps) {
  const Outcome outcome = run_text(listing(GetParam().name));
  EXPECT_EQ(outcome.steps(), GetParam().steps);
  EXPECT_TRUE(is_right(outcome)) << outcome.fault();
}

INSTANTIATE_TEST_SUITE_P(Paper, Listings,
                         testing::Values(Listing{"min-o2", 3}, Listing{"min-ml", 2},
                                         Listing{"prefix-add-mmp", 3}, Listing{"csort", 6},
                                         Listing{"csort-stable", 6}, Listing{"rsort", 8},
                                         Listing{"rsort-stable", 8}, Listing{"mmul", 3}));

Words few_keys(std::size_t count) {
  Words words(count);
  for (std::size_t i = 0; i < count; ++i) words[i] = i * 7919 % 10;
  return words;
}

TpaSetup with_keys(std::size_t count) {
  TpaSetup setup;
  setup.data["_A_"] = few_keys(count);
  return setup;
}

TEST(PrintedListings, DoNotSortEqualKeys) {
  EXPECT_FALSE(is_right(run_text(listing("csort"), with_keys(128))));
  EXPECT_FALSE(is_right(run_text(listing("rsort"), with_keys(4096))));
}

TEST(CorrectedListings, SortEqualKeys) {
  EXPECT_TRUE(is_right(run_text(listing("csort-stable"), with_keys(128))));
  EXPECT_TRUE(is_right(run_text(listing("rsort-stable"), with_keys(4096))));
}

}  // namespace
}  // namespace raddle::machine::tpa
