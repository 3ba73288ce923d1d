// Fetch and decode, cycle by cycle: lines of 128 bytes hold sixteen instructions, two are fetched.
#include "machine/simt/instruction_fetch.h"

#include <gtest/gtest.h>

#include "machine/simt/kernel_stand.h"
#include "machine/simt/memory_request.h"

namespace raddle::machine::simt {
namespace {

using namespace unit_literals;

constexpr Address kCode{0x4000};

class InstructionFetchTest : public ::testing::Test {
 protected:
  InstructionFetchTest() : kernel_(".visible .entry k() { ret; }") {
    kernel_.on_core->code_address = kCode;
    block_.kernel = kernel_.on_core.get();
    for (std::uint32_t warp = 0; warp < warps_.size(); ++warp) warps_[warp].block = &block_;
  }
  void want(std::uint32_t warp, std::uint32_t place) {
    warps_[warp].place = place;
    fetch_.want(warp);
  }
  std::vector<Address> fetch(Cycle cycle) {
    std::vector<memory::Access> misses;
    fetch_.fetch(cycle, misses);
    std::vector<Address> lines;
    for (const memory::Access& access : misses) {
      EXPECT_EQ(request_kind(access.token), RequestKind::kInstructionLine);
      lines.push_back(access.address);
    }
    return lines;
  }
  void warm(std::uint32_t place) {
    want(0, place);
    for (const Address line : fetch(0_cycles)) fetch_.line_has_come(line);
    fetch(0_cycles);
    fetch_.take_decoded(1000_cycles);
  }

  KernelStand kernel_;
  ResidentBlock block_;
  WarpTable warps_{8};
  InstructionFetch fetch_{kernel_.parameters.core, warps_};
};
using Lines = std::vector<Address>;

TEST_F(InstructionFetchTest, HandsTwoInstructionsOfAHitToTheWarpTwoCyclesLater) {
  warm(0);
  want(1, 4);
  EXPECT_EQ(fetch(100_cycles), Lines{});
  EXPECT_EQ(warps_[1].buffered, 2U);
  EXPECT_TRUE(warps_[1].fetching);
  EXPECT_EQ(fetch_.next_work(100_cycles), 102_cycles);
  EXPECT_EQ(fetch_.take_decoded(101_cycles), 0U);
  EXPECT_EQ(fetch_.take_decoded(102_cycles), set_of(1));
  EXPECT_FALSE(warps_[1].fetching);
}

TEST_F(InstructionFetchTest, DoesNotReadBeyondTheEndOfTheLine) {
  warm(0);
  want(1, 15);
  fetch(100_cycles);
  EXPECT_EQ(warps_[1].buffered, 1U);
}

TEST_F(InstructionFetchTest, AsksForALineThatIsNotThereAndComesBackToTheWarp) {
  want(3, 20);
  EXPECT_EQ(fetch(10_cycles), Lines{kCode + 128_B});
  EXPECT_EQ(fetch_.next_work(10_cycles), sim::kNever) << "nothing to do before it comes";
  fetch_.line_has_come(kCode + 128_B);
  EXPECT_EQ(fetch_.next_work(50_cycles), 51_cycles);
  EXPECT_EQ(fetch(51_cycles), Lines{});
  EXPECT_EQ(fetch_.take_decoded(53_cycles), set_of(3));
  EXPECT_EQ(fetch_.stats().misses, 1U);
  EXPECT_EQ(fetch_.stats().hits, 1U);
}

TEST_F(InstructionFetchTest, AsksOnceForALineThatSeveralWarpsWant) {
  want(1, 0);
  want(2, 1);
  EXPECT_EQ(fetch(0_cycles), Lines{kCode});
  EXPECT_EQ(fetch(1_cycles), Lines{});
  fetch_.line_has_come(kCode);
  fetch(10_cycles);
  fetch(11_cycles);
  EXPECT_EQ(fetch_.take_decoded(20_cycles), set_of(1) | set_of(2));
}

TEST_F(InstructionFetchTest, ReadsForOneWarpACycleInTurns) {
  warm(0);
  for (const std::uint32_t warp : {1u, 4u, 6u}) want(warp, 0);
  for (Cycle cycle(100); cycle < 103_cycles; ++cycle) fetch(cycle);
  EXPECT_EQ(fetch_.take_decoded(102_cycles), set_of(1));
  EXPECT_EQ(fetch_.take_decoded(103_cycles), set_of(4));
  EXPECT_EQ(fetch_.take_decoded(104_cycles), set_of(6));
}

TEST_F(InstructionFetchTest, WaitsForALineWhenNoMshrIsLeft) {
  want(1, 0);
  want(2, 16);
  want(3, 32);
  EXPECT_EQ(fetch(0_cycles), Lines{kCode});
  EXPECT_EQ(fetch(1_cycles), Lines{kCode + 128_B});
  EXPECT_EQ(fetch(2_cycles), Lines{}) << "two MSHRs";
  EXPECT_EQ(fetch_.next_work(2_cycles), sim::kNever);
  fetch_.line_has_come(kCode);
  Lines lines = fetch(20_cycles);
  if (lines.empty()) lines = fetch(21_cycles);
  EXPECT_EQ(lines, Lines{kCode + 256_B});
}

TEST_F(InstructionFetchTest, ForgetsAWarpThatWantsNothingAnyMore) {
  warm(0);
  want(1, 0);
  fetch_.forget(1);
  EXPECT_EQ(fetch_.next_work(5_cycles), sim::kNever);
}

TEST_F(InstructionFetchTest, FlushingThrowsTheLinesOut) {
  warm(0);
  fetch_.flush();
  want(1, 0);
  EXPECT_EQ(fetch(100_cycles), Lines{kCode});
}

}  // namespace
}  // namespace raddle::machine::simt
