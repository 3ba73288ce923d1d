#include "machine/cgra/map/sub_grid.h"

#include <algorithm>
#include <limits>

namespace raddle::machine::cgra {

namespace {

// Percent of the lengths of the smallest part that has enough units: room to choose units nearer to
// each other, without a search space in which annealing finds less.
constexpr std::array<std::uint32_t, 3> kSizePercent{100, 120, 145};

// The switches, ports and, of classes that are needed, at most `limit` units of a rectangle.
SubGrid part_of(const Grid& grid, std::uint32_t size, const UnitCounts& needed,
                const UnitCounts& limit) {
  const UnitPattern& pattern = grid.pattern();
  SubGrid part{.columns = std::min(grid.columns(), pattern.columns_of(size)),
               .rows = std::min(grid.rows(), pattern.rows_of(size)),
               .units = {},
               .ports = {}};
  for (std::uint32_t i = 0; i < grid.units().size(); ++i) {
    const auto unit_class = static_cast<std::size_t>(grid.units()[i].unit_class);
    if (needed[unit_class] > 0 && part.has_vertex(grid, grid.units()[i].tile))
      part.units[unit_class].push_back(i);
  }
  for (std::size_t c = 0; c < kUnitClasses; ++c) {
    auto& units = part.units[c];
    if (units.size() <= limit[c]) continue;
    // In the order in which grids grow, as Grid takes them.
    std::stable_sort(units.begin(), units.end(), [&](std::uint32_t a, std::uint32_t b) {
      const auto size_of = [&](std::uint32_t unit) {
        const std::uint32_t tile = grid.units()[unit].tile;
        return pattern.size_of(grid.column_of(tile), grid.row_of(tile));
      };
      return size_of(a) < size_of(b);
    });
    units.resize(limit[c]);
    std::sort(units.begin(), units.end());
  }
  for (std::uint32_t i = 0; i < grid.ports().size(); ++i) {
    if (part.has_vertex(grid, grid.ports()[i].tile)) part.ports.push_back(i);
  }
  return part;
}

UnitCounts unlimited() {
  UnitCounts counts;
  counts.fill(std::numeric_limits<std::uint32_t>::max());
  return counts;
}

}  // namespace

bool SubGrid::has_vertex(const Grid& grid, std::uint32_t vertex) const {
  if (grid.is_port(vertex)) vertex = grid.ports()[vertex - grid.tiles()].tile;
  return grid.column_of(vertex) < columns && grid.row_of(vertex) < rows;
}

std::vector<SubGrid> sub_grids_for(const Grid& grid, const UnitCounts& needed) {
  const UnitPattern& pattern = grid.pattern();
  // The rings of a torus go through all of it: no part of it is a torus.
  if (grid.parameters().topology == Topology::kTorus) {
    const std::uint32_t whole = pattern.size_of(grid.columns() - 1, grid.rows() - 1);
    return {part_of(grid, whole, needed, unlimited())};
  }
  const std::uint32_t least = pattern.size_for(needed);
  // Any grid that has the units at all has this part.
  std::vector<SubGrid> parts{part_of(grid, least, needed, needed)};
  for (const std::uint32_t percent : kSizePercent) {
    const std::uint32_t size = least * percent / 100;
    const UnitCounts within = pattern.units_within(size);
    bool has_all =
        pattern.columns_of(size) <= grid.columns() && pattern.rows_of(size) <= grid.rows();
    for (std::size_t c = 0; c < kUnitClasses; ++c)
      has_all = has_all && (needed[c] == 0 || within[c] <= grid.parameters().units[c]);
    if (!has_all) continue;
    SubGrid part = part_of(grid, size, needed, unlimited());
    if (std::find(parts.begin(), parts.end(), part) == parts.end())
      parts.push_back(std::move(part));
  }
  return parts;
}

Distances::Distances(const Grid& grid, const SubGrid& part) : vertices_(grid.vertices()) {
  constexpr std::uint16_t kUnreached = std::numeric_limits<std::uint16_t>::max();
  distance_.assign(std::size_t{vertices_} * vertices_, kUnreached);
  std::vector<std::uint32_t> queue;
  for (std::uint32_t start = 0; start < vertices_; ++start) {
    if (!part.has_vertex(grid, start)) continue;
    std::uint16_t* const distance = &distance_[std::size_t{start} * vertices_];
    distance[start] = 0;
    queue.assign(1, start);
    for (std::size_t next = 0; next < queue.size(); ++next) {
      const std::uint32_t vertex = queue[next];
      // Ports are no way through.
      if (grid.is_port(vertex) && vertex != start) continue;
      for (std::uint32_t l = grid.first_link(vertex); l < grid.first_link(vertex + 1); ++l) {
        const std::uint32_t to = grid.links()[l].to;
        if (distance[to] != kUnreached || !part.has_vertex(grid, to)) continue;
        distance[to] = static_cast<std::uint16_t>(distance[vertex] + 1);
        queue.push_back(to);
      }
    }
  }
}

}  // namespace raddle::machine::cgra
