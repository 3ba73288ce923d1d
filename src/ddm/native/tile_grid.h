// The instances of one thread in one context, in tiles of at most 64 (see TileShape): sets of
// instances are bit masks, and moving a set by an offset is a few shifts.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "raddle/ddm/graph.h"
#include "raddle/ddm/index.h"

namespace raddle::ddm::native {

// lanes_below(dimensions, d, n): the cells of a tile whose coordinate in dimension d is less than
// n.
constexpr std::uint64_t lanes_below(int dimensions, int dimension, std::size_t n) {
  const TileShape& shape = kTileShapes[dimensions];
  std::uint64_t mask = 0;
  for (unsigned cell = 0; cell < 64; ++cell) {
    if (cell >> (shape.bits[0] + shape.bits[1] + shape.bits[2]) != 0) break;
    if (shape.coordinates(cell)[dimension] < n) mask |= std::uint64_t{1} << cell;
  }
  return mask;
}

struct LaneTable {
  std::uint64_t below[kMaxDimensions + 1][kMaxDimensions][65];
  constexpr LaneTable() : below{} {
    for (int dimensions = 0; dimensions <= kMaxDimensions; ++dimensions) {
      for (int dimension = 0; dimension < kMaxDimensions; ++dimension) {
        for (std::size_t n = 0; n <= kTileShapes[dimensions].width(dimension); ++n) {
          below[dimensions][dimension][n] = lanes_below(dimensions, dimension, n);
        }
      }
    }
  }
};
inline constexpr LaneTable kLanes;

// How many cells a mask has. The portable instruction set has no instruction for it, and one cell
// is the common case.
inline unsigned count_cells(std::uint64_t cells) {
  if ((cells & (cells - 1)) == 0) return cells != 0 ? 1 : 0;
  cells -= cells >> 1 & 0x5555555555555555;
  cells = (cells & 0x3333333333333333) + (cells >> 2 & 0x3333333333333333);
  cells = (cells + (cells >> 4)) & 0x0f0f0f0f0f0f0f0f;
  return static_cast<unsigned>(cells * 0x0101010101010101 >> 56);
}

using TilePosition = std::array<std::uint32_t, kMaxDimensions>;

class TileGrid {
 public:
  TileGrid() = default;
  TileGrid(int dimensions, const Extents& extents) : extents_(extents), dimensions_(dimensions) {
    for (int i = 0; i < kMaxDimensions; ++i) {
      const auto width = shape().width(i);
      tiles_[i] = static_cast<std::uint32_t>((extents.size[i] + width - 1) / width);
      full_tiles_[i] = static_cast<std::uint32_t>(extents.size[i] / width);
    }
    every_cell_ = kLanes.below[dimensions][2][shape().width(2)];
  }

  [[nodiscard]] const Extents& extents() const { return extents_; }
  [[nodiscard]] int dimensions() const { return dimensions_; }
  [[nodiscard]] const TileShape& shape() const { return kTileShapes[dimensions_]; }
  [[nodiscard]] std::uint32_t tiles() const { return tiles_[0] * tiles_[1] * tiles_[2]; }

  // Cells of a tile, existing or not.
  [[nodiscard]] std::size_t cells_per_tile() const {
    return std::size_t{1} << (shape().bits[0] + shape().bits[1] + shape().bits[2]);
  }

  [[nodiscard]] TilePosition position(std::uint32_t tile) const {
    if (dimensions_ <= 1) return {0, 0, tile};
    const std::uint32_t row = tile / tiles_[2];
    if (dimensions_ == 2) return {0, row, tile - row * tiles_[2]};
    return {row / tiles_[1], row % tiles_[1], tile - row * tiles_[2]};
  }
  [[nodiscard]] std::uint32_t tile(const TilePosition& at) const {
    return (at[0] * tiles_[1] + at[1]) * tiles_[2] + at[2];
  }
  [[nodiscard]] bool contains(const TilePosition& at) const {
    return at[0] < tiles_[0] && at[1] < tiles_[1] && at[2] < tiles_[2];
  }
  [[nodiscard]] Coordinates origin(const TilePosition& at) const {
    return {std::size_t{at[0]} << shape().bits[0], std::size_t{at[1]} << shape().bits[1],
            std::size_t{at[2]} << shape().bits[2]};
  }
  // The cells of a tile that lie within the extents.
  [[nodiscard]] std::uint64_t in_range(const TilePosition& at) const {
    if (at[0] < full_tiles_[0] && at[1] < full_tiles_[1] && at[2] < full_tiles_[2])
      return every_cell_;
    std::uint64_t mask = every_cell_;
    for (int i = 0; i < kMaxDimensions; ++i) {
      const std::size_t first = std::size_t{at[i]} << shape().bits[i];
      const std::size_t width = shape().width(i);
      const std::size_t here = extents_.size[i] - first;
      if (here < width) mask &= kLanes.below[dimensions_][i][here];
    }
    return mask;
  }

  [[nodiscard]] Coordinates coordinates(const TilePosition& tile, unsigned cell) const {
    const Coordinates base = origin(tile);
    const Coordinates in_tile = shape().coordinates(cell);
    return {base[0] + in_tile[0], base[1] + in_tile[1], base[2] + in_tile[2]};
  }
  // Tile and cell of an index.
  [[nodiscard]] std::uint32_t tile_of(const Coordinates& at) const {
    return tile({static_cast<std::uint32_t>(at[0] >> shape().bits[0]),
                 static_cast<std::uint32_t>(at[1] >> shape().bits[1]),
                 static_cast<std::uint32_t>(at[2] >> shape().bits[2])});
  }
  [[nodiscard]] unsigned cell_of(const Coordinates& at) const {
    unsigned cell = 0;
    for (int i = 0; i < kMaxDimensions; ++i) {
      cell += static_cast<unsigned>(at[i] & (shape().width(i) - 1)) *
              static_cast<unsigned>(shape().stride(i));
    }
    return cell;
  }
  // Tile and cell of a slot: cells of all tiles are numbered through.
  [[nodiscard]] std::pair<std::uint32_t, unsigned> of_slot(std::uint32_t slot) const {
    const int bits = shape().bits[0] + shape().bits[1] + shape().bits[2];
    return {slot >> bits, slot & ((1U << bits) - 1)};
  }

 private:
  Extents extents_;
  int dimensions_ = 0;
  TilePosition tiles_{1, 1, 1};
  TilePosition full_tiles_{0, 0, 0};  // not cut short by the extents
  std::uint64_t every_cell_ = 1;
};

// An offset between instances, split into whole tiles and cells within a tile.
class TileOffset {
 public:
  TileOffset() = default;
  TileOffset(int dimensions, const Distance& offset) : dimensions_(dimensions) {
    for (int i = 0; i < kMaxDimensions; ++i) {
      const int bits = kTileShapes[dimensions].bits[i];
      // Rounds down; what leads farther than any range goes leads out of all of them.
      constexpr std::ptrdiff_t kFar = std::ptrdiff_t{1} << 30;
      tiles_[i] = static_cast<std::int32_t>(std::clamp(offset[i] >> bits, -kFar - 1, kFar));
      cells_[i] = static_cast<unsigned>(offset[i] & ((std::ptrdiff_t{1} << bits) - 1));
      stay_in(i, offset[i]);
    }
  }

  // Cells that the offset leaves within their tile, and where those come to lie.
  [[nodiscard]] std::uint64_t staying() const { return staying_; }
  [[nodiscard]] std::uint64_t move_within(std::uint64_t cells) const {
    cells &= staying_;
    return shift_ >= 0 ? cells << shift_ : cells >> -shift_;
  }

  // Calls sink(tile position, mask) for each tile that some of `cells` come to lie in; the position
  // may be out of any grid.
  template <class Sink>
  void move(const TilePosition& from, std::uint64_t cells, Sink&& sink) const {
    move_in<0>(from, cells, sink);
  }

 private:
  void stay_in(int dimension, std::ptrdiff_t step) {
    const TileShape& shape = kTileShapes[dimensions_];
    const auto width = static_cast<std::ptrdiff_t>(shape.width(dimension));
    const auto& below = kLanes.below[dimensions_][dimension];
    if (step >= width || -step >= width) {
      staying_ = 0;
      return;
    }
    staying_ &= step >= 0 ? below[width - step] : below[width] & ~below[-step];
    shift_ += static_cast<int>(step) * shape.stride(dimension);
  }

  template <int dimension, class Sink>
  void move_in(TilePosition at, std::uint64_t cells, Sink&& sink) const {
    if constexpr (dimension == kMaxDimensions) {
      sink(at, cells);
    } else {
      at[dimension] += static_cast<std::uint32_t>(tiles_[dimension]);
      const unsigned step = cells_[dimension];
      if (step == 0) {
        move_in<dimension + 1>(at, cells, sink);
        return;
      }
      const TileShape& shape = kTileShapes[dimensions_];
      const auto width = static_cast<unsigned>(shape.width(dimension));
      const auto stride = static_cast<unsigned>(shape.stride(dimension));
      const std::uint64_t staying = kLanes.below[dimensions_][dimension][width - step];
      if (const auto mask = cells & staying)
        move_in<dimension + 1>(at, mask << (step * stride), sink);
      if (const auto mask = cells & ~staying) {
        ++at[dimension];
        move_in<dimension + 1>(at, mask >> ((width - step) * stride), sink);
      }
    }
  }

  int dimensions_ = 0;
  std::array<std::int32_t, kMaxDimensions> tiles_{};
  std::array<unsigned, kMaxDimensions> cells_{};
  std::uint64_t staying_ = ~std::uint64_t{0};
  int shift_ = 0;
};

}  // namespace raddle::ddm::native
