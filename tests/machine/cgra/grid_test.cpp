#include "machine/cgra/map/grid.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/error.h"

namespace raddle::machine::cgra {
namespace {

GridParameters tiny(const UnitCounts& units) {
  GridParameters parameters;
  parameters.units = units;
  parameters.module = {.units = units, .columns = 0, .rows = 0};
  parameters.ports = 1;
  return parameters;
}

std::map<std::uint32_t, UnitClass> classes_by_place(const Grid& grid) {
  std::map<std::uint32_t, UnitClass> classes;
  for (const Unit& unit : grid.units())
    classes[grid.row_of(unit.tile) * 1000 + grid.column_of(unit.tile)] = unit.unit_class;
  return classes;
}

std::string message_of(const GridParameters& parameters) {
  try {
    const Grid grid(parameters);
  } catch (const Error& error) {
    return error.full_text();
  }
  return "no error";
}

TEST(Grid, HasThePapersUnitsOnTilesWithoutGaps) {
  const Grid grid(GridParameters{});
  EXPECT_EQ(grid.columns(), 14u);
  EXPECT_EQ(grid.rows(), 10u);
  EXPECT_EQ(grid.units().size(), 140u);
  EXPECT_EQ(grid.ports().size(), 8u);
  std::map<UnitClass, std::uint32_t> counts;
  std::set<std::uint32_t> tiles;
  for (const Unit& unit : grid.units()) {
    ++counts[unit.unit_class];
    EXPECT_TRUE(tiles.insert(unit.tile).second);
  }
  for (const auto& [unit, count] : counts) EXPECT_EQ(count, grid.unit_count(unit));
}

TEST(Grid, HasSomeUnitOfEveryClassNearEveryTile) {
  const Grid grid(GridParameters{});
  for (std::uint32_t tile = 0; tile < grid.tiles(); ++tile) {
    std::map<UnitClass, std::uint32_t> nearest;
    for (const Unit& unit : grid.units()) {
      const auto apart = [](std::uint32_t a, std::uint32_t b) { return a < b ? b - a : a - b; };
      const std::uint32_t distance = apart(grid.column_of(tile), grid.column_of(unit.tile)) +
                                     apart(grid.row_of(tile), grid.row_of(unit.tile));
      auto [known, fresh] = nearest.try_emplace(unit.unit_class, distance);
      known->second = std::min(known->second, distance);
    }
    for (const auto& [unit, distance] : nearest)
      EXPECT_LE(distance, unit == UnitClass::kSpecial ? 5u : 4u) << name_of(unit);
  }
}

TEST(Grid, ContinuesASmallerGridInTheSamePattern) {
  const UnitCounts table2{32, 32, 12, 32, 16, 16};
  for (std::size_t c = 0; c < kUnitClasses; ++c) {
    GridParameters parameters;
    parameters.units = {7, 9, 3, 30, 4, 11};
    const auto smaller = classes_by_place(Grid(parameters));
    parameters.units = table2;
    parameters.units[c] *= 3;
    const auto larger = classes_by_place(Grid(parameters));
    for (const auto& [place, unit] : smaller) {
      ASSERT_TRUE(larger.contains(place));
      EXPECT_EQ(larger.at(place), unit);
    }
  }
}

TEST(Grid, LinksNeighboursAsTheTopologySays) {
  const auto reach = [](Topology topology, std::uint32_t tile) {
    GridParameters parameters = tiny({25, 0, 0, 0, 0, 0});
    parameters.topology = topology;
    const Grid grid(parameters);
    std::set<std::uint32_t> reached;
    for (std::uint32_t link = grid.first_link(tile); link < grid.first_link(tile + 1); ++link) {
      EXPECT_EQ(grid.links()[link].from, tile);
      if (!grid.is_port(grid.links()[link].to)) reached.insert(grid.links()[link].to);
    }
    return reached;
  };
  using Tiles = std::set<std::uint32_t>;
  EXPECT_EQ(reach(Topology::kMesh, 12), (Tiles{7, 11, 13, 17}));
  EXPECT_EQ(reach(Topology::kMesh, 0), (Tiles{1, 5}));
  EXPECT_EQ(reach(Topology::kTorus, 0), (Tiles{1, 4, 5, 20}));
  EXPECT_EQ(reach(Topology::kDiagonal, 12), (Tiles{6, 7, 8, 11, 13, 16, 17, 18}));
  EXPECT_EQ(reach(Topology::kExpress, 12), (Tiles{2, 7, 10, 11, 13, 14, 17, 22}));
  EXPECT_EQ(reach(Topology::kExpress, 0), (Tiles{1, 2, 5, 10}));
}

TEST(Grid, ConnectsPortsBothWays) {
  const Grid grid(GridParameters{});
  for (std::uint32_t port = 0; port < grid.ports().size(); ++port) {
    const std::uint32_t vertex = grid.vertex_of(UnitClass::kPort, port);
    ASSERT_EQ(grid.first_link(vertex + 1) - grid.first_link(vertex), 1u);
    EXPECT_EQ(grid.links()[grid.first_link(vertex)].to, grid.ports()[port].tile);
    const auto links = grid.links();
    EXPECT_EQ(std::count_if(links.begin(), links.end(),
                            [&](const Link& link) { return link.to == vertex; }),
              1);
  }
  EXPECT_EQ(grid.describe_vertex(grid.tiles() + 3), "port 3");
  EXPECT_EQ(grid.describe_vertex(14 + 2), "tile (2, 1)");
}

TEST(Grid, WorksForAnyCounts) {
  for (const std::uint32_t units : {1u, 2u, 3u, 4u, 7u, 13u, 97u, 500u}) {
    const Grid grid(tiny({units, 1, 0, 2, 0, 0}));
    EXPECT_EQ(grid.units().size(), units + 3);
    EXPECT_GE(grid.tiles(), units + 3);
    EXPECT_LE(grid.columns(), 2 * grid.rows() + 2) << units;
  }
}

TEST(Grid, KnowsTopologiesAndArrangementsByName) {
  for (const Topology topology :
       {Topology::kMesh, Topology::kTorus, Topology::kDiagonal, Topology::kExpress})
    EXPECT_EQ(topology_of(name_of(topology)), topology);
  EXPECT_EQ(topology_of("ring"), std::nullopt);
  EXPECT_EQ(arrangement_of("bands"), Arrangement::kBands);
  EXPECT_EQ(arrangement_of("interleaved"), Arrangement::kInterleaved);
  EXPECT_EQ(arrangement_of("rows"), std::nullopt);
}

TEST(Grid, RefusesWhatCannotBe) {
  GridParameters parameters;
  parameters.tracks = 0;
  EXPECT_EQ(message_of(parameters), "a link needs at least one track");
  parameters = {};
  parameters.hop_cycles = Cycle(0);
  EXPECT_EQ(message_of(parameters), "grid.hop_cycles must be at least 1");
  parameters = {};
  parameters.effort = 0;
  EXPECT_EQ(message_of(parameters), "grid.effort must be at least 1 percent");
  parameters = {};
  parameters.units = {};
  EXPECT_EQ(message_of(parameters), "a grid needs at least one unit");
  parameters = {};
  parameters.module.units = {};
  EXPECT_EQ(message_of(parameters), "a grid has 1 to 4096 units, not 0");
  parameters = {};
  parameters.module.columns = 13;
  EXPECT_EQ(message_of(parameters),
            "13 by 10 tiles cannot hold 140 units\nhint: from 140 to 4096 tiles can");
  parameters = {};
  parameters.module.units[1] = 0;
  EXPECT_EQ(message_of(parameters),
            "the grid's module has no FPU units, but the grid needs 32\nhint: give the module at "
            "least one unit of every class");
  parameters = {};
  parameters.units[0] = 2000;
  EXPECT_EQ(message_of(parameters),
            "a grid of more than 4096 tiles is needed for so many units\nhint: use fewer units, or "
            "a module in their proportions");
  for (const std::uint32_t ports : {0u, 21u}) {
    parameters = {};
    parameters.ports = ports;
    EXPECT_EQ(message_of(parameters),
              "a module of 14 by 10 tiles cannot have " + std::to_string(ports) +
                  " ports\nhint: every other port is at the left edge, the others at the upper "
                  "one; at most one a tile");
  }
}

}  // namespace
}  // namespace raddle::machine::cgra
