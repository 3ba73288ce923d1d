#include "report/fabric/mapping_drawing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "machine/cgra/sample_graphs.h"
#include "report/fabric/fabric_text.h"
#include "report/fabric/route_lanes.h"
#include "report/svg_checks.h"

namespace raddle::report {
namespace {

using namespace machine::cgra;
using testing::HasSubstr;

std::string line_of(std::uint32_t location) { return "saxpy.cu:" + std::to_string(location); }

GridParameters with_replicas(std::uint32_t replicas) {
  GridParameters parameters;
  parameters.replicas = replicas;
  return parameters;
}

TEST(MappingSvg, DrawsUnitsPortsAndRoutes) {
  const DataflowGraph graph = saxpy_graph();
  const Grid grid(with_replicas(1));
  const Mapping mapping = map_graph(graph, grid);
  const XmlElement svg = checked_svg(mapping_svg(graph, grid, mapping, line_of));
  EXPECT_EQ(svg.all("path", "used").size(), 8u);
  EXPECT_EQ(svg.all("path", "free").size(), 132u);
  EXPECT_EQ(svg.all("path", "port").size(), 8u);
  EXPECT_EQ(svg.all("path", "route").size(), 15u) << "one for each input";
  EXPECT_EQ(svg.all("g", "net").size(), 9u) << "one for each node that sends";
  EXPECT_THAT(texts_of(svg, "name"), testing::Contains("fma.f32"));
  EXPECT_THAT(texts_of(svg, "place"), testing::Contains(":3").Times(6));
  EXPECT_THAT(texts_of(svg, "legend"), testing::Contains("load/store 3 of 32"));
  EXPECT_TRUE(texts_of(svg, "copy-name").empty());
}

TEST(MappingSvg, TellsCopiesApart) {
  const DataflowGraph graph = saxpy_graph();
  const Grid grid(with_replicas(3));
  const XmlElement svg = checked_svg(mapping_svg(graph, grid, map_graph(graph, grid), line_of));
  const auto copies = texts_of(svg, "copy-name");
  for (const char* copy : {"1", "2", "3"})
    EXPECT_EQ(std::count(copies.begin(), copies.end(), copy), 8);
  std::set<std::string> colours;
  for (const XmlElement* tint : svg.all("g", "copy")) colours.insert(tint->attribute("color"));
  EXPECT_EQ(colours.size(), 3u);
}

TEST(MappingSvg, DashesWaysToAnotherThread) {
  const DataflowGraph graph = scan_graph();
  const Grid grid(with_replicas(1));
  const XmlElement svg = checked_svg(mapping_svg(graph, grid, map_graph(graph, grid)));
  int dashed = 0;
  for (const XmlElement* route : svg.all("path", "route"))
    dashed += route->attribute("stroke-dasharray").empty() ? 0 : 1;
  EXPECT_EQ(dashed, 1);
}

TEST(MappingSvg, TakesEveryTopologyAndSize) {
  for (const Topology topology :
       {Topology::kMesh, Topology::kTorus, Topology::kDiagonal, Topology::kExpress}) {
    GridParameters parameters = with_replicas(2);
    parameters.topology = topology;
    const Grid grid(parameters);
    const DataflowGraph graph = random_graph(5, {8, 8, 3, 8, 4, 4});
    checked_svg(mapping_svg(graph, grid, map_graph(graph, grid), line_of));
  }
  GridParameters tiny;
  tiny.units = {1, 0, 0, 0, 0, 0};
  tiny.module = {.units = tiny.units, .columns = 0, .rows = 0};
  tiny.ports = 1;
  const DataflowGraph graph = chain_graph(1);
  checked_svg(mapping_svg(graph, Grid(tiny), map_graph(graph, Grid(tiny))));
}

// Two nets that pass the same tile in the same channel have different lanes.
TEST(RouteLanes, KeepNetsApart) {
  for (const Topology topology :
       {Topology::kMesh, Topology::kTorus, Topology::kDiagonal, Topology::kExpress}) {
    GridParameters parameters;
    parameters.topology = topology;
    const Grid grid(parameters);
    const DataflowGraph graph = random_graph(1, parameters.units);
    const Mapping mapping = map_graph(graph, grid);
    const RouteLanes lanes(graph, grid, mapping);
    // By direction, channel, place and lane: the net.
    std::map<std::tuple<bool, std::int32_t, std::int32_t, std::uint32_t>, std::uint32_t> owner;
    for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
      for (std::size_t i = 0; i < graph.nodes[node].inputs.size(); ++i) {
        const std::uint32_t net = graph.nodes[node].inputs[i].from;
        for (const RouteRun& run : runs_of(grid, mapping.replicas[0].paths[node][i])) {
          const std::uint32_t lane = lanes.lane(net, run);
          EXPECT_LT(lane, lanes.lanes(run.across, run.channel));
          for (auto place = std::min(run.from, run.to); place <= std::max(run.from, run.to);
               ++place) {
            const auto [known, fresh] =
                owner.try_emplace({run.across, run.channel, place, lane}, net);
            EXPECT_EQ(known->second, net);
          }
        }
      }
    }
  }
}

TEST(RouteLanes, RunsLeadFromSenderToReceiver) {
  GridParameters parameters;
  parameters.topology = Topology::kDiagonal;
  const Grid grid(parameters);
  const DataflowGraph graph = random_graph(2, {16, 16, 6, 16, 8, 8});
  const Mapping mapping = map_graph(graph, grid);
  for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
    for (const auto& path : mapping.replicas[0].paths[node]) {
      const std::vector<RouteRun> runs = runs_of(grid, path);
      ASSERT_FALSE(runs.empty());
      for (std::size_t i = 1; i < runs.size(); ++i) {
        if (runs[i].across == runs[i - 1].across) continue;
        EXPECT_EQ(runs[i].channel, runs[i - 1].to);
        EXPECT_EQ(runs[i].from, runs[i - 1].channel);
      }
    }
  }
}

TEST(MappingDot, PutsNodesWhereTheirUnitsAre) {
  const DataflowGraph graph = chain_graph(2);
  GridParameters parameters;
  parameters.units = {2, 0, 0, 0, 0, 0};
  parameters.module = {.units = parameters.units, .columns = 2, .rows = 1};
  parameters.ports = 1;
  const Grid grid(parameters);
  const std::string dot = mapping_dot(graph, grid, map_graph(graph, grid));
  EXPECT_THAT(dot, HasSubstr("digraph \"chain on the grid\" {\n"));
  EXPECT_THAT(dot, HasSubstr("tooltip=\"threads, port\", pos=\"-90,-30!\"];\n"));
  EXPECT_THAT(dot, HasSubstr("tooltip=\"add.s32, ALU\", pos=\"0,0!\"];\n"));
  EXPECT_THAT(dot, HasSubstr("tooltip=\"add.s32, ALU\", pos=\"90,0!\"];\n"));
  EXPECT_THAT(dot, HasSubstr("  r0n0 -> r0n1 [label=\"1\"];\n"));
}

TEST(MappingText, SaysWhereNodesAreAndHowFarTokensGo) {
  const DataflowGraph graph = chain_graph(2);
  GridParameters parameters;
  parameters.units = {2, 0, 0, 0, 0, 0};
  parameters.module = {.units = parameters.units, .columns = 2, .rows = 1};
  parameters.ports = 1;
  const Grid grid(parameters);
  const std::string text = mapping_text(graph, grid, map_graph(graph, grid));
  EXPECT_THAT(text, testing::StartsWith(
                        "chain on 2 by 1 tiles: 1 copy, 2 links in use, 2 hops in all, the longest "
                        "way 1\n5 cycles from the first token to the last; operands wait 0 at most "
                        "for each other\n\n"));
  EXPECT_THAT(text, testing::ContainsRegex("1 +n1 +add.s32 +ALU +tile \\(0, 0\\) +n0: 1\n"));
  EXPECT_THAT(text, testing::ContainsRegex("1 +n2 +add.s32 +ALU +tile \\(1, 0\\) +n1: 1\n"));
}

}  // namespace
}  // namespace raddle::report
