#include "machine/cgra/compile/graph_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "machine/cgra/fabric/thread_links.h"
#include "machine/cgra/piece_stand.h"

namespace raddle::machine::cgra {
namespace {

using ::testing::ElementsAre;

DataflowGraph graph_of(std::string_view body, std::array<std::uint32_t, 3> block = {64, 1, 1}) {
  const PieceStand stand(body);
  GraphOptions options;
  options.block = block;
  return stand.graph(stand.whole(), options).graph;
}
std::vector<std::uint32_t> sources(const Node& node) {
  std::vector<std::uint32_t> all;
  for (const Input& input : node.inputs) all.push_back(input.from);
  return all;
}

TEST(GraphBuilder, ConstantsHaveNoEdges) {
  const DataflowGraph graph = graph_of(
      "e:\n  %a = ld.param.b32 [n]\n  %b = mul.lo.s32 %a, 3\n  %c = add.s32 %tid.x, %b\n"
      "  st.global.b32 [4096], %c\n  ret\n");
  EXPECT_THAT(labels(graph), ElementsAre("threads", "add.s32", "st.global.b32"));
  EXPECT_THAT(sources(graph.nodes[1]), ElementsAre(0U));
  EXPECT_THAT(sources(graph.nodes[2]), ElementsAre(1U));
  EXPECT_EQ(graph.accesses, 1U);
  EXPECT_TRUE(graph.nodes[2].writes);
}

TEST(GraphBuilder, CopiesAreWires) {
  const DataflowGraph graph = graph_of(
      "e:\n  %a = mov.b32 %tid.x\n  %b = mov.b32 %a\n  %c = add.s32 %b, 1\n  %d = mov.b32 %c\n"
      "  st.global.b32 [4096], %d\n  ret\n");
  EXPECT_THAT(labels(graph), ElementsAre("threads", "add.s32", "st.global.b32"));
}

TEST(GraphBuilder, TheSameComputationIsOneNode) {
  const DataflowGraph graph = graph_of(
      "e:\n  %c = ld.global.b32 [4096]\n  %a = add.s32 %c, 1\n  %b = add.s32 %c, 1\n"
      "  %d = mul.lo.s32 %a, %b\n  st.global.b32 [8192], %d\n  ret\n");
  EXPECT_THAT(labels(graph),
              ElementsAre("threads", "ld.global.b32", "add.s32", "mul.s32", "st.global.b32"));
  EXPECT_THAT(sources(graph.nodes[3]), ElementsAre(2U)) << "one edge brings both operands";
}

TEST(GraphBuilder, LoadsAreNotTheSameComputation) {
  EXPECT_EQ(graph_of("e:\n  %a = ld.global.b32 [4096]\n  %b = ld.global.b32 [4096]\n"
                     "  %d = add.s32 %a, %b\n  st.global.b32 [8192], %d\n  ret\n")
                .accesses,
            3U);
}

TEST(GraphBuilder, WhatHasNoOperandsIsTriggeredByTheSource) {
  const DataflowGraph graph = graph_of("e:\n  st.global.b32 [4096], 1\n  ret\n");
  EXPECT_THAT(graph.nodes[1].inputs, ElementsAre(Input{.from = 0, .control = true}));
}

TEST(GraphBuilder, AStoreWaitsForALoadOfTheSamePlace) {
  const DataflowGraph graph = graph_of(
      "e:\n  %a = ld.global.b32 [4096]\n  st.global.b32 [4096], 1\n  st.shared.b32 [0], %a\n  "
      "ret\n");
  const Node& store = graph.nodes[node_of(graph, "st.global.b32")];
  EXPECT_THAT(store.inputs,
              ElementsAre(Input{.from = node_of(graph, "ld.global.b32"), .control = true}));
}

TEST(GraphBuilder, AnOperandSaysAlreadyThatItsLoadIsDone) {
  const DataflowGraph graph = graph_of(
      "e:\n  %a = ld.global.b32 [4096]\n  %b = add.s32 %a, 1\n  st.global.b32 [4096], %b\n  ret\n");
  EXPECT_THAT(sources(graph.nodes[node_of(graph, "st.global.b32")]),
              ElementsAre(node_of(graph, "add.s32")));
}

TEST(GraphBuilder, SeveralOperationsBeforeOneAreJoined) {
  const DataflowGraph graph = graph_of(
      "e:\n  %a = ld.global.b32 [4096]\n  %b = ld.global.b32 [8192]\n  st.generic.b32 [%x], 1\n"
      "  st.shared.b32 [0], %a, %b\n  ret\n");
  EXPECT_EQ(count_of(graph, NodeKind::kJoin), 1U);
  const Node& join = graph.nodes[node_of(graph, "join")];
  EXPECT_EQ(join.unit, UnitClass::kSplitJoin);
  EXPECT_EQ(join.inputs.size(), 2U);
  EXPECT_TRUE(join.inputs[0].control && join.inputs[1].control);
}

TEST(GraphBuilder, AFenceTakesNoUnit) {
  const DataflowGraph graph = graph_of(
      "e:\n  st.global.b32 [4096], 1\n  fence.acq_rel.gpu\n  st.shared.b32 [0], 1\n  ret\n");
  EXPECT_THAT(labels(graph), ElementsAre("threads", "st.global.b32", "st.shared.b32"));
  EXPECT_THAT(graph.nodes[2].inputs, ElementsAre(Input{.from = 1, .control = true}));
  EXPECT_EQ(graph.nodes[2].port, MemoryPort::kShared);
}

TEST(GraphBuilder, SwitchedOffStoresHaveTheirPredicateAsInput) {
  const DataflowGraph graph = graph_of(
      "e:\n  %p = setp.lt.s32 %tid.x, 9\n  @%p bra o\nt:\n  st.global.b32 [4096], 1\no:\n  ret\n");
  EXPECT_THAT(sources(graph.nodes[node_of(graph, "st.global.b32")]),
              ElementsAre(node_of(graph, "setp.s32")));
}

TEST(GraphBuilder, LiveValuesTakeLoadStoreUnits) {
  const PieceStand stand(
      "e:\n  %a = ld.global.b32 [4096]\n  bar.sync 0\n  st.global.b32 [4096], %a\n  ret\n");
  const DataflowGraph first = stand.graph(stand.piece({0})).graph;
  EXPECT_EQ(first.live_outs, 1U);
  EXPECT_EQ(first.units_needed()[static_cast<std::size_t>(UnitClass::kLoadStore)], 2U);
  const DataflowGraph second = stand.graph(stand.piece({1})).graph;
  EXPECT_EQ(second.live_ins, 1U);
  EXPECT_EQ(count_of(second, NodeKind::kLiveIn), 1U);
}

TEST(GraphBuilder, OnlySeveralWaysOutNeedAnExitNode) {
  const PieceStand stand(
      "e:\n  %a = ld.global.b32 [4096]\n  %p = setp.lt.s32 %a, 9\n  @%p exit\n"
      "m:\n  bar.sync 0\n  ret\n");
  const DataflowGraph graph = stand.graph(stand.piece({0})).graph;
  ASSERT_EQ(count_of(graph, NodeKind::kExit), 1U);
  EXPECT_THAT(sources(graph.nodes[node_of(graph, "exit")]),
              ElementsAre(node_of(graph, "setp.s32")));
  EXPECT_EQ(count_of(graph_of("e:\n  st.global.b32 [4096], 1\n  ret\n"), NodeKind::kExit), 0U);
}

// --- between threads ---------------------------------------------------------------------------------

TEST(GraphBuilder, AReceiveIsAnElevatorFromWhatIsTagged) {
  const DataflowGraph graph = graph_of(
      "e:\n  %a = ld.global.b32 [4096]\n  it.tag.b32 %a {channel=1}\n"
      "  %b = it.recv.const.b32 0 {channel=1, delta=(-3, 0, 0)}\n  st.global.b32 [%x], %b\n  "
      "ret\n");
  ASSERT_EQ(count_of(graph, NodeKind::kElevator), 1U);
  EXPECT_TRUE(graph.whole_blocks);
  EXPECT_EQ(graph.receives, 1U);
  const auto elevator = std::find_if(graph.nodes.begin(), graph.nodes.end(), [](const Node& node) {
    return node.kind == NodeKind::kElevator;
  });
  EXPECT_EQ(elevator->unit, UnitClass::kControl);
  EXPECT_THAT(elevator->inputs,
              ElementsAre(Input{.from = node_of(graph, "ld.global.b32"), .shift = 3},
                          Input{.from = 0, .control = true}));
}

TEST(GraphBuilder, ReceiveOrLoadIsOneMemoryNodeWithALoop) {
  const DataflowGraph graph = graph_of(
      "e:\n  %p = setp.eq.s32 %tid.x, 0\n"
      "  %b = it.recv.load.b32 [4096], %p {delta=(-1, 0, 0)}\n  st.global.b32 [%x], %b\n  ret\n");
  ASSERT_EQ(count_of(graph, NodeKind::kReceiveLoad), 1U);
  for (const Node& node : graph.nodes) {
    if (node.kind == NodeKind::kReceiveLoad) {
      EXPECT_EQ(node.loop_shift, 1);
    }
  }
}

TEST(GraphBuilder, WhereNobodySendsAReceiveIsItsConstantOrALoad) {
  // The block has one thread.
  const DataflowGraph constant = graph_of(
      "e:\n  %b = it.recv.const.b32 0 {channel=1, delta=(-1, 0, 0)}\n  %a = add.s32 %b, %tid.x\n"
      "  it.tag.b32 %a {channel=1}\n  st.global.b32 [4096], %a\n  ret\n",
      {1, 1, 1});
  EXPECT_THAT(labels(constant), ElementsAre("threads", "add.s32", "st.global.b32"));
  // A row away, and as far back as a row is long.
  const DataflowGraph load = graph_of(
      "e:\n  %p = setp.eq.s32 %tid.x, 0\n"
      "  %b = it.recv.load.b32 [4096], %p {delta=(8, -1, 0)}\n  st.global.b32 [8192], %b\n  ret\n",
      {8, 4, 1});
  EXPECT_EQ(count_of(load, NodeKind::kReceiveLoad), 0U);
  EXPECT_EQ(load.receives, 0U);
  EXPECT_EQ(load.accesses, 2U);
}

TEST(ThreadLinks, SendersLieWithinBlockAndWindow) {
  kernel::InterThread link;
  link.delta = {-3, 0, 0};
  EXPECT_TRUE(has_senders(link, {4, 1, 1}));
  EXPECT_FALSE(has_senders(link, {3, 9, 1}));
  link.window = 4;
  EXPECT_TRUE(has_senders(link, {8, 1, 1}));
  link.window = 2;
  EXPECT_FALSE(has_senders(link, {8, 1, 1}));
}

TEST(GraphBuilder, DistancesAreCountedAlongTheBlock) {
  kernel::InterThread link;
  link.delta = {-1, 0, 0};
  EXPECT_EQ(linear_distance(link, {8, 4, 2}), 1);
  link.delta = {0, -1, 0};
  EXPECT_EQ(linear_distance(link, {8, 4, 2}), 8);
  link.delta = {1, 0, -1};
  EXPECT_EQ(linear_distance(link, {8, 4, 2}), 31);
}

}  // namespace
}  // namespace raddle::machine::cgra
