#include "kernel/analysis/channel_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "kernel/analysis/channel_waits.h"
#include "kernel/text_form.h"

namespace raddle::kernel {
namespace {

// A kernel over channels 0 "x", 1 "y" and 2 "z"; %p and %f1 differ between threads, %u does not.
Module kernel_of(const std::string& body) {
  return parse_text(
      "module \"m.cu\" ptx 7.5 target 70\nfile m.cu \"m.cu\"\n"
      "kernel @k(n[4]) {\n  channel \"x\"\n  channel \"y\"\n  channel \"z\"\n"
      "  register pred p, u\n  register b32 t, n, v\n  register f32 f1-f9\n  register f64 d1\n"
      "start:\n  %t = mov.u32 %tid.x\n  %p = setp.eq.s32 %t, 0\n  %n = ld.param.u32 [n]\n"
      "  %u = setp.eq.s32 %n, 0\n" +
          body + "}\n",
      "test");
}

// The error, or nothing.
std::string checked(const std::string& body) {
  const Module module = kernel_of(body);
  try {
    check_channels(module, module.functions[0]);
  } catch (const Error& error) {
    return error.full_text();
  }
  return {};
}

std::string tag(int channel, int line, const std::string& guard = "") {
  return "  " + guard + "it.tag.f32 %f1 {channel=" + std::to_string(channel) +
         "} !loc m.cu:" + std::to_string(line) + ":1\n";
}
std::string receive(int channel, const std::string& delta, int line,
                    const std::string& window = "") {
  return "  %f2 = it.recv.const.f32 0.0 {channel=" + std::to_string(channel) + ", delta=(" + delta +
         ")" + window + "} !loc m.cu:" + std::to_string(line) + ":1\n";
}
std::string load(int channel, const std::string& delta, int line) {
  return "  %f3 = it.recv.load.generic.f32 [64], %p {channel=" + std::to_string(channel) +
         ", delta=(" + delta + ")} !loc m.cu:" + std::to_string(line) + ":1\n";
}
std::string branch(const std::string& guard, const std::string& target, int line) {
  return "  " + guard + "bra " + target + " !loc m.cu:" + std::to_string(line) + ":1\n";
}
const std::string kEnd = "  ret\n";

constexpr const char* kCircleHint =
    "\nhint: tag a value before receiving what does not belong to it; what a tag waits for must "
    "lie on one side";
constexpr const char* kDivergenceHint =
    "\nhint: move the call out of the condition, loop or early return, so that every thread of the "
    "block executes it; values loaded from memory count as different, arguments of the kernel as "
    "the "
    "same";

TEST(ChannelChecks, PassWhatThePaperWrites) {
  EXPECT_EQ(checked(tag(0, 3) + receive(0, "-1, 0, 0", 4) + receive(0, "1, 0, 0", 5) + kEnd), "");
  EXPECT_EQ(checked(receive(0, "-1, 0, 0", 3) + tag(0, 4) + kEnd), "");
  EXPECT_EQ(checked(load(3, "-1, 0, 0", 3) + load(4, "0, -1, 0", 3) + kEnd), "");
}

TEST(ChannelChecks, FindDistancesThatLeadNowhere) {
  EXPECT_EQ(checked(tag(0, 3) + receive(0, "0, 0, 0", 4) + kEnd),
            "m.cu:4: kernel k: a thread cannot receive from itself: the distance is 0\n"
            "hint: use the value itself");
  EXPECT_EQ(checked(tag(0, 3) + receive(0, "-16, 0, 0", 4, ", window=16") + kEnd),
            "m.cu:4: kernel k: a distance of -16 reaches beyond the window of 16 threads\n"
            "hint: a distance is shorter than its window");
  EXPECT_EQ(checked(tag(0, 3) + receive(0, "-15, 0, 0", 4, ", window=16") + kEnd), "");
}

TEST(ChannelChecks, FindChannelsThatNobodyTags) {
  EXPECT_EQ(checked(tag(0, 3) + receive(1, "-1, 0, 0", 4) + kEnd),
            "m.cu:4: kernel k: channel \"y\" is received from but nothing is tagged on it\n"
            "hint: pass a value with tagValue under the same name");
}

TEST(ChannelChecks, FindValuesOfAnotherType) {
  EXPECT_EQ(
      checked(tag(0, 3) +
              "  %t = it.recv.const.b32 0 {channel=0, delta=(-1, 0, 0)} !loc m.cu:4:1\n" + kEnd),
      "m.cu:4: kernel k: channel \"x\" carries float (tagged at m.cu:3) but 32-bit integers "
      "are received here\n"
      "hint: give the constant the type that is tagged: 0.0f for float, 0.0 for double");
  EXPECT_EQ(
      checked("  it.tag.f64 %d1 {channel=0} !loc m.cu:3:1\n" + branch("@%u ", "b", 4) +
              "a:\n  bra c\nb:\n" + tag(0, 5) + "c:\n" + kEnd),
      "m.cu:5: kernel k: channel \"x\" carries double (tagged at m.cu:3) but float are tagged "
      "here\n"
      "hint: all values of a channel are of one type");
}

TEST(ChannelChecks, FindTwoTagsOnOnePath) {
  const std::string hint = "\nhint: give the second value a channel of its own";
  EXPECT_EQ(checked(tag(0, 3) + receive(0, "-1, 0, 0", 4) + tag(0, 5) + kEnd),
            "m.cu:5: kernel k: channel \"x\" is tagged a second time on the same path, first at "
            "m.cu:3" +
                hint);
  EXPECT_EQ(checked(tag(0, 3) + branch("@%u ", "b", 4) + "a:\n  brkpt\nb:\n" + tag(0, 6) + kEnd),
            "m.cu:6: kernel k: channel \"x\" is tagged a second time on the same path, first at "
            "m.cu:3" +
                hint);
  EXPECT_EQ(checked(tag(0, 3) + "l:\n" + tag(0, 5) + branch("@%u ", "l", 6) + "e:\n" + kEnd),
            "m.cu:5: kernel k: channel \"x\" is tagged a second time on the same path, first at "
            "m.cu:3" +
                hint);
}

TEST(ChannelChecks, LetEitherWayTagAndEveryTurnOfALoop) {
  const std::string either = branch("@%u ", "b", 3) + "a:\n" + tag(0, 4) + "  bra c\nb:\n" +
                             tag(0, 5) + "c:\n" + receive(0, "-1, 0, 0", 6);
  EXPECT_EQ(checked(either + kEnd), "");
  EXPECT_EQ(checked("l:\n" + either + branch("@%u ", "l", 7) + "e:\n" + kEnd), "");
}

TEST(ChannelChecks, TakeCallsOfAnUnrolledLoopForOne) {
  EXPECT_EQ(
      checked(tag(0, 3) + receive(0, "-1, 0, 0", 4) + tag(0, 3) + receive(0, "-1, 0, 0", 4) + kEnd),
      "");
}

TEST(ChannelChecks, FindCallsThatNotAllThreadsPass) {
  EXPECT_EQ(checked(tag(0, 3) + branch("@%p ", "b", 4) + "a:\n" + receive(0, "-1, 0, 0", 5) +
                    "b:\n" + kEnd),
            std::string("m.cu:5: kernel k: channel \"x\" is received where threads of the block "
                        "may have diverged: the condition at m.cu:4 may differ between them") +
                kDivergenceHint);
  EXPECT_EQ(checked(tag(0, 3, "@%p ") + receive(0, "-1, 0, 0", 4) + kEnd),
            std::string("m.cu:3: kernel k: channel \"x\" is tagged where threads of the block may "
                        "have diverged: the condition at m.cu:3 may differ between them") +
                kDivergenceHint);
  EXPECT_EQ(checked(branch("@!%p ", "b", 4) + "a:\n" + load(3, "-1, 0, 0", 5) + "b:\n" + kEnd),
            std::string("m.cu:5: kernel k: fromThreadOrMem is received where threads of the block "
                        "may have diverged: the condition at m.cu:4 may differ between them") +
                kDivergenceHint);
}

TEST(ChannelChecks, FindThreadsThatReturnBefore) {
  const std::string wanted =
      std::string(
          "m.cu:6: kernel k: channel \"x\" is tagged where threads of the block may have diverged: "
          "the condition at m.cu:4 may differ between them") +
      kDivergenceHint;
  EXPECT_EQ(checked("  @%p ret !loc m.cu:4:1\na:\n" + tag(0, 6) + receive(0, "-1, 0, 0", 7) + kEnd),
            wanted);
  EXPECT_EQ(checked(branch("@%p ", "out", 4) + "a:\n" + tag(0, 6) + receive(0, "-1, 0, 0", 7) +
                    "out:\n" + kEnd),
            wanted);
}

TEST(ChannelChecks, FindLoopsThatThreadsLeaveAtDifferentTimes) {
  EXPECT_EQ(checked("l:\n" + tag(0, 4) + receive(0, "-1, 0, 0", 5) +
                    "  %t = add.s32 %t, 1\n  %p = setp.lt.s32 %t, 100\n" + branch("@%p ", "l", 6) +
                    "e:\n" + kEnd),
            std::string("m.cu:4: kernel k: channel \"x\" is tagged where threads of the block may "
                        "have diverged: the condition at m.cu:6 may differ between them") +
                kDivergenceHint);
}

TEST(ChannelChecks, LetThreadsPartElsewhere) {
  // Before, after and beside; and a condition that all share, after one that they do not.
  EXPECT_EQ(checked(branch("@%p ", "b", 3) + "a:\n  brkpt\nb:\n" + branch("@%u ", "d", 4) + "c:\n" +
                    tag(0, 5) + receive(0, "-1, 0, 0", 6) + "d:\n" + branch("@%p ", "f", 7) +
                    "e:\n  brkpt\nf:\n" + kEnd),
            "");
  EXPECT_EQ(checked("l:\n" + branch("@%p ", "b", 3) + "a:\n  brkpt\nb:\n" + tag(0, 5) +
                    receive(0, "-1, 0, 0", 6) + branch("@%u ", "l", 7) + "e:\n" + kEnd),
            "");
}

TEST(ChannelChecks, LetACounterStartInARegisterThatOtherValuesUseLater) {
  EXPECT_EQ(
      checked("  %v = mov.s32 0\n  %n = mov.s32 %v\nl:\n" + tag(0, 5) + receive(0, "-1, 0, 0", 6) +
              "  %v = add.s32 %v, %t\n  %n = add.s32 %n, 1\n  %u = setp.lt.s32 %n, 9\n" +
              branch("@%u ", "l", 7) + "e:\n  st.global.b32 [4096], %v\n" + kEnd),
      "");
}

TEST(ChannelChecks, FindThreadsThatWaitForBothNeighboursBeforeTheyTag) {
  EXPECT_EQ(checked(receive(0, "-1, 0, 0", 3) + receive(0, "1, 0, 0", 4) + tag(0, 5) + kEnd),
            std::string("m.cu:3: kernel k: threads wait for each other in a cycle: channel \"x\" "
                        "at -1 from m.cu:3, channel \"x\" at 1 from m.cu:4") +
                kCircleHint);
}

TEST(ChannelChecks, FindChannelsThatWaitForEachOther) {
  EXPECT_EQ(
      checked(receive(0, "-1, 0, 0", 3) + tag(1, 4) + receive(1, "1, 0, 0", 5) + tag(0, 6) + kEnd),
      std::string("m.cu:3: kernel k: threads wait for each other in a cycle: channel \"x\" "
                  "at -1 from m.cu:3, channel \"y\" at 1 from m.cu:5") +
          kCircleHint);
  // The same without the wait of the first tag.
  EXPECT_EQ(
      checked(tag(1, 2) + receive(0, "-1, 0, 0", 3) + receive(1, "1, 0, 0", 5) + tag(0, 6) + kEnd),
      "");
  // A circle that leads on and on.
  EXPECT_EQ(
      checked(receive(0, "-1, 0, 0", 3) + tag(1, 4) + receive(1, "-1, 0, 0", 5) + tag(0, 6) + kEnd),
      "");
}

TEST(ChannelChecks, FindCirclesThroughMemoryReceives) {
  EXPECT_EQ(checked(receive(0, "-1, 0, 0", 3) + load(3, "1, 0, 0", 4) + tag(0, 5) + kEnd),
            std::string("m.cu:3: kernel k: threads wait for each other in a cycle: channel \"x\" "
                        "at -1 from m.cu:3, fromThreadOrMem at 1 from m.cu:4") +
                kCircleHint);
  EXPECT_EQ(checked(load(3, "1, 0, 0", 3) + tag(0, 4) + receive(0, "-1, 0, 0", 5) + kEnd), "");
  EXPECT_EQ(checked("l:\n" + load(3, "1, 0, 0", 3) + tag(0, 4) + receive(0, "-1, 0, 0", 5) +
                    branch("@%u ", "l", 6) + "e:\n" + kEnd),
            "");
}

TEST(ChannelChecks, TellWavesFromCirclesInTwoDimensions) {
  EXPECT_EQ(checked(receive(0, "-1, 0, 0", 3) + receive(0, "0, -1, 0", 4) +
                    receive(0, "1, -1, 0", 5) + tag(0, 6) + kEnd),
            "");
  EXPECT_NE(checked(receive(0, "-1, 0, 0", 3) + receive(0, "0, -1, 0", 4) +
                    receive(0, "1, 1, 0", 5) + tag(0, 6) + kEnd),
            "");
}

TEST(ChannelChecks, CopiesOfAPeeledLoopDoNotWaitForEachOther) {
  const std::string turn = tag(0, 3) + receive(0, "1, 0, 0", 4) + receive(0, "-1, 0, 0", 5);
  EXPECT_EQ(checked(turn + "l:\n" + turn + branch("@%u ", "l", 6) + "e:\n" + kEnd), "");
  // A copy may still be wrong by itself.
  const std::string wrong = receive(0, "1, 0, 0", 4) + receive(0, "-1, 0, 0", 5) + tag(0, 6);
  EXPECT_NE(checked(wrong + "l:\n" + wrong + branch("@%u ", "l", 7) + "e:\n" + kEnd), "");
}

TEST(ChannelChecks, ManyCallsBehindEachOtherTakeNoTime) {
  std::string body;
  for (int i = 0; i < 120; ++i) body += load(250 - i, i % 2 == 0 ? "-1, 0, 0" : "0, 1, 0", i + 1);
  EXPECT_EQ(checked(body + kEnd), "");
  // The first waits for the last, and all for what lies on the other side.
  EXPECT_NE(checked(receive(0, "0, -2, 0", 1) + body + tag(0, 900) + kEnd), "");
}

TEST(ChannelChecks, ALoopTurnDoesNotWaitForTheNext) {
  // What is tagged in a turn needs what the turn before received on the other side.
  EXPECT_EQ(checked("l:\n" + tag(0, 3) + receive(0, "1, 0, 0", 4) + receive(0, "-1, 0, 0", 5) +
                    branch("@%u ", "l", 6) + "e:\n" + kEnd),
            "");
}

TEST(ChannelChecks, WantWindowsThatDivideTheBlock) {
  const Module module = kernel_of(tag(0, 3) + receive(0, "-1, 0, 0", 4, ", window=48") + kEnd);
  EXPECT_NO_THROW(check_windows(module, module.functions[0], 96));
  try {
    check_windows(module, module.functions[0], 64);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.full_text(),
              "m.cu:4: kernel k: a window of 48 threads does not divide the block of 64\n"
              "hint: launch the kernel with blocks of a multiple of the window, or choose another "
              "window");
  }
}

TEST(ChannelChecks, KnowWhoCommunicates) {
  EXPECT_FALSE(uses_channels(kernel_of(kEnd).functions[0]));
  EXPECT_TRUE(uses_channels(kernel_of(tag(0, 3) + kEnd).functions[0]));
}

TEST(ChannelWaits, CancelOnlyIfNoDirectionIsCommonToAll) {
  EXPECT_FALSE(can_cancel({}));
  EXPECT_TRUE(can_cancel({{0, 0, 0}}));
  EXPECT_FALSE(can_cancel({{-1, 0, 0}, {-5, 0, 0}}));
  EXPECT_TRUE(can_cancel({{-1, 0, 0}, {5, 0, 0}}));
  EXPECT_FALSE(can_cancel({{2, -1, 0}, {-1, 1, 0}}));
  EXPECT_TRUE(can_cancel({{2, -1, 0}, {-1, 1, 0}, {-1, -1, 0}}));
  EXPECT_FALSE(can_cancel({{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-3, 1, 1}}));
  EXPECT_TRUE(can_cancel({{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, -2, -3}}));
}

}  // namespace
}  // namespace raddle::kernel
