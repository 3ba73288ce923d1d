#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel/analysis/cfg.h"
#include "kernel/analysis/dominators.h"
#include "kernel/analysis/graphs.h"
#include "kernel/analysis/loops.h"

namespace raddle::kernel {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

using Graph = std::vector<std::vector<BlockId>>;

// 0 → 1, 2; both → 3
const Graph kDiamond = {{2, 1}, {3}, {3}, {}};
// outer loop 1…5, inner loop 2…3
const Graph kNestedLoops = {{1}, {2}, {3}, {2, 4}, {5}, {1, 6}, {}};
// 1 and 2 jump to each other and are both entered from 0
const Graph kIrreducible = {{2, 1}, {2}, {1, 3}, {}};
// 1 never ends
const Graph kInfiniteLoop = {{2, 1}, {1}, {}};
// brx with four ways, two of them the same
const Graph kSwitch = {{1, 2, 3, 4}, {5}, {5}, {3, 4}, {5}, {}};

TEST(ControlFlowGraph, KnowsPredecessorsAndReversePostOrder) {
  const ControlFlowGraph graph(function_of(kDiamond));
  EXPECT_THAT(graph.successors(0), ElementsAre(2, 1));
  EXPECT_THAT(graph.predecessors(3), ElementsAre(1, 2));
  EXPECT_THAT(graph.reverse_post_order(), ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(graph.rank(3), 3u);
  EXPECT_EQ(graph.exit(3), BlockExit::kAlways);
  EXPECT_EQ(graph.exit(0), BlockExit::kNone);
}

TEST(ControlFlowGraph, FindsUnreachableBlocks) {
  const ControlFlowGraph graph(function_of({{2}, {2}, {}}));
  EXPECT_TRUE(graph.reachable(0));
  EXPECT_FALSE(graph.reachable(1));
  EXPECT_EQ(graph.rank(1), kNoId);
  EXPECT_THAT(graph.predecessors(2), ElementsAre(0, 1));
}

TEST(ControlFlowGraph, GuardedReturnsLeaveAndGoOn) {
  const ControlFlowGraph graph(function_from("e:\n  @%p ret\nn:\n  @!%p exit\nm:\n  ret\n"));
  EXPECT_THAT(graph.successors(0), ElementsAre(1));
  EXPECT_EQ(graph.exit(0), BlockExit::kGuarded);
  EXPECT_EQ(graph.exit(1), BlockExit::kGuarded);
}

TEST(ControlFlowGraph, FunctionWithoutBlocksIsEmpty) {
  const ControlFlowGraph graph{Function{}};
  EXPECT_EQ(graph.size(), 0u);
  EXPECT_THAT(graph.reverse_post_order(), IsEmpty());
  const DominatorTree tree(graph);
  EXPECT_THAT(tree.pre_order(), IsEmpty());
  EXPECT_THAT(reconvergence_points(graph), IsEmpty());
}

TEST(Dominators, OfADiamond) {
  const ControlFlowGraph graph(function_of(kDiamond));
  const DominatorTree tree(graph);
  EXPECT_EQ(tree.parent(0), kNoId);
  EXPECT_EQ(tree.parent(1), 0u);
  EXPECT_EQ(tree.parent(2), 0u);
  EXPECT_EQ(tree.parent(3), 0u);
  EXPECT_THAT(tree.children(0), ElementsAre(1, 2, 3));
  EXPECT_TRUE(tree.dominates(0, 3));
  EXPECT_FALSE(tree.dominates(1, 3));
  EXPECT_TRUE(tree.dominates(1, 1));
  const auto frontiers = dominance_frontiers(graph, tree);
  EXPECT_THAT(frontiers[1], ElementsAre(3));
  EXPECT_THAT(frontiers[2], ElementsAre(3));
  EXPECT_THAT(frontiers[0], IsEmpty());
}

TEST(Dominators, OfNestedLoops) {
  const ControlFlowGraph graph(function_of(kNestedLoops));
  const DominatorTree tree(graph);
  EXPECT_EQ(tree.parent(2), 1u);
  EXPECT_EQ(tree.parent(4), 3u);
  EXPECT_EQ(tree.parent(6), 5u);
  const auto frontiers = dominance_frontiers(graph, tree);
  EXPECT_THAT(frontiers[3], UnorderedElementsAre(2, 1));
  EXPECT_THAT(frontiers[5], ElementsAre(1));
}

TEST(PostDominators, OfADiamondAndASwitch) {
  const PostDominatorTree diamond(ControlFlowGraph(function_of(kDiamond)));
  EXPECT_EQ(diamond.parent(0), 3u);
  EXPECT_EQ(diamond.parent(3), kNoId);
  EXPECT_TRUE(diamond.dominates(3, 0));
  const PostDominatorTree cases(ControlFlowGraph(function_of(kSwitch)));
  EXPECT_EQ(cases.parent(0), 5u);
  EXPECT_EQ(cases.parent(3), 4u);
}

TEST(PostDominators, ExistInLoopsWithoutEnd) {
  const ControlFlowGraph graph(function_of(kInfiniteLoop));
  const PostDominatorTree tree(graph);
  EXPECT_TRUE(tree.contains(1));
  EXPECT_EQ(tree.parent(0), kNoId);
  EXPECT_EQ(tree.parent(1), kNoId);
}

TEST(Reconvergence, IsTheJoinOfADiamondAndTheExitOfALoop) {
  EXPECT_EQ(reconvergence_points(ControlFlowGraph(function_of(kDiamond)))[0], 3u);
  const auto loops = reconvergence_points(ControlFlowGraph(function_of(kNestedLoops)));
  EXPECT_EQ(loops[3], 4u);
  EXPECT_EQ(loops[5], 6u);
  EXPECT_EQ(reconvergence_points(ControlFlowGraph(function_of(kSwitch)))[0], 5u);
  EXPECT_EQ(reconvergence_points(ControlFlowGraph(function_of(kIrreducible)))[0], 2u);
}

TEST(Reconvergence, IgnoresPathsThatEndEarly) {
  // 0: if → 1 (which may return early at 2), else → 4; both meet at 4, whose ret is the main exit.
  const ControlFlowGraph graph(function_of({{4, 1}, {3, 2}, {}, {4}, {}}));
  EXPECT_EQ(PostDominatorTree(graph).parent(0), kNoId);
  const auto points = reconvergence_points(graph);
  EXPECT_EQ(points[0], 4u);
  EXPECT_EQ(points[1], 3u);
  EXPECT_EQ(points[2], kNoId);
}

TEST(Reconvergence, WithinCodeThatEndsEarlyIsFoundToo) {
  // 1…4 is a diamond that ends in 4; the rest goes on to 7, which more blocks lead to.
  const ControlFlowGraph graph(function_of({{5, 1}, {3, 2}, {4}, {4}, {}, {6}, {7}, {}}));
  const auto points = reconvergence_points(graph);
  EXPECT_EQ(points[1], 4u);
  EXPECT_EQ(points[5], 6u);
}

TEST(Reconvergence, GuardedExitsHaveNoSay) {
  const ControlFlowGraph graph(
      function_from("e:\n  @%p bra j\na:\n  @%q exit\nb:\n  %a = mov.b32 1\nj:\n  ret\n"));
  EXPECT_EQ(reconvergence_points(graph)[0], 3u);
  EXPECT_EQ(PostDominatorTree(graph).parent(0), kNoId);
}

TEST(Loops, NestedLoopsKnowTheirBlocksExitsAndDepth) {
  const ControlFlowGraph graph(function_of(kNestedLoops));
  const LoopForest forest(graph, DominatorTree(graph));
  ASSERT_EQ(forest.loops().size(), 2u);
  const Loop& outer = forest.loops()[0];
  const Loop& inner = forest.loops()[1];
  EXPECT_EQ(outer.header, 1u);
  EXPECT_THAT(outer.blocks, ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(outer.latches, ElementsAre(5));
  EXPECT_THAT(outer.exits, ElementsAre(Edge{5, 6}));
  EXPECT_EQ(inner.header, 2u);
  EXPECT_THAT(inner.blocks, ElementsAre(2, 3));
  EXPECT_EQ(inner.parent, 0u);
  EXPECT_EQ(inner.depth, 2u);
  EXPECT_EQ(forest.depth(3), 2u);
  EXPECT_EQ(forest.depth(4), 1u);
  EXPECT_EQ(forest.depth(6), 0u);
  EXPECT_TRUE(forest.is_back_edge(3, 2));
  EXPECT_FALSE(forest.is_back_edge(2, 3));
  EXPECT_THAT(forest.irreducible_edges(), IsEmpty());
}

TEST(Loops, TwoEdgesBackToOneHeaderAreOneLoop) {
  const ControlFlowGraph graph(function_of({{1}, {1, 2}, {1, 3}, {}}));
  const LoopForest forest(graph, DominatorTree(graph));
  ASSERT_EQ(forest.loops().size(), 1u);
  EXPECT_THAT(forest.loops()[0].latches, UnorderedElementsAre(1, 2));
  EXPECT_THAT(forest.loops()[0].blocks, ElementsAre(1, 2));
}

TEST(Loops, IrreducibleCyclesAreNamedNotCalledLoops) {
  const ControlFlowGraph graph(function_of(kIrreducible));
  const LoopForest forest(graph, DominatorTree(graph));
  EXPECT_THAT(forest.loops(), IsEmpty());
  EXPECT_EQ(forest.irreducible_edges().size(), 1u);
}

TEST(Loops, LoopsWithoutEndHaveNoExits) {
  const ControlFlowGraph graph(function_of(kInfiniteLoop));
  const LoopForest forest(graph, DominatorTree(graph));
  ASSERT_EQ(forest.loops().size(), 1u);
  EXPECT_THAT(forest.loops()[0].exits, IsEmpty());
}

// --- random graphs against the definitions ---------------------------------------------------------------------------

// Blocks that can be reached from `start` without entering `avoided`.
std::vector<bool> reach(const Graph& edges, BlockId start, BlockId avoided) {
  std::vector<bool> seen(edges.size());
  if (start == avoided) return seen;
  std::vector<BlockId> work{start};
  seen[start] = true;
  while (!work.empty()) {
    const BlockId block = work.back();
    work.pop_back();
    for (const BlockId next : edges[block]) {
      if (next == avoided || seen[next]) continue;
      seen[next] = true;
      work.push_back(next);
    }
  }
  return seen;
}

TEST(Dominators, AgreeWithTheirDefinitionOnRandomGraphs) {
  std::mt19937 random(11);
  for (int round = 0; round < 150; ++round) {
    const Graph edges = random_edges(random, 1 + random() % 14);
    const ControlFlowGraph graph(function_of(edges));
    const DominatorTree tree(graph);
    const auto reachable = reach(edges, 0, kNoId);
    for (BlockId above = 0; above < edges.size(); ++above) {
      const auto without = reach(edges, 0, above);
      for (BlockId below = 0; below < edges.size(); ++below) {
        const bool expected = reachable[above] && reachable[below] && !without[below];
        ASSERT_EQ(tree.dominates(above, below), expected)
            << "round " << round << ": " << above << ", " << below;
      }
    }
  }
}

TEST(PostDominators, AgreeWithTheirDefinitionOnRandomGraphsThatEnd) {
  std::mt19937 random(12);
  int tried = 0;
  for (int round = 0; round < 300; ++round) {
    const Graph edges = random_edges(random, 2 + random() % 10);
    const auto reachable = reach(edges, 0, kNoId);
    const auto ends = [&](BlockId block, BlockId avoided) {
      const auto seen = reach(edges, block, avoided);
      for (BlockId end = 0; end < edges.size(); ++end) {
        if (seen[end] && edges[end].empty()) return true;
      }
      return false;
    };
    bool all_end = true;
    for (BlockId block = 0; block < edges.size(); ++block)
      all_end = all_end && (!reachable[block] || ends(block, kNoId));
    if (!all_end) continue;
    ++tried;
    const PostDominatorTree tree{ControlFlowGraph(function_of(edges))};
    for (BlockId above = 0; above < edges.size(); ++above) {
      for (BlockId below = 0; below < edges.size(); ++below) {
        const bool expected = reachable[above] && reachable[below] && !ends(below, above);
        ASSERT_EQ(tree.dominates(above, below), expected)
            << "round " << round << ": " << above << ", " << below;
      }
    }
  }
  EXPECT_GT(tried, 30);
}

TEST(Reconvergence, IsTheImmediatePostDominatorWhereThereIsOneExit) {
  std::mt19937 random(13);
  int tried = 0;
  for (int round = 0; round < 300; ++round) {
    Graph edges = random_edges(random, 3 + random() % 10);
    for (BlockId i = 0; i + 1 < edges.size(); ++i) {
      if (edges[i].empty()) edges[i] = {static_cast<BlockId>(edges.size() - 1)};
    }
    edges.back().clear();
    const ControlFlowGraph graph(function_of(edges));
    const PostDominatorTree tree(graph);
    const auto points = reconvergence_points(graph);
    for (BlockId block = 0; block < edges.size(); ++block) {
      const auto seen = reach(edges, block, kNoId);
      if (!graph.reachable(block) || !seen[edges.size() - 1]) continue;
      bool loops_forever = false;
      for (BlockId other = 0; other < edges.size(); ++other) {
        if (seen[other] && !reach(edges, other, kNoId)[edges.size() - 1]) loops_forever = true;
      }
      if (loops_forever) continue;
      ++tried;
      ASSERT_EQ(points[block], tree.parent(block)) << "round " << round << ", block " << block;
    }
  }
  EXPECT_GT(tried, 100);
}

TEST(Loops, EveryLoopIsEnteredThroughItsHeaderAlone) {
  std::mt19937 random(14);
  int loops = 0;
  for (int round = 0; round < 200; ++round) {
    const Graph edges = random_edges(random, 2 + random() % 12);
    const ControlFlowGraph graph(function_of(edges));
    const DominatorTree tree(graph);
    const LoopForest forest(graph, tree);
    for (const Loop& loop : forest.loops()) {
      ++loops;
      const auto inside = [&](BlockId block) {
        return std::find(loop.blocks.begin(), loop.blocks.end(), block) != loop.blocks.end();
      };
      for (const BlockId block : loop.blocks) {
        ASSERT_TRUE(tree.dominates(loop.header, block));
        for (const BlockId before : graph.predecessors(block)) {
          if (graph.reachable(before) && block != loop.header) {
            ASSERT_TRUE(inside(before));
          }
        }
      }
      if (loop.parent != kNoId) {
        for (const BlockId block : loop.blocks) {
          const auto& outer = forest.loops()[loop.parent].blocks;
          ASSERT_NE(std::find(outer.begin(), outer.end(), block), outer.end());
        }
      }
    }
  }
  EXPECT_GT(loops, 50);
}

}  // namespace
}  // namespace raddle::kernel
