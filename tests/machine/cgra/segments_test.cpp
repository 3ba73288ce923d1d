#include "machine/cgra/compile/segments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "kernel/analysis/graphs.h"
#include "machine/cgra/compile/critical_edges.h"

namespace raddle::machine::cgra {
namespace {

using ::testing::ElementsAre;

SegmentedKernel cut(std::string_view body) {
  return cut_into_segments(kernel::function_from(body), {}, 8);
}
std::vector<SegmentId> ways(const Segment& segment) {
  std::vector<SegmentId> all;
  for (const SegmentEdge& edge : segment.edges) all.push_back(edge.to);
  return all;
}

TEST(Segments, StraightCodeIsOne) {
  const SegmentedKernel kernel = cut("e:\n  %a = mov.b32 1\n  st.global.b32 [%x], %a\n  ret\n");
  ASSERT_EQ(kernel.segments.size(), 1U);
  EXPECT_EQ(kernel.segments[0].end, 2U) << "what ends the block is no part of it";
  EXPECT_THAT(ways(kernel.segments[0]), ElementsAre(kThreadEnds));
}

TEST(Segments, ABarrierBeginsOne) {
  const SegmentedKernel kernel =
      cut("e:\n  %a = mov.b32 1\n  bar.sync 0\n  %b = mov.b32 2\n  bar.sync 1\n  ret\n");
  ASSERT_EQ(kernel.segments.size(), 3U);
  EXPECT_EQ(kernel.segments[0].entry, Entry::kFree);
  EXPECT_EQ(kernel.segments[1].entry, Entry::kBarrier);
  EXPECT_EQ(kernel.segments[1].first, 1U);
  EXPECT_EQ(kernel.segments[1].end, 3U);
  EXPECT_EQ(kernel.segments[2].entry, Entry::kBarrier);
  EXPECT_THAT(ways(kernel.segments[0]), ElementsAre(1U));
  EXPECT_THAT(kernel.segments[2].predecessors, ElementsAre(1U));
}

TEST(Segments, AnOperationBetweenLanesBeginsOne) {
  const SegmentedKernel kernel =
      cut("e:\n  %a = mov.b32 1\n  %b = shfl.sync.bfly.b32 %a, 1, 31, -1\n"
          "  %c = add.s32 %b, 1\n  st.global.b32 [%x], %c\n  ret\n");
  ASSERT_EQ(kernel.segments.size(), 2U);
  EXPECT_EQ(kernel.segments[1].entry, Entry::kWarp);
}

TEST(Segments, ABarrierFirstInTheKernelIsItsFirstSegment) {
  const SegmentedKernel kernel = cut("e:\n  bar.sync 0\n  ret\n");
  ASSERT_EQ(kernel.segments.size(), 1U);
  EXPECT_EQ(kernel.segments[0].entry, Entry::kBarrier);
}

TEST(Segments, PhisMeetInFrontOfABarrier) {
  const SegmentedKernel kernel =
      cut("e:\n  %a = mov.b32 0\nl:\n  bar.sync 0\n  %a = add.s32 %a, 1\n  %p = setp.lt.s32 %a, 9\n"
          "  @%p bra l\nx:\n  st.global.b32 [%x], %a\n  ret\n");
  const auto meeting =
      std::find_if(kernel.segments.begin(), kernel.segments.end(),
                   [](const Segment& s) { return s.first == s.end && s.first > 0; });
  ASSERT_NE(meeting, kernel.segments.end());
  EXPECT_EQ(meeting->entry, Entry::kFree);
  EXPECT_TRUE(meeting->starts_block);
  EXPECT_EQ((meeting + 1)->entry, Entry::kBarrier);
  EXPECT_FALSE((meeting + 1)->starts_block);
}

TEST(Segments, ABranchHasTwoWaysThatExcludeEachOther) {
  const SegmentedKernel kernel = cut(
      "e:\n  @%p bra o\nt:\n  st.global.b32 [%x], 1\n  ret\no:\n  st.global.b32 [%x], 2\n  ret\n");
  const std::vector<SegmentEdge>& edges = kernel.segments[0].edges;
  ASSERT_EQ(edges.size(), 2U);
  EXPECT_EQ(edges[0].condition.predicate, edges[1].condition.predicate);
  EXPECT_NE(edges[0].condition.negated, edges[1].condition.negated);
}

TEST(Segments, AnEarlyExitIsAWayOut) {
  const SegmentedKernel kernel =
      cut("e:\n  @%p exit\nt:\n  @%q trap\nu:\n  st.global.b32 [%x], 1\n  ret\n");
  EXPECT_THAT(ways(kernel.segments[0]), ElementsAre(kThreadEnds, 1U));
  EXPECT_THAT(ways(kernel.segments[1]), ElementsAre(kThreadTraps, 2U));
}

TEST(Segments, AnIndexedBranchComparesForEachEntry) {
  const SegmentedKernel kernel =
      cut("e:\n  brx.idx %a -> s, t, s\ns:\n  st.global.b32 [%x], 1\n  ret\n"
          "t:\n  st.global.b32 [%x], 2\n  ret\n");
  const Segment& first = kernel.segments[0];
  ASSERT_EQ(first.edges.size(), 3U);
  EXPECT_EQ(first.edges[0].to, first.edges[2].to);
  const auto& code = kernel.function.blocks[first.block].instructions;
  EXPECT_EQ(first.end - first.first, 3U);
  for (std::uint32_t t = 0; t < 3; ++t) {
    EXPECT_EQ(code[t].opcode, kernel::Opcode::kSetp);
    EXPECT_EQ(code[t].sources[1], kernel::Operand::immediate(t));
    EXPECT_EQ(first.edges[t].condition.predicate, code[t].destinations[0].index);
  }
}

TEST(Segments, ASplitKeepsWaysAndPredecessors) {
  SegmentedKernel kernel =
      cut("e:\n  %a = mov.b32 0\nl:\n  %a = add.s32 %a, 1\n  %b = add.s32 %a, 2\n"
          "  st.global.b32 [%x], %b\n  %p = setp.lt.s32 %a, 9\n  @%p bra l\nx:\n  ret\n");
  // The loop goes back through a block of its own or straight; find the segment with the store.
  SegmentId loop = 0;
  while (!kernel.segments[loop].starts_block || kernel.segments[loop].end < 4) ++loop;
  const std::size_t before = kernel.segments.size();
  const std::uint32_t at = kernel.segments[loop].first + 2;
  const std::vector<SegmentEdge> edges = kernel.segments[loop].edges;
  kernel.split(loop, at);
  ASSERT_EQ(kernel.segments.size(), before + 1);
  EXPECT_EQ(kernel.segments[loop].end, at);
  EXPECT_EQ(kernel.segments[loop + 1].first, at);
  EXPECT_FALSE(kernel.segments[loop + 1].starts_block);
  EXPECT_THAT(ways(kernel.segments[loop]), ElementsAre(loop + 1));
  EXPECT_THAT(kernel.segments[loop + 1].predecessors, ElementsAre(loop));
  EXPECT_EQ(kernel.segments[loop + 1].edges.size(), edges.size());
  // Every way in is known where it leads to.
  for (SegmentId s = 0; s < kernel.segments.size(); ++s) {
    for (const SegmentId to : ways(kernel.segments[s])) {
      if (to >= kernel.segments.size()) continue;
      EXPECT_THAT(kernel.segments[to].predecessors, ::testing::Contains(s));
    }
  }
}

TEST(CriticalEdges, GetABlockOfTheirOwn) {
  // The branch back to l leaves a block with two ways for one with two ways in.
  const kernel::Function before = kernel::function_from(
      "e:\n  %a = mov.b32 0\nl:\n  %a = add.s32 %a, 1\n  @%p bra l\nx:\n  ret\n");
  const kernel::Function after = split_critical_edges(before);
  EXPECT_EQ(after.blocks.size(), before.blocks.size() + 1);
  const kernel::Function straight = kernel::function_from("e:\n  %a = mov.b32 0\n  ret\n");
  EXPECT_EQ(split_critical_edges(straight), straight);
}

}  // namespace
}  // namespace raddle::machine::cgra
