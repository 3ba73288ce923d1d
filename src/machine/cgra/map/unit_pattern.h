// Where units of each class lie: a pattern that fills the plane, of which a grid takes a piece at
// the upper left. The pattern repeats a module (by default the 140 units of dmt-cgra, Table 2, on
// 14 by 10 tiles) and does not depend on the size of the grid. So a larger grid continues a smaller
// one and has all its units in the same places, which is what makes mappings on both comparable
// (mapping.h).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "machine/cgra/compile/dataflow_graph.h"

namespace raddle::machine::cgra {

using UnitCounts = std::array<std::uint32_t, kUnitClasses>;  // by class
std::uint32_t sum_of(const UnitCounts& counts);

enum class Arrangement : std::uint8_t {
  // Every class is spread evenly, so that from any tile some unit of every class is near. An
  // annealed placement is some 30% shorter than in bands (docs/machines/dmt-cgra-mapping.md).
  kInterleaved,
  kBands,  // columns of one class each
};
std::string_view name_of(Arrangement arrangement);
std::optional<Arrangement> arrangement_of(std::string_view name);

struct UnitModule {
  UnitCounts units{32, 32, 12, 32, 16, 16};
  // Room for all units; tiles too many have a switch and no unit. 0 and 0: chosen.
  std::uint32_t columns = 14;
  std::uint32_t rows = 10;
  Arrangement arrangement = Arrangement::kInterleaved;
};

class UnitPattern {
 public:
  // Throws Error where the units do not fit.
  explicit UnitPattern(const UnitModule& module);

  std::uint32_t module_columns() const { return columns_; }
  std::uint32_t module_rows() const { return rows_; }
  std::optional<UnitClass> at(std::uint32_t column, std::uint32_t row) const;

  // Grids grow in rectangles that keep the proportions of the module: size s has the tiles of
  // columns_of(s) by rows_of(s), and size_of is the smallest that has the tile.
  std::uint32_t size_of(std::uint32_t column, std::uint32_t row) const;
  std::uint32_t columns_of(std::uint32_t size) const { return size / rows_; }
  std::uint32_t rows_of(std::uint32_t size) const { return size / columns_; }
  // The smallest size that has so many units of every class. Throws Error for a class that the
  // module does not have.
  std::uint32_t size_for(const UnitCounts& units) const;
  UnitCounts units_within(std::uint32_t size) const;

 private:
  std::uint32_t step_for_short_wires() const;
  std::uint64_t distance_sum(std::uint32_t step) const;

  std::uint32_t columns_;
  std::uint32_t rows_;
  Arrangement arrangement_;
  std::vector<std::optional<UnitClass>> by_rank_;  // of every tile of the module
  std::uint32_t step_ = 1;
};

}  // namespace raddle::machine::cgra
