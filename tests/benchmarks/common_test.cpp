// The host's half of the benchmark programs. Above all: a wrong result is found and ends the
// program with status 1.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "common/arguments.h"
#include "common/comparison.h"
#include "common/random.h"

namespace {

using benchmark::Arguments;
using benchmark::compare;
using benchmark::Comparison;
using benchmark::Random;
using benchmark::report;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

using Floats = std::vector<float>;

TEST(BenchmarkComparison, AcceptsWhatLiesWithinTheBound) {
  const Comparison result =
      compare(Floats{1.0f, -2.0f, 100.5f}, std::vector<double>{1.25, -2, 100}, 0.25, 0.0025);
  EXPECT_EQ(result.wrong, 0u);
  EXPECT_EQ(result.compared, 3u);
  EXPECT_EQ(result.max_error, 0.5);
}

TEST(BenchmarkComparison, FindsTheFirstValueOutsideTheBound) {
  const Comparison result = compare(Floats{1, 2, 3, 9}, Floats{1, 2.5f, 7, 8}, 0.5);
  EXPECT_EQ(result.wrong, 2u);
  EXPECT_EQ(result.first_wrong, 2u);
  EXPECT_EQ(result.got, 3);
  EXPECT_EQ(result.expected, 7);
  EXPECT_EQ(result.max_error, 4);
}

TEST(BenchmarkComparison, WithoutABoundDemandsTheSameNumber) {
  EXPECT_EQ(compare(Floats{1, 2}, Floats{1, 2}).wrong, 0u);
  EXPECT_EQ(compare(Floats{1, 2}, Floats{1, std::nextafter(2.0f, 3.0f)}).wrong, 1u);
  EXPECT_EQ(compare(std::vector<int>{2147483647}, std::vector<int>{2147483646}).wrong, 1u);
}

TEST(BenchmarkComparison, AgreesWithNoNan) {
  EXPECT_EQ(compare(Floats{kNan}, Floats{1}, 1e9, 1e9).wrong, 1u);
  EXPECT_EQ(compare(Floats{1}, Floats{kNan}, 1e9, 1e9).wrong, 1u);
  EXPECT_EQ(compare(Floats{kNan}, Floats{kNan}, 1e9).wrong, 1u);
  EXPECT_EQ(compare(Floats{kNan}, Floats{1}).max_error, kInfinity);
}

TEST(BenchmarkComparison, InfinitiesAgreeOnlyWithThemselves) {
  EXPECT_EQ(compare(Floats{kInfinity}, Floats{kInfinity}, 1).wrong, 0u);
  EXPECT_EQ(compare(Floats{kInfinity}, Floats{-kInfinity}, 1).wrong, 1u);
  EXPECT_EQ(compare(Floats{kInfinity}, Floats{3e38f}, 1e30).wrong, 1u);
  EXPECT_EQ(compare(Floats{3}, Floats{kInfinity}, 1, 1).wrong, 1u);
}

TEST(BenchmarkComparison, DifferentLengthsAreWrongThroughout) {
  EXPECT_EQ(compare(Floats{1, 2, 3}, Floats{1, 2}).wrong, 3u);
  EXPECT_EQ(compare(Floats{}, Floats{1, 2}).wrong, 2u);
}

TEST(BenchmarkComparison, SeveralArraysMakeOneVerdict) {
  const Comparison good = compare(Floats{1, 2}, Floats{1, 2.5f}, 1);
  const Comparison bad = compare(Floats{1, 2, 3}, Floats{1, 2, 7}, 1);
  const Comparison both = good + bad;
  EXPECT_EQ(both.wrong, 1u);
  EXPECT_EQ(both.compared, 5u);
  EXPECT_EQ(both.first_wrong, 2u);
  EXPECT_EQ(both.max_error, 4);
  EXPECT_EQ((bad + good).first_wrong, 2u);
  EXPECT_EQ((good + good).wrong, 0u);
}

TEST(BenchmarkReport, SaysThatAllIsRight) {
  testing::internal::CaptureStdout();
  const int status = report(compare(Floats{1, 2}, Floats{1, 2.5f}, 1), "scan: %d elements", 2);
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            "scan: 2 elements: max error 0.5, 0 of 2 wrong\n");
  EXPECT_EQ(status, 0);
}

TEST(BenchmarkReport, EndsWithStatusOneAndNamesTheFirstWrongValue) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int status = report("scan", compare(Floats{1, 2, 3}, Floats{1, 2.5f, 3}));
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "scan: max error 0.5, 1 of 3 wrong\n");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "first wrong value, number 1: 2, expected 2.5\n");
  EXPECT_EQ(status, 1);
}

// A command line `demo ARGUMENT …`, and what a program would read from it: a size, a whole number
// of tiles and a seed.
struct CommandLine {
  explicit CommandLine(std::vector<std::string> given) : words(std::move(given)) {
    words.insert(words.begin(), "demo");
    for (std::string& word : words) pointers.push_back(word.data());
  }

  std::vector<int> read() {
    Arguments arguments(static_cast<int>(pointers.size()), pointers.data(),
                        "demo [SIZE] [TILES] [SEED]");
    const int size = arguments.number("SIZE", 10, 1, 100);
    const int tiles = arguments.multiple_of(16, "TILES", 32, 16, 64);
    const int seed = arguments.seed();
    arguments.end();
    return {size, tiles, seed};
  }

  std::vector<std::string> words;
  std::vector<char*> pointers;
};

TEST(BenchmarkArguments, WhatIsNotGivenHasItsDefault) {
  EXPECT_EQ(CommandLine({}).read(), (std::vector<int>{10, 32, 1}));
  EXPECT_EQ(CommandLine({"7"}).read(), (std::vector<int>{7, 32, 1}));
  EXPECT_EQ(CommandLine({"100", "48", "9"}).read(), (std::vector<int>{100, 48, 9}));
}

void expect_refused(std::vector<std::string> words, const std::string& why) {
  EXPECT_EXIT(std::exit(CommandLine(words).read().front()), testing::ExitedWithCode(2),
              "demo: " + why + "\nusage: demo \\[SIZE\\] \\[TILES\\] \\[SEED\\]\n");
}

TEST(BenchmarkArgumentsDeathTest, WhatDoesNotFitIsRefusedWithTheUsageLine) {
  expect_refused({"many"}, "SIZE must be a whole number, not 'many'");
  expect_refused({""}, "SIZE must be a whole number, not ''");
  expect_refused({"7x"}, "SIZE must be a whole number, not '7x'");
  expect_refused({"0"}, "SIZE must be from 1 to 100, not 0");
  expect_refused({"101"}, "SIZE must be from 1 to 100, not 101");
  expect_refused({"99999999999999999999"}, "SIZE must be from 1 to 100, not 99999999999999999999");
  expect_refused({"7", "40"}, "TILES must be a multiple of 16, not 40");
  expect_refused({"7", "48", "-1"}, "SEED must be from 0 to 2147483647, not -1");
  expect_refused({"7", "48", "1", "2"}, "unexpected argument '2'");
}

TEST(BenchmarkRandom, ASeedAlwaysGivesTheSameNumbers) {
  Random random(1);
  EXPECT_EQ((std::vector<unsigned>{random.next(), random.next(), random.next()}),
            (std::vector<unsigned>{989330568u, 3432163442u, 303924123u}));
  EXPECT_NE(Random(1).next(), Random(2).next());
}

TEST(BenchmarkRandom, NumbersKeepToTheirRangeAndFillIt) {
  Random random(3);
  std::vector<int> seen(5);
  for (int i = 0; i < 1000; ++i) ++seen.at(static_cast<std::size_t>(random.below(5)));
  for (int count : seen) EXPECT_GT(count, 150);
  double sum = 0;
  for (float value : random.floats(10000, -2, 6)) {
    ASSERT_GE(value, -2);
    ASSERT_LT(value, 6);
    sum += value;
  }
  EXPECT_NEAR(sum / 10000, 2, 0.1);  // four standard deviations
}

}  // namespace
