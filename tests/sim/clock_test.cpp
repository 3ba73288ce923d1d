#include "sim/clock.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace raddle::sim {
namespace {

TEST(Clock, FallsOnTheFloorOfTheExactTime) {
  const Clock clock("dram", Hertz(924e6));
  EXPECT_EQ(clock.time_of(Cycle(0)), Instant(0));
  EXPECT_EQ(clock.time_of(Cycle(1)), Instant(1'082'251));  // 10^15 / 924·10^6 = 1082251.08…
  EXPECT_EQ(clock.time_of(Cycle(924'000'000)), Instant(1'000'000'000'000'000));
}

TEST(Clock, FindsTheFirstTickFromAnInstant) {
  const Clock clock("dram", Hertz(924e6));
  for (std::uint64_t n : {0ULL, 1ULL, 2ULL, 999ULL, 923'999'999ULL, 924'000'001ULL, 1ULL << 40}) {
    const Instant at = clock.time_of(Cycle(n));
    EXPECT_EQ(clock.first_from(at), Cycle(n)) << n;
    EXPECT_EQ(clock.first_from(at + Instant(1)), Cycle(n + 1)) << n;
  }
}

TEST(Clock, NeverAndTheEndOfTimeBelongTogether) {
  const Clock clock("core", Hertz(1.4e9));
  EXPECT_EQ(clock.time_of(kNever), kEndOfTime);
  EXPECT_EQ(clock.first_from(kEndOfTime), kNever);
}

TEST(Clock, CrossesToTheNextEdgeOfAnotherClock) {
  const Clock fast("core", Hertz(1.4e9));
  const Clock slow("l2", Hertz(0.7e9));
  EXPECT_EQ(cross(fast, Cycle(4), fast), Cycle(4));
  EXPECT_EQ(cross(fast, Cycle(4), slow), Cycle(2));
  EXPECT_EQ(cross(fast, Cycle(5), slow), Cycle(3));
  EXPECT_EQ(cross(slow, Cycle(3), fast), Cycle(6));
}

TEST(Clock, RefusesAFrequencyThatIsNone) {
  try {
    const Clock clock("core", Hertz(0));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.full_text(),
              "the clock core has a frequency of 0 Hz\nhint: give it between 1 Hz and 1e15 Hz");
  }
}

}  // namespace
}  // namespace raddle::sim
