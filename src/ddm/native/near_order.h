// An order of a tile's cells in which those that follow each other lie near each other, in every
// dimension alike: halves of halves (Morton's order). Instances near each other mostly use the same
// data, whatever the size of the cache.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "raddle/ddm/index.h"

namespace raddle::ddm::native {

class NearOrder {
 public:
  constexpr NearOrder() {
    for (int dimensions = 0; dimensions <= kMaxDimensions; ++dimensions) {
      for (unsigned cell = 0; cell < kCells; ++cell)
        cells_[dimensions][place_of(kTileShapes[dimensions], cell)] =
            static_cast<std::uint8_t>(cell);
    }
  }

  // The first of some cells of a tile.
  [[nodiscard]] std::uint64_t first_of(int dimensions, std::uint64_t cells) const {
    for (const auto cell : cells_[dimensions]) {
      const auto bit = std::uint64_t{1} << cell;
      if ((cells & bit) != 0) return bit;
    }
    return 0;
  }

 private:
  static constexpr unsigned kCells = 64;

  // The outermost index changes fastest: what an iteration has used, the next one mostly uses.
  static constexpr unsigned place_of(const TileShape& shape, unsigned cell) {
    const Coordinates at = shape.coordinates(cell);
    unsigned place = 0;
    for (int bit = 5; bit >= 0; --bit) {
      for (const int dimension : {1, 2, 0}) {
        if (bit < shape.bits[dimension]) place = place << 1 | (at[dimension] >> bit & 1U);
      }
    }
    return place;
  }

  std::array<std::array<std::uint8_t, kCells>, kMaxDimensions + 1> cells_{};
};
inline constexpr NearOrder kNearOrder;

}  // namespace raddle::ddm::native
