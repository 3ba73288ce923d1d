// The order in which diverged lanes visit blocks: lanes must meet again where the graph lets them.
#include "kernel/exec/block_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace raddle::kernel::exec {
namespace {

// Block i branches to targets[i]; with one target unconditionally, with two under a guard, the
// second being the next block.
Function graph(const std::vector<std::vector<BlockId>>& targets) {
  Function function;
  function.registers = {{"p", Type::kPred}};
  for (const std::vector<BlockId>& list : targets) {
    Block block;
    for (std::size_t i = 0; i < list.size(); ++i) {
      Instruction branch;
      branch.opcode = Opcode::kBrx;
      branch.sources = {Operand::immediate(0)};
      branch.targets = list;
      block.instructions = {branch};
    }
    if (list.empty()) {
      Instruction ret;
      ret.opcode = Opcode::kRet;
      block.instructions = {ret};
    }
    function.blocks.push_back(block);
  }
  return function;
}

void expect_permutation(const std::vector<std::uint32_t>& ranks) {
  std::vector<std::uint32_t> sorted = ranks;
  std::sort(sorted.begin(), sorted.end());
  for (std::uint32_t i = 0; i < sorted.size(); ++i) EXPECT_EQ(sorted[i], i);
}

TEST(BlockOrder, ADiamondJoinsAfterBothArms) {
  const auto rank = block_ranks(graph({{1, 2}, {3}, {3}, {}}));
  expect_permutation(rank);
  EXPECT_EQ(rank[0], 0u);
  EXPECT_EQ(rank[3], 3u);
}

TEST(BlockOrder, AJoinThatComesFirstInTheTextStillRanksLast) {
  // 0 → 2, 3; 2 → 1; 3 → 1: block 1 is the join.
  const auto rank = block_ranks(graph({{2, 3}, {}, {1}, {1}}));
  expect_permutation(rank);
  EXPECT_EQ(rank[1], 3u);
}

TEST(BlockOrder, ALoopRanksBeforeWhatFollowsIt) {
  // 0 → 1; header 1 → 2 (body) or 3 (after); 2 → 1.
  const auto rank = block_ranks(graph({{1}, {2, 3}, {1}, {}}));
  EXPECT_EQ(rank, (std::vector<std::uint32_t>{0, 1, 2, 3}));
}

TEST(BlockOrder, ALoopRanksBeforeItsExitEvenIfTheExitIsVisitedFirst) {
  const auto rank = block_ranks(graph({{1}, {3, 2}, {1}, {}}));
  EXPECT_EQ(rank, (std::vector<std::uint32_t>{0, 1, 2, 3}));
}

TEST(BlockOrder, NestedLoopsStayTogetherAtEveryDepth) {
  // 1 outer header, 2 inner header, 3 inner body, 4 outer latch, 5 after.
  const auto rank = block_ranks(graph({{1}, {5, 2}, {4, 3}, {2}, {1}, {}}));
  expect_permutation(rank);
  EXPECT_LT(rank[1], rank[2]);
  EXPECT_LT(rank[2], rank[3]);
  EXPECT_LT(rank[3], rank[4]);
  EXPECT_LT(rank[4], rank[5]);
}

TEST(BlockOrder, ABreakLeavesBehindTheLoop) {
  // 1 header → 2; 2 → 3 (break) or 4; 4 → 1 or 5; 3 → 5.
  const auto rank = block_ranks(graph({{1}, {2}, {3, 4}, {5}, {1, 5}, {}}));
  expect_permutation(rank);
  EXPECT_LT(rank[4], rank[3]) << "lanes that go on looping run before those that left";
  EXPECT_LT(rank[3], rank[5]);
}

TEST(BlockOrder, AContinueJoinsAtTheLatch) {
  // 1 header → 2 or 6; 2 → 3 or 5 (continue); 3 → 4; 4 → 5; 5 latch → 1.
  const auto rank = block_ranks(graph({{1}, {2, 6}, {5, 3}, {4}, {5}, {1}, {}}));
  expect_permutation(rank);
  EXPECT_LT(rank[3], rank[5]);
  EXPECT_LT(rank[4], rank[5]);
  EXPECT_LT(rank[5], rank[6]);
}

TEST(BlockOrder, AnIrreducibleLoopIsOrderedToo) {
  // 0 enters the loop {1, 2} at both ends; 3 follows.
  const auto rank = block_ranks(graph({{1, 2}, {2, 3}, {1, 3}, {}}));
  expect_permutation(rank);
  EXPECT_EQ(rank[0], 0u);
  EXPECT_EQ(rank[3], 3u);
}

TEST(BlockOrder, ASelfLoopIsABlockLikeAnyOther) {
  const auto rank = block_ranks(graph({{0, 1}, {}}));
  EXPECT_EQ(rank, (std::vector<std::uint32_t>{0, 1}));
}

TEST(BlockOrder, UnreachableBlocksComeLast) {
  const auto rank = block_ranks(graph({{2}, {2}, {}}));
  EXPECT_EQ(rank, (std::vector<std::uint32_t>{0, 2, 1}));
}

TEST(BlockOrder, EveryForwardEdgeOfRandomGraphsLeadsToAHigherRank) {
  // Graphs without cycles: each block only reaches later ones, under shuffled names.
  std::uint32_t state = 12345;
  auto next = [&](std::uint32_t limit) {
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % limit;
  };
  for (int trial = 0; trial < 50; ++trial) {
    constexpr std::uint32_t kBlocks = 14;
    std::vector<BlockId> name(kBlocks);
    for (BlockId b = 0; b < kBlocks; ++b) name[b] = b;
    for (BlockId b = kBlocks - 1; b > 1; --b) std::swap(name[b], name[1 + next(b)]);
    std::vector<std::vector<BlockId>> targets(kBlocks);
    for (BlockId b = 0; b + 1 < kBlocks; ++b) {
      targets[name[b]].push_back(name[b + 1]);
      if (next(2) == 0) targets[name[b]].push_back(name[b + 1 + next(kBlocks - b - 1)]);
    }
    const auto rank = block_ranks(graph(targets));
    for (BlockId b = 0; b < kBlocks; ++b) {
      for (BlockId t : targets[b]) EXPECT_LT(rank[b], rank[t]);
    }
  }
}

}  // namespace
}  // namespace raddle::kernel::exec
