#include "machine/cgra/compile/temporal_edges.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "machine/cgra/piece_stand.h"

namespace raddle::machine::cgra {
namespace {

using ::testing::ElementsAre;

PieceGraph fitted(std::string_view body, std::uint32_t buffer = 16,
                  std::array<std::uint32_t, 3> block = {1024, 1, 1}) {
  const PieceStand stand(body);
  GraphOptions options;
  options.token_buffer = buffer;
  options.block = block;
  PieceGraph graph = stand.graph(stand.whole(), options);
  graph.graph.name = "test";
  fit_in_time(graph, options);
  return graph;
}
std::string receive(int delta) {
  return "e:\n  %a = ld.global.b32 [4096]\n  it.tag.b32 %a {channel=1}\n"
         "  %b = it.recv.const.b32 0 {channel=1, delta=(" +
         std::to_string(delta) + ", 0, 0)}\n  st.global.b32 [%x], %b\n  ret\n";
}
std::string recurrence(int delta) {
  return "e:\n  %b = it.recv.const.b32 0 {channel=1, delta=(" + std::to_string(delta) +
         ", 0, 0)}\n  %a = add.s32 %b, %tid.x\n  it.tag.b32 %a {channel=1}\n"
         "  st.global.b32 [%x], %a\n  ret\n";
}
std::string receive_or_load(int delta) {
  return "e:\n  %p = setp.lt.s32 %tid.x, 64\n  %b = it.recv.load.b32 [4096], %p {delta=(" +
         std::to_string(delta) + ", 0, 0)}\n  st.global.b32 [%x], %b\n  ret\n";
}
// Shifts of the elevators that take tokens to other threads, in the order that tokens pass them.
std::vector<std::int32_t> shifts(const DataflowGraph& graph) {
  std::vector<std::int32_t> all;
  for (const Node& node : graph.nodes) {
    for (const Input& input : node.inputs) {
      if (input.shift != 0) all.push_back(input.shift);
    }
  }
  return all;
}
std::size_t delivering(const DataflowGraph& graph) {
  return static_cast<std::size_t>(std::count_if(
      graph.nodes.begin(), graph.nodes.end(),
      [](const Node& node) { return node.kind == NodeKind::kElevator && node.delivers; }));
}

TEST(TemporalEdges, ADistanceWithinTheBufferIsOneElevator) {
  EXPECT_THAT(shifts(fitted(receive(-1)).graph), ElementsAre(1));
  EXPECT_THAT(shifts(fitted(receive(-16)).graph), ElementsAre(16));
}

TEST(TemporalEdges, ALongDistanceIsACascade) {
  const DataflowGraph graph = fitted(receive(-18)).graph;  // 16 and 2
  EXPECT_THAT(shifts(graph), ElementsAre(16, 2));
  EXPECT_EQ(delivering(graph), 1U) << "the last of a cascade delivers";
}

TEST(TemporalEdges, ACascadeHasAsManyElevatorsAsBuffersAreNeeded) {
  for (const int distance : {17, 31, 32, 33, 64, 100, 255}) {
    const std::vector<std::int32_t> all = shifts(fitted(receive(-distance)).graph);
    EXPECT_EQ(all.size(), static_cast<std::size_t>((distance + 15) / 16)) << distance;
    EXPECT_EQ(std::accumulate(all.begin(), all.end(), 0), distance);
    for (const std::int32_t shift : all) EXPECT_LE(shift, 16);
  }
}

TEST(TemporalEdges, SmallerBuffersNeedMoreElevators) {
  EXPECT_THAT(shifts(fitted(receive(-3), 1).graph), ElementsAre(1, 1, 1));
  EXPECT_THAT(shifts(fitted(receive(-9), 4).graph), ElementsAre(4, 4, 1));
}

TEST(TemporalEdges, ARecurrenceFromEarlierThreadsIsInjectedInOrder) {
  const PieceGraph piece = fitted(recurrence(-1));
  EXPECT_FALSE(piece.descending);
  EXPECT_THAT(shifts(piece.graph), ElementsAre(1));
}

TEST(TemporalEdges, ARecurrenceFromLaterThreadsIsInjectedFromTheLast) {
  const PieceGraph piece = fitted(recurrence(1));
  EXPECT_TRUE(piece.descending);
  EXPECT_THAT(shifts(piece.graph), ElementsAre(1));
}

TEST(TemporalEdges, ALongRecurrenceIsAClosedCascade) {
  EXPECT_THAT(shifts(fitted(recurrence(-40)).graph), ElementsAre(16, 16, 8));
}

TEST(TemporalEdges, RecurrencesInBothDirectionsAreACircle) {
  try {
    fitted(
        "e:\n  %b = it.recv.const.b32 0 {channel=1, delta=(-1, 0, 0)}\n"
        "  %a = add.s32 %b, %tid.x\n  it.tag.b32 %a {channel=1}\n"
        "  %d = it.recv.const.b32 0 {channel=2, delta=(1, 0, 0)}\n  %c = add.s32 %d, %a\n"
        "  it.tag.b32 %c {channel=2}\n  st.global.b32 [%x], %c\n  ret\n");
    FAIL();
  } catch (const CircularWait& error) {
    EXPECT_EQ(error.full_text(),
              "test: threads wait for each other in a cycle\nhint: a value that depends on itself "
              "in another thread must come from one direction only: from earlier threads, or from "
              "later ones");
  }
}

TEST(TemporalEdges, AReceiveFromLaterThreadsLeavesRoomForThoseInBetween) {
  // What the thread has itself waits until the thread 20 after it has sent.
  const PieceGraph piece = fitted(
      "e:\n  %a = ld.global.b32 [4096]\n  it.tag.b32 %a {channel=1}\n"
      "  %b = it.recv.const.b32 0 {channel=1, delta=(20, 0, 0)}\n  %c = add.s32 %a, %b\n"
      "  st.global.b32 [%x], %c\n  ret\n");
  EXPECT_FALSE(piece.descending);
  EXPECT_THAT(shifts(piece.graph), ElementsAre(-16, -4));
  const auto buffers =
      std::count_if(piece.graph.nodes.begin(), piece.graph.nodes.end(),
                    [](const Node& node) { return node.label == "buffer" && !node.delivers; });
  EXPECT_GT(buffers, 0);
}

TEST(TemporalEdges, AShortReceiveOrLoadKeepsItsLoop) {
  const DataflowGraph graph = fitted(receive_or_load(-16)).graph;
  EXPECT_EQ(count_of(graph, NodeKind::kReceiveLoad), 1U);
  EXPECT_EQ(count_of(graph, NodeKind::kElevator), 0U);
}

TEST(TemporalEdges, ALongReceiveOrLoadGoesRoundThroughElevators) {
  const DataflowGraph graph = fitted(receive_or_load(-17)).graph;  // Figure 10b
  EXPECT_EQ(count_of(graph, NodeKind::kReceiveLoad), 0U);
  EXPECT_THAT(shifts(graph), ElementsAre(16, 1));
  const std::uint32_t out = node_of(graph, "mux out"), in = node_of(graph, "mux in");
  const std::uint32_t load = node_of(graph, "load if");
  EXPECT_EQ(graph.nodes[load].kind, NodeKind::kMemory);
  EXPECT_THAT(graph.nodes[in].inputs, ElementsAre(Input{.from = load}, Input{.from = out}));
  EXPECT_EQ(graph.nodes[out].inputs[0], Input{.from = load});
  EXPECT_EQ(graph.nodes[graph.nodes[out].inputs[1].from].kind, NodeKind::kElevator);
  EXPECT_EQ(graph.nodes[node_of(graph, "st.global.b32")].inputs[0].from, out);
}

TEST(TemporalEdges, AReceiveOrLoadFromLaterThreadsIsInjectedFromTheLast) {
  EXPECT_TRUE(fitted(receive_or_load(2)).descending);
  EXPECT_TRUE(fitted(receive_or_load(30)).descending);
}

TEST(TemporalEdges, InputsComeFromEarlierNodesButForRecurrences) {
  const DataflowGraph graph = fitted(receive(-50)).graph;
  for (std::uint32_t n = 0; n < graph.nodes.size(); ++n) {
    for (const Input& input : graph.nodes[n].inputs) EXPECT_LT(input.from, n);
  }
}

TEST(TemporalEdges, WithoutReceivesNothingChanges) {
  const char* const body = "e:\n  %a = ld.global.b32 [4096]\n  st.global.b32 [%x], %a\n  ret\n";
  const PieceStand stand(body);
  EXPECT_EQ(labels(fitted(body).graph), labels(stand.graph(stand.whole()).graph));
}

}  // namespace
}  // namespace raddle::machine::cgra
