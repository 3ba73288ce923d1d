#include "machine/cgra/map/unit_pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/error.h"

namespace raddle::machine::cgra {

namespace {

constexpr std::uint32_t kMaxTiles = 1u << 12;  // of a module, or of a grid

// The rectangle for so many tiles that is nearest to a square and, of those, has the fewest tiles
// too many.
std::array<std::uint32_t, 2> compact_rectangle(std::uint32_t tiles) {
  std::array<std::uint32_t, 2> best{tiles, 1};
  for (std::uint32_t rows = 1; rows * rows <= tiles; ++rows) {
    const std::uint32_t columns = (tiles + rows - 1) / rows;
    const auto better = [](std::uint32_t width, std::uint32_t height) {
      return std::pair(width + height, width * height);
    };
    if (better(columns, rows) < better(best[0], best[1])) best = {columns, rows};
  }
  return best;
}

}  // namespace

std::uint32_t sum_of(const UnitCounts& counts) {
  return std::accumulate(counts.begin(), counts.end(), 0u);
}

std::string_view name_of(Arrangement arrangement) {
  return arrangement == Arrangement::kBands ? "bands" : "interleaved";
}

std::optional<Arrangement> arrangement_of(std::string_view name) {
  for (const Arrangement arrangement : {Arrangement::kInterleaved, Arrangement::kBands}) {
    if (name == name_of(arrangement)) return arrangement;
  }
  return std::nullopt;
}

UnitPattern::UnitPattern(const UnitModule& module)
    : columns_(module.columns), rows_(module.rows), arrangement_(module.arrangement) {
  std::uint64_t units = 0;
  for (const std::uint32_t count : module.units) units += count;
  if (units == 0 || units > kMaxTiles)
    throw Error(fmt::format("a grid has 1 to {} units, not {}", kMaxTiles, units));
  if (columns_ == 0 || rows_ == 0) {
    const auto rectangle = compact_rectangle(static_cast<std::uint32_t>(units));
    columns_ = rectangle[0];
    rows_ = rectangle[1];
  }
  const std::uint64_t tiles = std::uint64_t{columns_} * rows_;
  if (tiles < units || tiles > kMaxTiles) {
    throw Error(fmt::format("{} by {} tiles cannot hold {} units", columns_, rows_, units), {},
                fmt::format("from {} to {} tiles can", units, kMaxTiles));
  }
  by_rank_.resize(tiles);
  std::size_t rank = 0;
  for (std::size_t c = 0; c < kUnitClasses; ++c) {
    for (std::uint32_t i = 0; i < module.units[c]; ++i)
      by_rank_[rank++] = static_cast<UnitClass>(c);
  }
  if (arrangement_ == Arrangement::kInterleaved) step_ = step_for_short_wires();
}

// Interleaved: tiles are numbered along the rows, and the tile of number i has rank i * step modulo
// the number of tiles; a class has consecutive ranks. Because step and number of tiles have no
// common factor every tile of the module has a rank of its own, and because equal steps in the
// plane are equal steps in rank a class lies about as evenly as a lattice.
std::optional<UnitClass> UnitPattern::at(std::uint32_t column, std::uint32_t row) const {
  const std::uint64_t tiles = by_rank_.size();
  if (arrangement_ == Arrangement::kBands)
    return by_rank_[std::uint64_t{column % columns_} * rows_ + row % rows_];
  return by_rank_[(column + std::uint64_t{columns_} * row) % tiles * step_ % tiles];
}

std::uint32_t UnitPattern::step_for_short_wires() const {
  const auto tiles = static_cast<std::uint32_t>(by_rank_.size());
  // All steps for modules of usual sizes; for very large ones some, from the golden section on.
  constexpr std::uint64_t kMaxWork = 1u << 25;
  const std::uint64_t tries = std::max<std::uint64_t>(1, kMaxWork / tiles / tiles);
  std::uint32_t best = 1;
  std::uint64_t shortest = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t tried = 0;
  for (std::uint32_t i = 0; i < tiles && tried < tries; ++i) {
    const std::uint32_t step = (tiles * 618 / 1000 + i) % tiles;
    if (std::gcd(step, tiles) != 1) continue;
    ++tried;
    const std::uint64_t sum = distance_sum(step);
    if (sum < shortest) {
      shortest = sum;
      best = step;
    }
  }
  return best;
}

// Over all tiles and classes, the distance from the tile to the nearest unit of the class.
std::uint64_t UnitPattern::distance_sum(std::uint32_t step) const {
  const auto tiles = static_cast<std::uint32_t>(by_rank_.size());
  constexpr std::uint32_t kFar = 1u << 20;
  // How far away in the plane the nearest tile is whose rank is larger by so many.
  std::vector<std::uint32_t> distance(tiles, kFar);
  const auto reach =
      static_cast<std::int64_t>(std::min<std::uint32_t>(8, std::max(columns_, rows_)));
  for (std::int64_t down = -reach; down <= reach; ++down) {
    for (std::int64_t right = -reach; right <= reach; ++right) {
      const auto number = (right + columns_ * down) % tiles;
      const auto offset = static_cast<std::uint64_t>(number + tiles) % tiles * step % tiles;
      distance[offset] =
          std::min(distance[offset], static_cast<std::uint32_t>(std::abs(right) + std::abs(down)));
    }
  }
  std::uint64_t sum = 0;
  std::array<std::uint32_t, kUnitClasses> nearest{};
  for (std::uint32_t rank = 0; rank < tiles; ++rank) {
    nearest.fill(kFar);
    for (std::uint32_t other = 0; other < tiles; ++other) {
      if (!by_rank_[other] || other == rank) continue;
      auto& least = nearest[static_cast<std::size_t>(*by_rank_[other])];
      least = std::min(least, distance[(other + tiles - rank) % tiles]);
    }
    for (const std::uint32_t least : nearest) sum += least;
  }
  return sum;
}

std::uint32_t UnitPattern::size_of(std::uint32_t column, std::uint32_t row) const {
  return std::max((column + 1) * rows_, (row + 1) * columns_);
}

UnitCounts UnitPattern::units_within(std::uint32_t size) const {
  UnitCounts units{};
  for (std::uint32_t row = 0; row < rows_of(size); ++row) {
    for (std::uint32_t column = 0; column < columns_of(size); ++column) {
      if (const auto unit = at(column, row)) ++units[static_cast<std::size_t>(*unit)];
    }
  }
  return units;
}

std::uint32_t UnitPattern::size_for(const UnitCounts& units) const {
  for (std::size_t c = 0; c < kUnitClasses; ++c) {
    const auto unit = static_cast<UnitClass>(c);
    if (units[c] > 0 && std::find(by_rank_.begin(), by_rank_.end(), unit) == by_rank_.end()) {
      throw Error(fmt::format("the grid's module has no {} units, but the grid needs {}",
                              name_of(unit), units[c]),
                  {}, "give the module at least one unit of every class");
    }
  }
  const auto holds = [&](std::uint32_t size) {
    const UnitCounts within = units_within(size);
    for (std::size_t c = 0; c < kUnitClasses; ++c) {
      if (within[c] < units[c]) return false;
    }
    return true;
  };
  std::uint32_t size = std::max(columns_, rows_);
  while (!holds(size)) {
    if (std::uint64_t{columns_of(size)} * rows_of(size) > kMaxTiles) {
      throw Error(
          fmt::format("a grid of more than {} tiles is needed for so many units", kMaxTiles), {},
          "use fewer units, or a module in their proportions");
    }
    ++size;
  }
  return size;
}

}  // namespace raddle::machine::cgra
