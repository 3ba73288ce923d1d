// Iteration indices of data-driven threads. A thread is declared once and fired once for each index
// of its range: none, one, two or three coordinates; of more indices the outer ones are folded into
// the first coordinate. Instances of a thread are kept in tiles of at
// most 64, so that one machine word says which of them are ready.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace raddle::ddm {

inline constexpr int kMaxDimensions = 3;
inline constexpr int kMaxIndices = 6;

// An index or an extent. The last dimension comes last: a thread over range(n) uses only the third
// entry.
using Coordinates = std::array<std::size_t, kMaxDimensions>;
using Distance = std::array<std::ptrdiff_t, kMaxDimensions>;
// The indices that a body is called with, the last one last.
using Indices = std::array<std::size_t, kMaxIndices>;

// How many instances a thread has in each dimension; unused dimensions have one.
struct Extents {
  Coordinates size{1, 1, 1};

  [[nodiscard]] std::size_t count() const { return size[0] * size[1] * size[2]; }
  [[nodiscard]] bool contains(const Coordinates& at) const {
    return at[0] < size[0] && at[1] < size[1] && at[2] < size[2];
  }
  [[nodiscard]] std::size_t flat(const Coordinates& at) const {
    return (at[0] * size[1] + at[1]) * size[2] + at[2];
  }
  [[nodiscard]] Coordinates at(std::size_t flat) const {
    return {flat / (size[1] * size[2]), flat / size[2] % size[1], flat % size[2]};
  }
  friend bool operator==(const Extents&, const Extents&) = default;
};

// A tile holds 64 instances of a row, 8×8 of a plane or 4×4×4 of a space: cell c lies
// `coordinates(c)` from its origin.
struct TileShape {
  int bits[kMaxDimensions];  // log2 of the width in each dimension

  [[nodiscard]] constexpr std::size_t width(int dimension) const {
    return std::size_t{1} << bits[dimension];
  }
  [[nodiscard]] constexpr int stride(int dimension) const {
    return dimension == 2 ? 1 : dimension == 1 ? 1 << bits[2] : 1 << (bits[1] + bits[2]);
  }
  [[nodiscard]] constexpr Coordinates coordinates(unsigned cell) const {
    return {cell >> (bits[1] + bits[2]), (cell >> bits[2]) & (width(1) - 1), cell & (width(2) - 1)};
  }
};

inline constexpr TileShape kTileShapes[kMaxDimensions + 1] = {
    {{0, 0, 0}}, {{0, 0, 6}}, {{0, 3, 3}}, {{2, 2, 2}}};

}  // namespace raddle::ddm
