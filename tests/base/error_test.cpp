#include "base/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace raddle {
namespace {

TEST(Error, PutsThePlaceBeforeAndTheHintAfterTheMessage) {
  const Error error("unknown machine 'fremi'", "run.toml:3", "did you mean 'fermi'?");
  EXPECT_EQ(error.full_text(), "run.toml:3: unknown machine 'fremi'\nhint: did you mean 'fermi'?");
}

TEST(Error, IsTheBareMessageWithoutPlaceAndHint) {
  EXPECT_EQ(Error("no such file").full_text(), "no such file");
}

TEST(Error, FailedAssertionNamesConditionFileAndLine) {
  try {
    RADDLE_ASSERT(1 + 1 == 3);
    FAIL() << "the assertion held";
  } catch (const InternalError& error) {
    EXPECT_THAT(
        error.what(),
        testing::MatchesRegex("assertion `1 \\+ 1 == 3` failed at tests/base/error_test.cpp:.*"));
  }
}

}  // namespace
}  // namespace raddle
