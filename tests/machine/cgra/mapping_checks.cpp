#include "machine/cgra/mapping_checks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace raddle::machine::cgra {

namespace {

void check_units(const DataflowGraph& graph, const Grid& grid, const Mapping& mapping) {
  std::set<std::uint32_t> taken;
  for (const Replica& replica : mapping.replicas) {
    ASSERT_EQ(replica.unit.size(), graph.nodes.size());
    for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
      const std::uint32_t unit = replica.unit[node];
      if (graph.nodes[node].unit == UnitClass::kPort) {
        ASSERT_LT(unit, grid.ports().size());
        continue;
      }
      ASSERT_LT(unit, grid.units().size());
      EXPECT_EQ(grid.units()[unit].unit_class, graph.nodes[node].unit) << "node " << node;
      EXPECT_TRUE(taken.insert(unit).second) << "unit " << unit << " has two nodes";
    }
  }
}

void check_path(const DataflowGraph& graph, const Grid& grid, const Replica& replica,
                std::size_t node, std::size_t input) {
  const std::uint32_t from = graph.nodes[node].inputs[input].from;
  const auto vertex_of = [&](std::size_t n) {
    return grid.vertex_of(graph.nodes[n].unit, replica.unit[n]);
  };
  // A way of no links is one to the same switch; it counts as a hop through that.
  std::uint32_t here = vertex_of(from);
  for (const std::uint32_t link : replica.paths[node][input]) {
    ASSERT_LT(link, grid.links().size());
    ASSERT_EQ(grid.links()[link].from, here) << "the way to node " << node << " is broken";
    here = grid.links()[link].to;
  }
  EXPECT_EQ(here, vertex_of(node));
  const std::size_t length = replica.paths[node][input].size();
  EXPECT_EQ(replica.hops[node][input], std::max<std::size_t>(length, 1));
}

}  // namespace

void check_mapping(const DataflowGraph& graph, const Grid& grid, const Mapping& mapping) {
  ASSERT_FALSE(mapping.replicas.empty());
  check_units(graph, grid, mapping);
  std::vector<std::size_t> nets(grid.links().size());
  std::uint64_t links_used = 0;
  std::uint64_t total_hops = 0;
  std::uint32_t longest = 0;
  for (const Replica& replica : mapping.replicas) {
    // By node: links of its tree, and how a token comes to a vertex.
    std::vector<std::set<std::uint32_t>> tree(graph.nodes.size());
    std::vector<std::map<std::uint32_t, std::uint32_t>> came_by(graph.nodes.size());
    ASSERT_EQ(replica.hops.size(), graph.nodes.size());
    ASSERT_EQ(replica.paths.size(), graph.nodes.size());
    for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
      ASSERT_EQ(replica.paths[node].size(), graph.nodes[node].inputs.size());
      ASSERT_EQ(replica.hops[node].size(), graph.nodes[node].inputs.size());
      for (std::size_t input = 0; input < replica.paths[node].size(); ++input) {
        check_path(graph, grid, replica, node, input);
        const std::uint32_t from = graph.nodes[node].inputs[input].from;
        for (const std::uint32_t link : replica.paths[node][input]) {
          tree[from].insert(link);
          const auto [known, fresh] = came_by[from].try_emplace(grid.links()[link].to, link);
          EXPECT_EQ(known->second, link) << "two ways of a net meet again";
        }
        total_hops += replica.hops[node][input];
        longest = std::max(longest, replica.hops[node][input]);
      }
    }
    for (const auto& links : tree) {
      links_used += links.size();
      for (const std::uint32_t link : links) ++nets[link];
    }
  }
  EXPECT_LE(*std::max_element(nets.begin(), nets.end()), grid.parameters().tracks);
  EXPECT_EQ(mapping.links_used, links_used);
  EXPECT_EQ(mapping.total_hops, total_hops);
  EXPECT_EQ(mapping.longest_route, longest);
}

Mapping checked_mapping(const DataflowGraph& graph, const GridParameters& parameters) {
  const Grid grid(parameters);
  Mapping mapping = map_graph(graph, grid);
  check_mapping(graph, grid, mapping);
  return mapping;
}

}  // namespace raddle::machine::cgra
