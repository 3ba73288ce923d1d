#include "kernel/analysis/channel_instances.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel/analysis/graphs.h"
#include "kernel/text_form.h"

namespace raddle::kernel {
namespace {

using ::testing::ElementsAre;

constexpr std::string_view kHead =
    "module \"m.cu\" ptx 7.5 target 70\nfile m.cu \"m.cu\"\n"
    "kernel @k() {\n  channel \"x\"\n  register pred p1\n  register f32 f1-f9\n";

Function separated(const std::string& body) {
  Function function = parse_text(std::string(kHead) + body + "}\n", "test").functions[0];
  separate_channel_instances(function);
  return function;
}

std::vector<std::uint32_t> channels_of(const Function& function) {
  std::vector<std::uint32_t> channels;
  for (const Block& block : function.blocks) {
    for (const Instruction& instruction : block.instructions) {
      if (group_of(instruction.opcode) == OpcodeGroup::kInterThread)
        channels.push_back(instruction.inter_thread.channel);
    }
  }
  return channels;
}

constexpr const char* kTag = "  it.tag.f32 %f1 !loc m.cu:3:1\n";
constexpr const char* kLeft = "  %f2 = it.recv.const.f32 0.0 {delta=(-1, 0, 0)} !loc m.cu:4:1\n";
constexpr const char* kRight = "  %f3 = it.recv.const.f32 0.0 {delta=(1, 0, 0)} !loc m.cu:5:1\n";
constexpr const char* kLoad =
    "  %f4 = it.recv.load.generic.f32 [64], 1 {delta=(1, 0, 0)} !loc m.cu:6:1\n";

TEST(ChannelInstances, OfAnUnrolledLoopAreChannelsOfTheirOwn) {
  const Function function = separated("e:\n" + std::string(kTag) + kLeft + kRight + kTag + kLeft +
                                      kRight + kTag + kLeft + kRight + "  ret\n");
  EXPECT_THAT(channels_of(function), ElementsAre(0, 0, 0, 1, 1, 1, 2, 2, 2));
  EXPECT_THAT(function.channels, ElementsAre("x", "x", "x"));
}

TEST(ChannelInstances, MatchWhateverComesFirst) {
  const Function function =
      separated("e:\n" + std::string(kLeft) + kTag + kLeft + kTag + "  ret\n");
  EXPECT_THAT(channels_of(function), ElementsAre(0, 0, 1, 1));
}

TEST(ChannelInstances, AreSeparatedAcrossBranchesThatAllPass) {
  const Function function = separated("e:\n" + std::string(kTag) + kLeft +
                                      "  @%p1 bra b\na:\n  brkpt\nb:\n" + kTag + kLeft + "  ret\n");
  EXPECT_THAT(channels_of(function), ElementsAre(0, 0, 1, 1));
}

TEST(ChannelInstances, StayTogetherWhereSomeAreNotPassed) {
  const Function function =
      separated("e:\n" + std::string(kTag) + kLeft + "  @%p1 bra b\na:\n" + kTag + kLeft +
                "  bra c\nb:\n" + kTag + kLeft + "c:\n  ret\n");
  EXPECT_THAT(channels_of(function), ElementsAre(0, 0, 0, 0, 0, 0));
}

TEST(ChannelInstances, StayTogetherWhereReceivesAreMoreOrFewer) {
  const Function function =
      separated("e:\n" + std::string(kTag) + kLeft + kTag + kLeft + kLeft + "  ret\n");
  EXPECT_THAT(channels_of(function), ElementsAre(0, 0, 0, 0, 0));
}

TEST(ChannelInstances, StayTogetherWhereOneIsInALoopAndOneIsNot) {
  const Function function = separated("e:\n" + std::string(kTag) + kLeft + "l:\n" + kTag + kLeft +
                                      "  @%p1 bra l\nx:\n  ret\n");
  EXPECT_THAT(channels_of(function), ElementsAre(0, 0, 0, 0));
}

TEST(ChannelInstances, AreSeparatedWithinALoop) {
  const Function function = separated("e:\n  brkpt\nl:\n" + std::string(kTag) + kLeft + kTag +
                                      kLeft + "  @%p1 bra l\nx:\n  ret\n");
  EXPECT_THAT(channels_of(function), ElementsAre(0, 0, 1, 1));
}

TEST(ChannelInstances, CallsAtDifferentPlacesAreNone) {
  const Function function = separated("e:\n" + std::string(kTag) + kLeft +
                                      "  it.tag.f32 %f1 !loc m.cu:9:1\n" + kLeft + "  ret\n");
  EXPECT_THAT(channels_of(function), ElementsAre(0, 0, 0, 0));
}

TEST(ChannelInstances, ReceivesFromMemoryAreNumberedBehindNamedChannels) {
  const Function function =
      separated("e:\n" + std::string(kLoad) + kTag + kLeft + kLoad + kTag + kLeft + "  ret\n");
  EXPECT_THAT(channels_of(function), ElementsAre(2, 0, 0, 3, 1, 1));
}

}  // namespace
}  // namespace raddle::kernel
