// The part of a grid that a mapping may use: units to choose from, ports, and a rectangle of
// switches to route through. A mapping is sought on several parts of a grid; which ones depends on
// the graph and on the pattern of units alone, never on the size of the grid, as long as the grid
// has them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "machine/cgra/map/grid.h"

namespace raddle::machine::cgra {

struct SubGrid {
  std::uint32_t columns = 0;
  std::uint32_t rows = 0;
  std::array<std::vector<std::uint32_t>, kUnitClasses> units;  // indices of the grid's units
  std::vector<std::uint32_t> ports;                            // of the grid's ports
  bool operator==(const SubGrid&) const = default;

  bool has_vertex(const Grid& grid, std::uint32_t vertex) const;
};

// Parts of the grid that have so many units, which the grid must have. Smaller ones come first.
std::vector<SubGrid> sub_grids_for(const Grid& grid, const UnitCounts& needed);

// Links on the shortest way between any two vertices of a part of a grid.
class Distances {
 public:
  Distances(const Grid& grid, const SubGrid& part);
  std::uint32_t between(std::uint32_t from, std::uint32_t to) const {
    return distance_[std::size_t{from} * vertices_ + to];
  }

 private:
  std::uint32_t vertices_;
  std::vector<std::uint16_t> distance_;
};

}  // namespace raddle::machine::cgra
