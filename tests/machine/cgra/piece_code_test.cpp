#include "machine/cgra/compile/piece_code.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "machine/cgra/piece_stand.h"

namespace raddle::machine::cgra {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> slots(const PieceStand& stand, const PieceCode& piece) {
  std::vector<std::string> all;
  for (const LiveOut& live : piece.live_outs) all.push_back(stand.name(live.slot));
  return all;
}
std::vector<SegmentId> targets(const PieceCode& piece) {
  std::vector<SegmentId> all;
  for (const PieceExit& exit : piece.exits) all.push_back(exit.to);
  return all;
}

const char* const kDiamond =
    "e:\n  %p = setp.lt.s32 %tid.x, 9\n  %c = ld.global.b32 [%x]\n  @%p bra o\n"
    "t:\n  %a = add.s32 %c, 1\n  st.global.b32 [%x], %a\n  bra j\n"
    "o:\n  %a = add.s32 %c, 2\nj:\n  st.global.b32 [%y], %a\n  ret\n";

TEST(PieceCode, PathsThatMeetAreSelectedAndStoresSwitchedOff) {
  const PieceStand stand(kDiamond);
  const PieceCode piece = stand.whole();
  EXPECT_THAT(
      stand.lines(piece),
      ElementsAre("%p = setp.lt.s32 %tid.x, 9", "%c = ld.global.b32 [%x]", "%a.1 = add.s32 %c, 1",
                  "@!%p st.global.b32 [%x], %a.1", "%a.2 = add.s32 %c, 2",
                  "%a.3 = selp.b32 %a.1, %a.2, !%p", "st.global.b32 [%y], %a.3"));
  EXPECT_THAT(piece.live_ins, IsEmpty());
  EXPECT_THAT(piece.live_outs, IsEmpty());
  ASSERT_EQ(piece.exits.size(), 1U);
  EXPECT_FALSE(piece.exits[0].condition.present());
  EXPECT_EQ(piece.exits[0].to, kThreadEnds);
}

TEST(PieceCode, WhatOtherPiecesReadGoesOutAndIn) {
  const PieceStand stand(kDiamond);
  const PieceCode first = stand.piece({0});
  EXPECT_THAT(slots(stand, first), ElementsAre("c"));
  EXPECT_THAT(first.live_ins, IsEmpty());
  EXPECT_THAT(stand.names(stand.piece({1}).live_ins), ElementsAre("c"));
  EXPECT_THAT(stand.names(stand.piece({3}).live_ins), ElementsAre("a.3"));
}

TEST(PieceCode, ExitsExcludeEachOther) {
  const PieceCode piece = PieceStand(kDiamond).piece({0});
  EXPECT_THAT(targets(piece), ElementsAre(1U, 2U));
  EXPECT_EQ(piece.exits[0].condition.predicate, piece.exits[1].condition.predicate);
  EXPECT_NE(piece.exits[0].condition.negated, piece.exits[1].condition.negated);
}

TEST(PieceCode, APieceWritesThePhisOfTheNext) {
  const PieceStand stand(kDiamond);
  const PieceCode piece = stand.piece({1});
  EXPECT_THAT(stand.lines(piece), ElementsAre("%a.1 = add.s32 %c, 1", "st.global.b32 [%x], %a.1",
                                              "%a.3 = mov.b32 %a.1"));
  EXPECT_EQ(piece.copies, 2U);
  EXPECT_THAT(slots(stand, piece), ElementsAre("a.3"));
}

TEST(PieceCode, BothWaysIntoOneWriteItsPhiOnce) {
  const PieceStand stand(kDiamond);
  const PieceCode piece = stand.piece({0, 1, 2});
  EXPECT_THAT(targets(piece), ElementsAre(3U));
  ASSERT_THAT(slots(stand, piece), ElementsAre("a.3"));
  EXPECT_FALSE(piece.live_outs[0].guard.present()) << "all threads write it";
  EXPECT_EQ(std::count_if(piece.code.begin(), piece.code.end(),
                          [](const auto& i) { return i.opcode == kernel::Opcode::kSelp; }),
            1);
}

const char* const kLoop =
    "e:\n  %a = ld.global.b32 [%x]\nl:\n  %a = add.s32 %a, 1\n  %b = xor.b32 %a, 5\n"
    "  %p = setp.lt.s32 %a, 9\n  @%p bra l\nx:\n  st.global.b32 [%x], %a\n  ret\n";

TEST(PieceCode, AValueThatNobodyReadsIsNotComputed) {
  const PieceStand stand(kLoop);
  EXPECT_THAT(stand.lines(stand.piece({1})),
              ElementsAre("%a.3 = add.s32 %a.2, 1", "%p = setp.lt.s32 %a.3, 9"));
}

TEST(PieceCode, ALoopReadsItsPhiFromTheTurnBefore) {
  const PieceStand stand(kLoop);
  // The way back has a block of its own, segment 3, and may be one piece with the body.
  const PieceCode piece = stand.piece({1, 3});
  EXPECT_THAT(stand.names(piece.live_ins), ElementsAre("a.2"));
  EXPECT_THAT(targets(piece), ElementsAre(1U, 2U)) << "back to its own beginning is out of it";
  EXPECT_THAT(slots(stand, piece), ::testing::UnorderedElementsAre("a.2", "a.3"));
  for (const LiveOut& live : piece.live_outs) {
    EXPECT_EQ(live.guard.present(), stand.name(live.slot) == "a.2")
        << "only threads that go round need the phi";
  }
}

TEST(PieceCode, ValuesThatChangePlacesAreKeptFirst) {
  const PieceStand stand(
      "e:\n  %a = ld.global.b32 [%x]\n  %b = ld.global.b32 [%y]\nl:\n  %c = mov.b32 %a\n"
      "  %a = mov.b32 %b\n  %b = mov.b32 %c\n  %p = setp.lt.s32 %a, %d\n  @%p bra l\n"
      "x:\n  st.global.b32 [%x], %a\n  ret\n");
  // Every copy reads what was there before any of them has written.
  for (SegmentId s = 0; s < stand.kernel.segments.size(); ++s) {
    const PieceCode piece = stand.piece({s});
    std::vector<kernel::RegisterId> written;
    for (std::size_t i = piece.copies; i < piece.code.size(); ++i) {
      for (const kernel::RegisterId before : written)
        EXPECT_NE(piece.code[i].sources[0], kernel::Operand::reg(before));
      written.push_back(piece.code[i].destinations[0].index);
    }
  }
}

TEST(PieceCode, AnEarlyExitSwitchesOffWhatFollows) {
  const PieceStand stand(
      "e:\n  %a = ld.global.b32 [%x]\n  %p = setp.lt.s32 %a, 9\n  @%p exit\n"
      "m:\n  %b = add.s32 %a, 4\n  st.global.b32 [%x], %b\n  ret\n");
  const PieceCode piece = stand.whole();
  EXPECT_THAT(stand.lines(piece), ElementsAre("%a = ld.global.b32 [%x]", "%p = setp.lt.s32 %a, 9",
                                              "%b = add.s32 %a, 4", "@!%p st.global.b32 [%x], %b"));
  EXPECT_THAT(targets(piece), ElementsAre(kThreadEnds)) << "both ways end the thread";
}

TEST(PieceCode, APieceBehindABarrierSaysWhichInstructionThatIs) {
  const PieceStand stand(
      "e:\n  %a = add.s32 %tid.x, 1\n  bar.sync 0\n  st.global.b32 [%x], %a\n  ret\n");
  const PieceCode piece = stand.piece({1});
  EXPECT_EQ(piece.entry, Entry::kBarrier);
  // The cheap value is computed again, in front.
  EXPECT_THAT(stand.lines(piece),
              ElementsAre("%a = add.s32 %tid.x, 1", "bar.sync 0", "st.global.b32 [%x], %a"));
  EXPECT_EQ(piece.entry_instruction, 1U);
  EXPECT_THAT(piece.live_ins, IsEmpty());
  EXPECT_THAT(stand.piece({0}).live_outs, IsEmpty());
}

TEST(PieceCode, ConstantsAreNoLiveValues) {
  const PieceStand stand(
      "e:\n  %a = ld.param.b32 [n]\n  %b = mul.lo.s32 %a, %a\n  bar.sync 0\n"
      "  st.global.b32 [%x], %b\n  ret\n");
  EXPECT_THAT(stand.piece({0}).code, IsEmpty());
  EXPECT_THAT(stand.lines(stand.piece({1})), ElementsAre("bar.sync 0", "st.global.b32 [%x], %b"));
  EXPECT_THAT(stand.piece({1}).live_ins, IsEmpty());
}

TEST(PieceCode, HintsAreLeftOut) {
  const PieceStand stand("e:\n  prefetch.global [%x]\n  st.global.b32 [%x], 1\n  ret\n");
  EXPECT_THAT(stand.lines(stand.whole()), ElementsAre("st.global.b32 [%x], 1"));
}

// --- loops that carry many values (slot_sharing.h) --------------------------------------------------

const char* const kTwoValues =
    "e:\n  %a = ld.global.b32 [%x]\n  %b = ld.global.b32 [%y]\nl:\n  %a = add.s32 %a, %b\n"
    "  %b = xor.b32 %b, 5\n  %p = setp.lt.s32 %a, 9\n  @%p bra l\n"
    "x:\n  st.global.b32 [%x], %a\n  ret\n";

TEST(SlotSharing, ValuesOfALoopTakeTheRegistersOfItsPhis) {
  const PieceStand apart(kTwoValues, 2);
  EXPECT_EQ(std::count(apart.kernel.shared.begin(), apart.kernel.shared.end(), true), 0);
  const PieceStand stand(kTwoValues, 1);
  EXPECT_TRUE(stand.kernel.shared[stand.value("a.2")]);
  EXPECT_TRUE(stand.kernel.shared[stand.value("b.2")]);
  EXPECT_THAT(stand.lines(stand.piece({1})),
              ElementsAre("%a.2 = add.s32 %a.2, %b.2", "%b.2 = xor.b32 %b.2, 5",
                          "%p = setp.lt.s32 %a.2, 9"));
  EXPECT_THAT(stand.names(stand.piece({1}).live_ins), ElementsAre("a.2", "b.2"));
}

TEST(SlotSharing, WhatIsStillReadKeepsItsRegister) {
  // The old a is stored after the new one.
  const PieceStand stand(
      "e:\n  %a = ld.global.b32 [%x]\n  %b = ld.global.b32 [%y]\nl:\n  %c = add.s32 %a, %b\n"
      "  st.global.b32 [%x], %a\n  %a = mov.b32 %c\n  %b = xor.b32 %b, %a\n"
      "  %p = setp.lt.s32 %c, 9\n  @%p bra l\nx:\n  ret\n",
      1);
  const std::vector<std::string> lines = stand.lines(stand.piece({1}));
  EXPECT_THAT(lines, ::testing::Contains("%c = add.s32 %a.2, %b.2"));
}

}  // namespace
}  // namespace raddle::machine::cgra
