#include "report/text/progress_line.h"

#include <gtest/gtest.h>

namespace raddle::report {
namespace {

using std::chrono::milliseconds;

class ProgressLineTest : public testing::Test {
 protected:
  std::string written;
  ProgressLine line{[this](std::string_view text) { written += text; }};
  ProgressLine::Clock::time_point start;
};

TEST_F(ProgressLineTest, SaysNothingOfAShortKernel) {
  line.start("_Z5scalePf", start);
  line.update({Cycle(1000), 1, 2}, start + milliseconds(499));
  line.clear();
  EXPECT_EQ(written, "");
}

TEST_F(ProgressLineTest, ShowsCyclesShareRateAndTimeLeft) {
  line.start("_Z5scalePf", start);
  line.update({Cycle(50'000'000), 1024, 4096}, start + milliseconds(2000));
  EXPECT_EQ(written,
            "\r\x1b[Kscale: 50.0 M cycles, 25% of 4,096 blocks, 25.0 M cycles/s, 6 s left");
}

TEST_F(ProgressLineTest, IsRewrittenNoMoreThanFiveTimesASecond) {
  line.start("k", start);
  line.update({Cycle(1000), 1, 2}, start + milliseconds(600));
  written.clear();
  line.update({Cycle(2000), 1, 2}, start + milliseconds(790));
  EXPECT_EQ(written, "");
  line.update({Cycle(2000), 1, 2}, start + milliseconds(800));
  EXPECT_NE(written, "");
}

TEST_F(ProgressLineTest, IsTakenAwayOnceAndOnlyWhenShown) {
  line.start("k", start);
  line.update({Cycle(1000), 1, 2}, start + milliseconds(600));
  written.clear();
  line.clear();
  line.clear();
  EXPECT_EQ(written, "\r\x1b[K");
}

TEST_F(ProgressLineTest, NeverFillsTheWholeScreenSoThatItDoesNotWrap) {
  line.start(std::string(200, 'k'), start);
  line.update({Cycle(1000), 1, 2}, start + milliseconds(600));
  EXPECT_EQ(written.size(), 4 + 99);
}

TEST_F(ProgressLineTest, CountsLongWaitsInMinutesAndHours) {
  EXPECT_EQ(progress_text("k", {Cycle(1000), 1, 100}, 10),
            "k: 1.00 k cycles, 1% of 100 blocks, 100 cycles/s, 16 min left");
  EXPECT_EQ(progress_text("k", {Cycle(1000), 1, 1000}, 10),
            "k: 1.00 k cycles, 0% of 1,000 blocks, 100 cycles/s, 2.8 h left");
}

}  // namespace
}  // namespace raddle::report
