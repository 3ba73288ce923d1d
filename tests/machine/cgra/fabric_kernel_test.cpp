#include "machine/cgra/compile/fabric_kernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "machine/cgra/piece_stand.h"

namespace raddle::machine::cgra {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

CompileOptions options() {
  CompileOptions options;
  options.units = {32, 32, 12, 32, 16, 16};
  options.graph.block = {64, 1, 1};
  return options;
}
FabricKernel compiled(std::string_view body, const CompileOptions& with = options()) {
  return compile_for_fabric(kernel::function_from(body), {}, with);
}
std::string refusal(std::string_view body, const CompileOptions& with) {
  try {
    compiled(body, with);
  } catch (const Error& error) {
    return error.full_text();
  }
  return "no error";
}
std::vector<std::uint32_t> targets(const Piece& piece) {
  std::vector<std::uint32_t> all;
  for (const Exit& exit : piece.exits) all.push_back(exit.piece);
  return all;
}
// So many additions, each of the result of the one before.
std::string chain(int length) {
  std::string body = "e:\n  %a = ld.global.b32 [4096]\n";
  for (int i = 0; i < length; ++i) body += "  %a = add.s32 %a, " + std::to_string(i + 1) + "\n";
  return body + "  st.global.b32 [8192], %a\n  ret\n";
}

void expect_to_fit(const FabricKernel& kernel, const CompileOptions& with) {
  for (const Piece& piece : kernel.pieces) {
    const auto needed = piece.graph.graph.units_needed();
    for (std::size_t u = 0; u < needed.size(); ++u) EXPECT_LE(needed[u], with.units[u]);
  }
}

// Four bitwise operations take all control units, so that the comparison is cut off. The sum of
// their results, which the program computes after the branch, is computed before the cut: it and
// what is compared are kept, not the four.
TEST(FabricKernel, KeepsASumInsteadOfItsTermsWhereItIsCut) {
  CompileOptions with = options();
  with.units[static_cast<std::size_t>(UnitClass::kControl)] = 4;
  const FabricKernel kernel = compiled(
      "e:\n  %a = ld.global.b32 [4096]\n  %b = and.b32 %a, 1\n  %c = and.b32 %a, 2\n"
      "  %d = and.b32 %a, 4\n  %e = and.b32 %a, 8\n  %p = setp.lt.s32 %a, 9\n  @%p bra o\n"
      "t:\n  %b = add.s32 %b, %c\n  %b = add.s32 %b, %d\n  %b = add.s32 %b, %e\n"
      "  st.global.b32 [8192], %b\no:\n  ret\n",
      with);
  ASSERT_EQ(kernel.pieces.size(), 2U);
  EXPECT_EQ(kernel.live_bytes, 8U);
  expect_to_fit(kernel, with);
}

TEST(FabricKernel, BranchesWithoutLoopsAreOnePiece) {
  const FabricKernel kernel = compiled(
      "e:\n  %p = setp.lt.s32 %tid.x, 9\n  @%p bra o\nt:\n  %a = mov.b32 1\n  bra j\n"
      "o:\n  %a = mov.b32 2\nj:\n  st.global.b32 [4096], %a\n  ret\n");
  ASSERT_EQ(kernel.pieces.size(), 1U);
  EXPECT_THAT(targets(kernel.pieces[0]), ElementsAre(kToEnd));
  EXPECT_EQ(kernel.live_bytes, 0U);
  EXPECT_EQ(kernel.live_bytes, 0U);
  EXPECT_EQ(kernel.function.blocks.size(), 2U) << "its code, and the constants";
}

TEST(FabricKernel, ALoopIsAPieceThatGoesBackToItself) {
  const FabricKernel kernel = compiled(
      "e:\n  %a = ld.global.b32 [4096]\nl:\n  %a = add.s32 %a, 1\n  %p = setp.lt.s32 %a, 9\n"
      "  @%p bra l\nx:\n  st.global.b32 [4096], %a\n  ret\n");
  ASSERT_EQ(kernel.pieces.size(), 2U) << "what follows the loop goes along with its last turn";
  EXPECT_THAT(targets(kernel.pieces[0]), ElementsAre(1U));
  EXPECT_THAT(targets(kernel.pieces[1]), ::testing::UnorderedElementsAre(1U, kToEnd));
  EXPECT_EQ(kernel.live_bytes, 4U);
}

TEST(FabricKernel, ABarrierSeparatesPieces) {
  const FabricKernel kernel = compiled(
      "e:\n  st.shared.b32 [0], %tid.x\n  bar.sync 0\n  %a = ld.shared.b32 [4]\n"
      "  st.global.b32 [4096], %a\n  ret\n");
  ASSERT_EQ(kernel.pieces.size(), 2U);
  EXPECT_EQ(kernel.pieces[1].entry, Entry::kBarrier);
}

TEST(FabricKernel, ATooLargeKernelIsCut) {
  const FabricKernel kernel = compiled(chain(100));
  EXPECT_EQ(kernel.pieces.size(), 4U) << "100 additions on 32 ALUs";
  expect_to_fit(kernel, options());
  for (std::uint32_t p = 0; p + 1 < kernel.pieces.size(); ++p)
    EXPECT_THAT(targets(kernel.pieces[p]), ElementsAre(p + 1));
  EXPECT_EQ(kernel.live_bytes, 8U) << "one value in, one out; places are used again";
}

TEST(FabricKernel, AsMuchAsFitsIsOnePiece) { EXPECT_EQ(compiled(chain(32)).pieces.size(), 1U); }

TEST(FabricKernel, SmallGridsNeedMorePieces) {
  CompileOptions small = options();
  small.units = {3, 1, 1, 3, 1, 2};
  const FabricKernel kernel = compiled(chain(20), small);
  EXPECT_GE(kernel.pieces.size(), 7U);
  expect_to_fit(kernel, small);
}

TEST(FabricKernel, ALargerGridCutsAsASmallerOneWhereThatIsAsFast) {
  CompileOptions larger = options();
  larger.units[static_cast<std::size_t>(UnitClass::kSpecial)] *= 4;
  const FabricKernel usual = compiled(chain(40)), with_more = compiled(chain(40), larger);
  ASSERT_EQ(usual.pieces.size(), 2U);
  ASSERT_EQ(with_more.pieces.size(), 2U);
  for (std::size_t p = 0; p < usual.pieces.size(); ++p)
    EXPECT_EQ(with_more.pieces[p].graph.graph.units_needed(),
              usual.pieces[p].graph.graph.units_needed());
  larger.units[static_cast<std::size_t>(UnitClass::kAlu)] = 40;
  EXPECT_EQ(compiled(chain(40), larger).pieces.size(), 1U) << "a piece that gains is taken";
}

TEST(FabricKernel, ConstantsAreComputedOnce) {
  const FabricKernel kernel = compiled(
      "e:\n  %a = ld.param.b32 [n]\n  %b = mul.lo.s32 %a, 3\n  st.global.b32 [4096], %b\n  ret\n");
  EXPECT_EQ(kernel.function.blocks[kernel.constants_block()].instructions.size(), 2U);
  EXPECT_EQ(kernel.function.blocks[0].instructions.size(), 1U);
}

TEST(FabricKernel, WhatNeverFitsNamesItsUnits) {
  CompileOptions none = options();
  none.units[static_cast<std::size_t>(UnitClass::kLoadStore)] = 1;
  EXPECT_EQ(refusal("e:\n  %a = ld.global.b32 [4096]\n  st.global.b32 [8192], %a\n  ret\n", none),
            "kernel f needs 2 load/store units at once, the grid has 1 (lines: )\n"
            "hint: units.load_store=2 would do");
}

TEST(FabricKernel, WhereOneWayToCutNeedsTooManyUnitsAnotherIsTaken) {
  CompileOptions one = options();
  one.units[static_cast<std::size_t>(UnitClass::kAlu)] = 1;
  const FabricKernel kernel = compiled(
      "e:\n  %a = mul.lo.s32 %tid.x, 12\n  %b = add.s32 %a, %ctaid.y\n  %c = xor.b32 %a, %b\n"
      "  %d = mad.lo.s32 %c, %b, %a\n  st.global.b32 [%d], %d\n  ret\n",
      one);
  EXPECT_GT(kernel.pieces.size(), 1U);
  expect_to_fit(kernel, one);
}

TEST(FabricKernel, PiecesThatReadWhatOthersChangePoll) {
  EXPECT_TRUE(
      compiled("e:\n  %a = ld.volatile.global.b32 [4096]\n  st.global.b32 [8192], %a\n  ret\n")
          .pieces[0]
          .polls);
  EXPECT_TRUE(compiled("e:\n  atom.global.add.u32 [4096], 1\n  ret\n").pieces[0].polls);
  EXPECT_FALSE(compiled(chain(3)).pieces[0].polls);
}

TEST(FabricKernel, RecurrencesInBothDirectionsAreCutApart) {
  const FabricKernel kernel = compiled(
      "e:\n  %b = it.recv.const.b32 0 {channel=1, delta=(-1, 0, 0)}\n"
      "  %a = add.s32 %b, %tid.x\n  it.tag.b32 %a {channel=1}\n"
      "  %d = it.recv.const.b32 0 {channel=2, delta=(1, 0, 0)}\n  %c = add.s32 %d, %a\n"
      "  it.tag.b32 %c {channel=2}\n  st.global.b32 [4096], %c\n  ret\n");
  ASSERT_EQ(kernel.pieces.size(), 2U);
  EXPECT_FALSE(kernel.pieces[0].graph.descending);
  EXPECT_TRUE(kernel.pieces[1].graph.descending);
}

TEST(FabricKernel, AReceiveOfWhatAnEarlierPieceSentTakesNoElevator) {
  const FabricKernel kernel = compiled(
      "e:\n  %a = ld.global.b32 [4096]\n  it.tag.b32 %a {channel=1}\n  bar.sync 0\n"
      "  %b = it.recv.const.b32 0 {channel=1, delta=(-1, 0, 0)}\n"
      "  st.global.b32 [8192], %b\n  ret\n");
  ASSERT_EQ(kernel.pieces.size(), 2U);
  EXPECT_EQ(kernel.pieces[1].far_receives.size(), 1U);
  EXPECT_THAT(kernel.pieces[0].far_receives, IsEmpty());
  EXPECT_EQ(count_of(kernel.pieces[1].graph.graph, NodeKind::kElevator), 0U);
}

TEST(FabricKernel, ARecurrenceThatCannotBeKeptTogetherIsRefused) {
  std::string body = "e:\n  %a = it.recv.const.b32 0 {channel=1, delta=(-1, 0, 0)}\n";
  for (int i = 0; i < 40; ++i) body += "  %a = add.s32 %a, " + std::to_string(i + 1) + "\n";
  body += "  it.tag.b32 %a {channel=1}\n  st.global.b32 [4096], %a\n  ret\n";
  EXPECT_THAT(refusal(body, options()), ::testing::HasSubstr("ALU units at once, the grid has 32"));
}

}  // namespace
}  // namespace raddle::machine::cgra
