#include "machine/cgra/map/grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.h"

namespace raddle::machine::cgra {

namespace {

constexpr std::array kTopologies{Topology::kMesh, Topology::kTorus, Topology::kDiagonal,
                                 Topology::kExpress};

struct Step {
  std::int32_t right;
  std::int32_t down;
};

std::span<const Step> steps_of(Topology topology) {
  static constexpr std::array<Step, 12> kSteps{{{1, 0},
                                                {0, 1},
                                                {-1, 0},
                                                {0, -1},
                                                {1, 1},
                                                {-1, 1},
                                                {-1, -1},
                                                {1, -1},
                                                {2, 0},
                                                {0, 2},
                                                {-2, 0},
                                                {0, -2}}};
  static constexpr std::array<Step, 8> kExpressSteps{
      {{1, 0}, {0, 1}, {-1, 0}, {0, -1}, {2, 0}, {0, 2}, {-2, 0}, {0, -2}}};
  switch (topology) {
    case Topology::kMesh:
    case Topology::kTorus: return std::span(kSteps).first(4);
    case Topology::kDiagonal: return std::span(kSteps).first(8);
    case Topology::kExpress: return kExpressSteps;
  }
  return {};
}

// Whether the tile in this place along an edge has one of the `ports` ports that lie evenly along
// so many tiles, the first of them in the corner.
bool has_port(std::uint32_t place, std::uint32_t tiles, std::uint32_t ports) {
  place %= tiles;
  for (std::uint32_t i = 0; i < ports; ++i) {
    if (i * tiles / ports == place) return true;
  }
  return false;
}

}  // namespace

std::string_view name_of(Topology topology) {
  switch (topology) {
    case Topology::kMesh: return "mesh";
    case Topology::kTorus: return "torus";
    case Topology::kDiagonal: return "diagonal";
    case Topology::kExpress: return "express";
  }
  return "?";
}

std::optional<Topology> topology_of(std::string_view name) {
  for (const Topology topology : kTopologies) {
    if (name == name_of(topology)) return topology;
  }
  return std::nullopt;
}

Grid::Grid(const GridParameters& parameters)
    : parameters_(parameters), pattern_(parameters.module) {
  if (sum_of(parameters_.units) == 0) throw Error("a grid needs at least one unit");
  if (parameters_.tracks == 0) throw Error("a link needs at least one track");
  if (parameters_.hop_cycles == Cycle(0)) throw Error("grid.hop_cycles must be at least 1");
  if (parameters_.effort == 0) throw Error("grid.effort must be at least 1 percent");
  const std::uint32_t size = pattern_.size_for(parameters_.units);
  columns_ = pattern_.columns_of(size);
  rows_ = pattern_.rows_of(size);
  make_units();
  make_ports();
  make_links();
}

void Grid::make_units() {
  // Of every class the first in the order in which grids grow.
  std::vector<std::uint32_t> order(tiles());
  for (std::uint32_t tile = 0; tile < tiles(); ++tile) order[tile] = tile;
  std::stable_sort(order.begin(), order.end(), [this](std::uint32_t a, std::uint32_t b) {
    return pattern_.size_of(column_of(a), row_of(a)) < pattern_.size_of(column_of(b), row_of(b));
  });
  UnitCounts left = parameters_.units;
  for (const std::uint32_t tile : order) {
    const auto unit = pattern_.at(column_of(tile), row_of(tile));
    if (!unit || left[static_cast<std::size_t>(*unit)] == 0) continue;
    --left[static_cast<std::size_t>(*unit)];
    units_.push_back({*unit, tile});
  }
  std::sort(units_.begin(), units_.end(),
            [](const Unit& a, const Unit& b) { return a.tile < b.tile; });
}

void Grid::make_ports() {
  const std::uint32_t left = (parameters_.ports + 1) / 2;
  const std::uint32_t upper = parameters_.ports / 2;
  if (left == 0 || left > pattern_.module_rows() || upper > pattern_.module_columns()) {
    throw Error(
        fmt::format("a module of {} by {} tiles cannot have {} ports", pattern_.module_columns(),
                    pattern_.module_rows(), parameters_.ports),
        {},
        "every other port is at the left edge, the others at the upper one; at most one a tile");
  }
  for (std::uint32_t row = 0; row < rows_; ++row) {
    if (has_port(row, pattern_.module_rows(), left))
      ports_.push_back({Edge::kLeft, row * columns_});
  }
  for (std::uint32_t column = 0; column < columns_; ++column) {
    if (has_port(column, pattern_.module_columns(), upper))
      ports_.push_back({Edge::kUpper, column});
  }
}

void Grid::make_links() {
  const auto wrapped = [](std::int64_t place, std::uint32_t size) {
    return static_cast<std::uint32_t>((place + size) % size);
  };
  first_link_.push_back(0);
  const auto close_vertex = [this] {
    first_link_.push_back(static_cast<std::uint32_t>(links_.size()));
  };
  for (std::uint32_t tile = 0; tile < tiles(); ++tile) {
    for (const Step& step : steps_of(parameters_.topology)) {
      const std::int64_t column = std::int64_t{column_of(tile)} + step.right;
      const std::int64_t row = std::int64_t{row_of(tile)} + step.down;
      const bool inside = column >= 0 && column < columns_ && row >= 0 && row < rows_;
      if (!inside && parameters_.topology != Topology::kTorus) continue;
      const std::uint32_t to = wrapped(row, rows_) * columns_ + wrapped(column, columns_);
      // A ring of one has no links, a ring of two no second link between its tiles.
      const bool known = std::any_of(links_.begin() + first_link_.back(), links_.end(),
                                     [to](const Link& link) { return link.to == to; });
      if (to != tile && !known) links_.push_back({tile, to});
    }
    for (std::uint32_t i = 0; i < ports_.size(); ++i) {
      if (ports_[i].tile == tile) links_.push_back({tile, tiles() + i});
    }
    close_vertex();
  }
  for (std::uint32_t i = 0; i < ports_.size(); ++i) {
    links_.push_back({tiles() + i, ports_[i].tile});
    close_vertex();
  }
}

std::string Grid::describe_vertex(std::uint32_t vertex) const {
  if (is_port(vertex)) return fmt::format("port {}", vertex - tiles());
  return fmt::format("tile ({}, {})", column_of(vertex), row_of(vertex));
}

}  // namespace raddle::machine::cgra
