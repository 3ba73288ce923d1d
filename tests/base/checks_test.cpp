#include "base/checks.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace raddle {
namespace {

TEST(Checks, AreReadByNameAndWrittenTheSame) {
  EXPECT_EQ(checks_from_text("1"), Checks(true));
  EXPECT_FALSE(checks_from_text("1").leak);
  EXPECT_TRUE(checks_from_text("all").leak);
  EXPECT_EQ(checks_from_text(to_text(checks_from_text("all"))), checks_from_text("all"));
  EXPECT_FALSE(checks_from_text("0"));
  EXPECT_FALSE(checks_from_text(""));
  const Checks some = checks_from_text("race,memory");
  EXPECT_TRUE(some.memory);
  EXPECT_TRUE(some.race);
  EXPECT_FALSE(some.barrier);
  EXPECT_EQ(to_text(some), "memory,race");
  EXPECT_EQ(checks_from_text(to_text(Checks(true))), Checks(true));
  EXPECT_EQ(to_text(Checks(false)), "");
}

TEST(Checks, NamesThatDoNotExistAreRefused) {
  try {
    checks_from_text("memory,rase");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "unknown check 'rase'; known: memory, barrier, race, init, api, "
                 "leak");
  }
}

}  // namespace
}  // namespace raddle
