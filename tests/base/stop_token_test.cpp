#include "base/stop_token.h"

#include <gtest/gtest.h>

#include <string>

namespace raddle {
namespace {

TEST(StopToken, NeverStopsAnythingByDefault) {
  EXPECT_EQ(StopToken().reason(), StopReason::kNone);
  EXPECT_FALSE(StopToken().can_stop());
  EXPECT_NO_THROW(throw_if_stopped("testing"));
}

TEST(StopToken, SaysWhetherASignalCameOrTheTimeIsOver) {
  std::atomic<bool> interrupted{false};
  const StopToken token(&interrupted);
  EXPECT_EQ(token.reason(), StopReason::kNone);
  EXPECT_EQ(token.until(StopToken::Clock::now() - std::chrono::seconds(1)).reason(),
            StopReason::kTimeout);
  interrupted = true;
  EXPECT_EQ(token.reason(), StopReason::kInterrupted);
}

TEST(StopToken, IsInForceWithinItsScope) {
  const std::atomic<bool> interrupted{true};
  {
    const StopScope scope{StopToken(&interrupted)};
    try {
      throw_if_stopped("testing");
      FAIL() << "went on";
    } catch (const Stopped& stopped) {
      EXPECT_EQ(stopped.reason, StopReason::kInterrupted);
      EXPECT_EQ(std::string(stopped.phase), "testing");
    }
    const StopScope inner{StopToken()};
    EXPECT_NO_THROW(throw_if_stopped("testing"));
  }
  EXPECT_NO_THROW(throw_if_stopped("testing"));
}

}  // namespace
}  // namespace raddle
