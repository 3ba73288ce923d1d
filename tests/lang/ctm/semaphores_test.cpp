// Where the bits of the texture semaphore go without being written.
#include "lang/ctm/semaphores.h"

#include <gtest/gtest.h>

#include <string>

#include "lang/ctm/assembler.h"

namespace raddle::ctm {
namespace {

// One letter an instruction: w waits, a acquires and waits, . neither.
std::string bits(const std::string& text) {
  std::string letters;
  for (const auto& word : assemble(text, "t.ctm").code) {
    const bool acquires = word.type == machine::overlay::InstructionType::kTex && word.tex.acquire;
    letters += acquires ? 'a' : word.texture_wait ? 'w' : '.';
  }
  return letters;
}

TEST(Semaphores, TheLastOfABlockAcquiresAndTheFirstReaderWaits) {
  EXPECT_EQ(
      bits("TEX r1 r0.rg s0\nTEX r2 r0.rg s1\nMOV r3 r0\nMOV r4 r2\nMOV r5 r1\nMOV o0 r5\nEND"),
      ".a.w.w");
}

TEST(Semaphores, ATexThatReadsALoadedRegisterBeginsABlock) {
  EXPECT_EQ(bits("TEX r1 r0.rg s0\nTEX r2 r1.rg s1\nMOV o0 r2\nEND"), "aaw");
}

TEST(Semaphores, OverwritingARegisterThatIsLoadingWaits) {
  EXPECT_EQ(bits("TEX r1 r0.rg s0\nMOV r1 r0\nMOV r2 r1\nMOV o0 r2\nEND"), "aw.w");
}

TEST(Semaphores, NothingWaitsTwiceForOneBlock) {
  EXPECT_EQ(
      bits("TEX r1 r0.rg s0\nMOV r2 r1\nMOV r3 r1\nTEX r4 r0.rg s0\nMOV r5 r1\nMOV o0 r4\nEND"),
      "aw.a.w");
}

TEST(Semaphores, FollowsBothWaysOfABranch) {
  // The register is read on one way only, and again after the branch.
  EXPECT_EQ(bits("TEX r1 r0.rg s0\nIF\nMOV r2 r1\nELSE\nMOV r2 r0\nENDIF\nMOV r3 r1\nNOP\nEND"),
            "a.w...ww");
}

TEST(Semaphores, FollowsTheWayBackOfALoop) {
  EXPECT_EQ(bits("LOOP i0\nMOV r2 r1\nTEX r1 r0.rg s0\nENDLOOP\nNOP\nEND"), ".wa.w");
}

TEST(Semaphores, FollowsCallsAndReturns) {
  // The subroutine loads r1, the caller reads it.
  EXPECT_EQ(bits("CALL f\nMOV r2 r1\nNOP\nEND\nf:\nTEX r1 r0.rg s0\nRET"), ".wwa.");
}

TEST(Semaphores, RelativeAddressesMayMeetAnyRegister) {
  EXPECT_EQ(bits("TEX r1 r0.rg s0\nMOV r2 r[aL+5]\nNOP\nEND"), "aww");
}

TEST(Semaphores, StayAsWrittenWhenManual) {
  EXPECT_EQ(bits(".semaphores manual\nTEX r1 r0.rg s0 acquire\nMOV r2 r1\nMOV o0 r2 wait\nEND"),
            "a.w");
}

}  // namespace
}  // namespace raddle::ctm
