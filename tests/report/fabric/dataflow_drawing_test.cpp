#include "report/fabric/dataflow_drawing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "machine/cgra/sample_graphs.h"
#include "report/fabric/fabric_text.h"
#include "report/fabric/fabric_view.h"
#include "report/svg_checks.h"

namespace raddle::report {
namespace {

using namespace machine::cgra;
using testing::Contains;
using testing::HasSubstr;

std::string line_of(std::uint32_t location) {
  return location == 0 ? std::string() : "programs/scan.cu:" + std::to_string(location);
}

TEST(DataflowSvg, DrawsEveryNodeWithItsLine) {
  const XmlElement svg = checked_svg(dataflow_svg(scan_graph(), line_of));
  EXPECT_THAT(texts_of(svg, "name"),
              testing::ElementsAre("threads", "mad.wide.s32", "ld.global", "elevator +1", "add.f32",
                                   "mad.wide.s32", "st.global", "exit"));
  EXPECT_THAT(texts_of(svg, "place"), Contains("scan.cu:7").Times(2));
  EXPECT_THAT(texts_of(svg, "legend"),
              testing::ElementsAre("2 ALU", "1 FPU", "2 load/store", "1 control", "port"));
  EXPECT_EQ(svg.all("path", "tint")[2]->whole_text, "ld.global, load/store, programs/scan.cu:4");
}

TEST(DataflowSvg, TellsEdgesBetweenThreadsFromOthers) {
  const XmlElement svg = checked_svg(dataflow_svg(scan_graph(), line_of));
  const auto temporal = svg.all("path", "temporal");
  ASSERT_EQ(temporal.size(), 1u);
  EXPECT_FALSE(temporal[0]->attribute("stroke-dasharray").empty());
  EXPECT_THAT(texts_of(svg, "shift"), testing::ElementsAre("+1"));
  EXPECT_EQ(svg.all("path", "order").size(), 2u);
  EXPECT_EQ(svg.all("path", "edge").size(), 10u);
  EXPECT_EQ(svg.all("path", "arrow").size(), 10u);
}

TEST(DataflowSvg, DrawsANodeThatSendsToItself) {
  GraphBuilder builder("loop");
  const auto load = builder.add(NodeKind::kReceiveLoad, UnitClass::kLoadStore, "load or -1", {0});
  builder.node(load).loop_shift = 1;
  const XmlElement svg = checked_svg(dataflow_svg(builder.take()));
  EXPECT_EQ(svg.all("path", "temporal").size(), 1u);
  EXPECT_THAT(texts_of(svg, "shift"), testing::ElementsAre("+1"));
}

TEST(DataflowSvg, TakesGraphsOfAnyShape) {
  checked_svg(dataflow_svg(chain_graph(1)));
  checked_svg(dataflow_svg(chain_graph(50)));
  checked_svg(dataflow_svg(fan_out_graph(60)));
  for (std::uint64_t seed = 1; seed <= 3; ++seed)
    checked_svg(dataflow_svg(random_graph(seed, {10, 10, 3, 10, 5, 5}), line_of));
  DataflowGraph odd = saxpy_graph();
  odd.name = "<a & \"b\">";
  odd.nodes[1].label = std::string(80, 'W') + "<&>";
  checked_svg(dataflow_svg(odd));
}

TEST(DataflowSvg, IsTheSameEveryTime) {
  EXPECT_EQ(dataflow_svg(saxpy_graph()), dataflow_svg(saxpy_graph()));
}

TEST(DataflowDot, HasNodesAndEdges) {
  const std::string dot = dataflow_dot(scan_graph(), line_of);
  EXPECT_THAT(dot, testing::StartsWith("digraph \"scan, block 0\" {\n"));
  EXPECT_THAT(dot, HasSubstr("  n3 [label=\"elevator +1\\nscan.cu:5\", shape=hexagon, "
                             "color=\"#d55e00\", fillcolor=\"#d55e0030\", "
                             "tooltip=\"elevator +1, control, programs/scan.cu:5\"];\n"));
  EXPECT_THAT(dot, HasSubstr("  n1 -> n2;\n"));
  EXPECT_THAT(dot, HasSubstr("  n0 -> n3 [style=dotted];\n"));
  EXPECT_THAT(dot, HasSubstr("  n4 -> n3 [style=\"dashed,bold\", color=\"#d55e00\", "
                             "fontcolor=\"#d55e00\", label=\"+1\", constraint=false];\n"));
  EXPECT_THAT(dot, testing::EndsWith("}\n"));
}

TEST(DataflowText, ListsNodes) {
  const std::string text = dataflow_text(scan_graph(), line_of);
  EXPECT_THAT(text, testing::StartsWith("scan, block 0: 8 nodes\n\n"));
  EXPECT_THAT(text, testing::ContainsRegex(
                        "n3 +elevator \\+1 +elevator +control +1 +n4 \\+1, \\(n0\\) +scan.cu:5\n"));
}

TEST(DataflowText, TellsALoopThatStaysOnTheGrid) {
  GraphBuilder builder("loop");
  const auto same = builder.add(NodeKind::kLiveIn, UnitClass::kLoadStore, "live in", {0});
  const auto sum = builder.add(NodeKind::kLiveIn, UnitClass::kLoadStore, "live in", {0});
  const auto add = builder.add(NodeKind::kCompute, UnitClass::kAlu, "add.s32", {same, sum});
  for (const auto id : {same, sum}) builder.node(id).loop_shift = 32;
  builder.node(sum).inputs.push_back({.from = add, .shift = 32});
  DataflowGraph graph = builder.take();
  graph.stays = true;
  const std::string text = dataflow_text(graph, line_of);
  EXPECT_THAT(text, HasSubstr("32 threads go round; +32 leads to the next turn"));
  EXPECT_THAT(text, HasSubstr("n0, n1 +32")) << "a unit that keeps what it read";
  EXPECT_THAT(text, HasSubstr("n0, n3 +32")) << "the sum";
  EXPECT_EQ(checked_svg(dataflow_svg(graph)).all("path", "temporal").size(), 2u);
}

TEST(FabricView, TakesEveryFormat) {
  const DataflowGraph graph = scan_graph();
  const Grid grid(GridParameters{});
  const Mapping mapping = map_graph(graph, grid);
  const auto view = [&](FabricView what, const char* format) {
    return fabric_view(graph, grid, mapping, what, format);
  };
  EXPECT_EQ(view(FabricView::kDataflow, "svg"), dataflow_svg(graph));
  EXPECT_EQ(view(FabricView::kDataflow, "dot"), dataflow_dot(graph));
  EXPECT_EQ(view(FabricView::kDataflow, "text"), dataflow_text(graph));
  EXPECT_THAT(view(FabricView::kPlaced, "svg"), HasSubstr("scan, block 0 on the grid"));
  EXPECT_THAT(view(FabricView::kPlaced, "dot"), HasSubstr("layout=neato"));
  EXPECT_THAT(view(FabricView::kPlaced, "text"), HasSubstr("on 14 by 10 tiles: 16 copies"));
  try {
    view(FabricView::kPlaced, "png");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.full_text(), "unknown format 'png'\nhint: the formats are text, dot and svg");
  }
}

}  // namespace
}  // namespace raddle::report
