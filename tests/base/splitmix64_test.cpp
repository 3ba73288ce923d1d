#include "base/splitmix64.h"

#include <gtest/gtest.h>

namespace raddle {
namespace {

// The first numbers of the reference implementation (Vigna, prng.di.unimi.it/splitmix64.c).
TEST(SplitMix64, GivesTheSequenceOfTheReference) {
  std::uint64_t state = 1234567;
  EXPECT_EQ(next_splitmix64(state), 6457827717110365317u);
  EXPECT_EQ(next_splitmix64(state), 3203168211198807973u);
  EXPECT_EQ(next_splitmix64(state), 9817491932198370423u);
}

TEST(SplitMix64, MixesAValueAsTheFirstNumberOfItsSequence) {
  std::uint64_t state = 42;
  EXPECT_EQ(splitmix64(42), next_splitmix64(state));
}

}  // namespace
}  // namespace raddle
