#include "report/fabric/layered_layout.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace raddle::report {
namespace {

constexpr LayeredNode kBox{60, 20};

LayeredGraph random_layers(std::uint64_t seed, std::uint32_t nodes) {
  std::mt19937_64 random(seed);
  LayeredGraph graph;
  for (std::uint32_t i = 0; i < nodes; ++i) {
    graph.nodes.push_back({40 + static_cast<double>(random() % 60), 20});
    for (std::uint64_t j = random() % 3; i > 0 && j > 0; --j) {
      const auto from = static_cast<std::uint32_t>(random() % i);
      graph.edges.push_back({from, i, from});
    }
  }
  return graph;
}

TEST(LayeredLayout, LeadsEveryEdgeDownwards) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const LayeredGraph graph = random_layers(seed, 60);
    const LayeredLayout layout = lay_out(graph);
    ASSERT_EQ(layout.lines.size(), graph.edges.size());
    for (std::size_t edge = 0; edge < graph.edges.size(); ++edge) {
      const auto& line = layout.lines[edge];
      const Point from = layout.centres[graph.edges[edge].from];
      const Point to = layout.centres[graph.edges[edge].to];
      EXPECT_EQ(line.front(), (Point{from.x, from.y + 10}));
      EXPECT_EQ(line.back(), (Point{to.x, to.y - 10}));
      for (std::size_t i = 1; i < line.size(); ++i) EXPECT_GT(line[i].y, line[i - 1].y);
      EXPECT_LT(layout.shared[edge], line.size());
    }
  }
}

TEST(LayeredLayout, KeepsBoxesAndLinesApart) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const LayeredGraph graph = random_layers(seed, 60);
    const LayeredLayout layout = lay_out(graph);
    for (std::size_t a = 0; a < graph.nodes.size(); ++a) {
      const Point& here = layout.centres[a];
      EXPECT_GE(here.x - graph.nodes[a].width / 2, -1e-6);
      EXPECT_LE(here.x + graph.nodes[a].width / 2, layout.width + 1e-6);
      EXPECT_LE(here.y + 10, layout.height + 1e-6);
      for (std::size_t b = a + 1; b < graph.nodes.size(); ++b) {
        const bool beside =
            std::abs(here.x - layout.centres[b].x) >=
            (graph.nodes[a].width + graph.nodes[b].width) / 2 + graph.node_gap - 1e-6;
        const bool above = std::abs(here.y - layout.centres[b].y) >= 20 + graph.layer_gap - 1e-6;
        EXPECT_TRUE(beside || above) << a << " and " << b;
      }
      for (const auto& line : layout.lines) {
        for (std::size_t i = 1; i + 1 < line.size(); ++i) {
          EXPECT_TRUE(std::abs(line[i].y - here.y) > 10 + 1e-6 ||
                      std::abs(line[i].x - here.x) > graph.nodes[a].width / 2)
              << "a line goes through box " << a;
        }
      }
    }
  }
}

TEST(LayeredLayout, DrawsAChainStraight) {
  LayeredGraph graph{.nodes = {kBox, kBox, kBox}, .edges = {{0, 1, 0}, {1, 2, 1}}};
  const LayeredLayout layout = lay_out(graph);
  EXPECT_DOUBLE_EQ(layout.width, 60);
  EXPECT_DOUBLE_EQ(layout.height, 3 * 20 + 2 * graph.layer_gap);
  for (const Point& centre : layout.centres) EXPECT_DOUBLE_EQ(centre.x, 30);
}

TEST(LayeredLayout, UncrossesWhatCanBe) {
  // Two chains whose nodes are numbered crosswise.
  LayeredGraph graph{.nodes = {kBox, kBox, kBox, kBox, kBox, kBox},
                     .edges = {{0, 3, 0}, {1, 2, 1}, {3, 4, 3}, {2, 5, 2}}};
  const LayeredLayout layout = lay_out(graph);
  const bool first_left = layout.centres[0].x < layout.centres[1].x;
  EXPECT_EQ(layout.centres[3].x < layout.centres[2].x, first_left);
  EXPECT_EQ(layout.centres[4].x < layout.centres[5].x, first_left);
}

TEST(LayeredLayout, TakesNoMoreIntoALayerThanAllowed) {
  LayeredGraph graph;
  graph.nodes.assign(31, kBox);
  for (std::uint32_t i = 1; i <= 30; ++i) graph.edges.push_back({0, i, 0});
  graph.most_in_layer = 7;
  const LayeredLayout layout = lay_out(graph);
  std::map<double, int> in_layer;
  for (const Point& centre : layout.centres) ++in_layer[centre.y];
  EXPECT_EQ(in_layer.size(), 6u);
  for (const auto& [y, nodes] : in_layer) EXPECT_LE(nodes, 7);
}

TEST(LayeredLayout, LetsEdgesOfABundleRunTogether) {
  // 0 → 1 → 2 → 3, and 0 to 2 and to 3 past the others.
  LayeredGraph graph{.nodes = {kBox, kBox, kBox, kBox},
                     .edges = {{0, 1, 0}, {1, 2, 1}, {2, 3, 2}, {0, 2, 0}, {0, 3, 0}}};
  const LayeredLayout layout = lay_out(graph);
  EXPECT_EQ(layout.shared[3], 0u);
  EXPECT_EQ(layout.shared[4], 3u) << "its start and the two points beside node 1";
  EXPECT_TRUE(
      std::equal(layout.lines[4].begin(), layout.lines[4].begin() + 3, layout.lines[3].begin()));
}

TEST(LayeredLayout, TakesAnEmptyGraph) {
  const LayeredLayout layout = lay_out({});
  EXPECT_EQ(layout.width, 0);
  EXPECT_EQ(layout.height, 0);
}

}  // namespace
}  // namespace raddle::report
