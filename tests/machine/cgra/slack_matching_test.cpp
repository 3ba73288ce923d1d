#include "machine/cgra/compile/slack_matching.h"

#include <gtest/gtest.h>

#include "machine/cgra/piece_stand.h"

namespace raddle::machine::cgra {
namespace {

constexpr UnitBudget kUnits{32, 32, 12, 32, 16, 16};

// A chain of divisions, whose first operand is needed again at its end.
PieceGraph chain(int divisions) {
  std::string body = "e:\n  %a = ld.global.b32 [%x]\n  %b = mov.b32 %a\n";
  for (int i = 0; i < divisions; ++i) body += "  %b = div.s32 %b, 3\n";
  const PieceStand stand(body + "  %b = add.s32 %a, %b\n  st.global.b32 [%x], %b\n  ret\n");
  return stand.graph(stand.whole());
}

TEST(SlackMatching, CopiesAreAsManyAsTheScarcestUnitAllows) {
  EXPECT_EQ(copies_within({4, 0, 3, 2, 0, 0}, kUnits), 4U);
  EXPECT_EQ(copies_within({33, 0, 0, 0, 0, 0}, kUnits), 0U);
  EXPECT_EQ(copies_within({}, kUnits), ~0U);
}

TEST(SlackMatching, ALongWayHasBuffersBesideIt) {
  PieceGraph piece = chain(2);
  ASSERT_EQ(count_of(piece.graph, NodeKind::kElevator), 0U);
  match_slack(piece, {}, kUnits);
  // Two divisions and their ways take 2 * (32 + 3) cycles. So many threads wait, 16 at the addition
  // and 16 in each buffer.
  EXPECT_EQ(count_of(piece.graph, NodeKind::kElevator), 4U);
  const auto needed = piece.graph.units_needed();
  for (std::size_t u = 0; u < needed.size(); ++u) EXPECT_LE(needed[u] * 6, kUnits[u]);
}

TEST(SlackMatching, ThreadsFollowEachOtherSlowlyWithoutUnitsForBuffers) {
  UnitBudget few{1, 0, 2, 2, 0, 0};
  const CopiesAndRate slow = balanced_copies(chain(2), {}, few);
  EXPECT_EQ(slow.copies, 1U);
  EXPECT_LT(slow.rate, 0.25);
  few[static_cast<std::size_t>(UnitClass::kFpu)] = 5;
  EXPECT_EQ(balanced_copies(chain(2), {}, few).rate, 1);
}

// Two copies would leave no unit for buffers: one with them is faster.
TEST(SlackMatching, FewerCopiesWithBuffersMayBeFaster) {
  const UnitBudget units{2, 0, 4, 4, 1, 1};
  const CopiesAndRate best = balanced_copies(chain(2), {}, units);
  EXPECT_EQ(best.copies, 1U);
  EXPECT_GT(best.rate, 0.9);
  EXPECT_LT(balanced_copies(chain(2), {}, {1, 0, 2, 2, 0, 0}).rate, best.rate / 2);
}

TEST(SlackMatching, NoMoreCopiesThanHaveThreads) {
  EXPECT_EQ(balanced_copies(chain(1), {}, kUnits).copies, 12U);
  EXPECT_EQ(balanced_copies(chain(1), {}, kUnits, 3).copies, 3U);
}

// With more units of one class, buffers would go there and copies spread over more of the grid.
TEST(SlackMatching, BuffersTakeUnitsInTheProportionsOfThePattern) {
  PieceGraph usual = chain(2), larger = chain(2);
  match_slack(usual, {}, kUnits);
  UnitBudget units = kUnits;
  units[static_cast<std::size_t>(UnitClass::kAlu)] *= 4;
  match_slack(larger, {}, units);
  ASSERT_EQ(count_of(usual.graph, NodeKind::kElevator), 4U);
  EXPECT_EQ(larger.graph.units_needed(), usual.graph.units_needed());
}

TEST(SlackMatching, BuffersGoWhereAllCopiesHaveRoom) {
  PieceGraph piece = chain(1);
  UnitBudget units = kUnits;
  units[static_cast<std::size_t>(UnitClass::kSplitJoin)] = 1;
  match_slack(piece, {}, units);
  EXPECT_GT(count_of(piece.graph, NodeKind::kElevator), 0U);
  EXPECT_EQ(piece.graph.units_needed()[static_cast<std::size_t>(UnitClass::kSplitJoin)], 0U);
}

}  // namespace
}  // namespace raddle::machine::cgra
