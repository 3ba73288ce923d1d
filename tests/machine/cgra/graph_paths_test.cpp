#include "machine/cgra/compile/graph_paths.h"

#include <gtest/gtest.h>

#include "machine/cgra/sample_graphs.h"

namespace raddle::machine::cgra {
namespace {

// Source, a special function of 12 cycles, an adder that takes both.
DataflowGraph skewed_graph() {
  GraphBuilder builder("skewed");
  const auto sine = builder.add(UnitClass::kSpecial, "sin", {0});
  builder.add(UnitClass::kFpu, "add", {sine, 0});
  return builder.take();
}

TEST(GraphPaths, AddUpLatenciesAndHops) {
  GraphPaths paths(skewed_graph());
  // 1 cycle and 2 hops, 12 cycles and 3 hops, 4 cycles.
  EXPECT_EQ(paths.longest(std::vector<std::uint32_t>{2, 3, 5}, Cycle(1)),
            Cycle(1 + 2 + 12 + 3 + 4));
  EXPECT_EQ(paths.slack(0), Cycle(0));
  EXPECT_EQ(paths.slack(1), Cycle(0));
  EXPECT_EQ(paths.slack(2), Cycle(12)) << "18 cycles on the long way, 6 on the short one";
  EXPECT_EQ(paths.wait(2), Cycle(12));
  EXPECT_EQ(paths.longest(std::vector<std::uint32_t>{2, 3, 5}, Cycle(2)),
            Cycle(1 + 4 + 12 + 6 + 4));
}

TEST(GraphPaths, FindRecurrences) {
  const std::vector<GraphEdge> edges = edges_of(scan_graph());
  for (const GraphEdge& edge : edges) {
    const bool loop = (edge.from == 3 && edge.to == 4) || (edge.from == 4 && edge.to == 3);
    EXPECT_EQ(edge.recurrent, loop) << edge.from << " to " << edge.to;
    EXPECT_EQ(edge.forward, !(edge.from == 4 && edge.to == 3));
  }
}

TEST(GraphPaths, CutRecurrencesBetweenThreads) {
  // The elevator comes after the adder that it sends to: its data is what closes the cycle.
  GraphBuilder builder("sum");
  const auto sum = builder.add(UnitClass::kFpu, "add", {0});
  const auto elevator = builder.add(NodeKind::kElevator, UnitClass::kControl, "elevator", {});
  builder.node(elevator).inputs = {{.from = sum, .shift = 1}, {.from = 0, .control = true}};
  builder.node(sum).inputs.push_back({.from = elevator});
  GraphPaths paths(builder.take());
  EXPECT_TRUE(paths.edges()[1].forward) << "elevator to adder";
  EXPECT_FALSE(paths.edges()[2].forward) << "adder to elevator";
  EXPECT_TRUE(paths.edges()[1].recurrent && paths.edges()[2].recurrent);
  // Source, hop, elevator, hop, adder.
  EXPECT_EQ(paths.longest(std::vector<std::uint32_t>{1, 1, 1, 1}, Cycle(1)),
            Cycle(1 + 1 + 1 + 1 + 4));
}

TEST(GraphPaths, CountAnElevatorsDataFromALaterNode) {
  // The elevator comes before the node that sends to it, and no cycle is closed.
  GraphBuilder builder("shift");
  const auto elevator = builder.add(NodeKind::kElevator, UnitClass::kControl, "elevator", {});
  const auto value = builder.add(UnitClass::kAlu, "add", {0});
  builder.node(elevator).inputs = {{.from = value, .shift = 1}};
  GraphPaths paths(builder.take());
  EXPECT_TRUE(paths.edges()[0].forward);
  EXPECT_FALSE(paths.edges()[0].recurrent);
  EXPECT_EQ(paths.longest(std::vector<std::uint32_t>{1, 1}, Cycle(1)), Cycle(1 + 1 + 1 + 1 + 1));
}

}  // namespace
}  // namespace raddle::machine::cgra
