#include "sim/clock.h"

#include <gtest/gtest.h>

#include <random>

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

// The same by numbers of 128 bits, for whatever cycles and frequencies.
__extension__ using Wide = unsigned __int128;
std::uint64_t exact_time(std::uint64_t cycle, std::uint64_t hertz) {
  return static_cast<std::uint64_t>(Wide{cycle} * 1'000'000'000'000'000u / hertz);
}
std::uint64_t exact_first_from(std::uint64_t time, std::uint64_t hertz) {
  constexpr std::uint64_t kSecond = 1'000'000'000'000'000;
  return static_cast<std::uint64_t>((Wide{time} * hertz + kSecond - 1) / kSecond);
}

TEST(Clock, QuickArithmeticIsExact) {
  std::mt19937_64 random(11);
  for (const std::uint64_t hertz :
       {1'000'000u, 1'000'001u, 333'333'333u, 700'000'000u, 924'000'000u, 999'999'937u,
        1'400'000'000u, 4'294'967'295u, 999'999u, 1u}) {
    const Clock clock("any", Hertz(static_cast<double>(hertz)));
    for (int i = 0; i < 3000; ++i) {
      // Around the limits of 32 bits as well; within the time line.
      std::uint64_t cycle = random() >> (32 + random() % 32);
      if (i % 5 == 0) cycle = (std::uint64_t{1} << 32) - 8 + random() % 16;
      cycle = std::min<std::uint64_t>(cycle, hertz * 10'000);
      const std::uint64_t time = exact_time(cycle, hertz);
      ASSERT_EQ(clock.time_of(Cycle(cycle)).count(), time) << hertz << " Hz, cycle " << cycle;
      for (const std::uint64_t at :
           {time, time + 1, time == 0 ? 0 : time - 1, time + random() % 2'000'000})
        ASSERT_EQ(clock.first_from(Instant(at)).count(), exact_first_from(at, hertz))
            << hertz << " Hz, instant " << at;
    }
  }
}

}  // namespace
}  // namespace raddle::sim
