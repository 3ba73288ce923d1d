// Nodes in a grid, each joined to its neighbours, on a torus also across the edges, and the way a
// packet takes: first along its row, then along its column (dimension-order routing), on a torus
// the shorter way round, eastward or southward if both are as long.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace raddle::memory {

enum class MeshPort : std::uint8_t { kLocal, kEast, kWest, kNorth, kSouth };
inline constexpr std::size_t kMeshPorts = 5;

constexpr MeshPort opposite(MeshPort port) {
  constexpr std::array kOpposites = {MeshPort::kLocal, MeshPort::kWest, MeshPort::kEast,
                                     MeshPort::kSouth, MeshPort::kNorth};
  return kOpposites[static_cast<std::size_t>(port)];
}

class MeshTopology {
 public:
  // Throws Error for a grid without nodes.
  MeshTopology(std::uint32_t width, std::uint32_t height, bool torus);

  // Node numbers run along rows: y · width + x.
  std::uint32_t nodes() const { return width_ * height_; }
  std::uint32_t node(std::uint32_t x, std::uint32_t y) const { return y * width_ + x; }
  bool is_torus() const { return torus_; }

  // The port by which a packet leaves a node; kLocal where it stays.
  MeshPort route(std::uint32_t node, std::uint32_t destination) const {
    const Place& from = places_[node];
    const Place& to = places_[destination];
    if (from.x != to.x) return goes_up(from.x, to.x, width_) ? MeshPort::kEast : MeshPort::kWest;
    if (from.y != to.y) return goes_up(from.y, to.y, height_) ? MeshPort::kSouth : MeshPort::kNorth;
    return MeshPort::kLocal;
  }
  // There must be one: edges of a mesh have no neighbour.
  std::uint32_t neighbour(std::uint32_t node, MeshPort port) const {
    return neighbours_[node * kMeshPorts + static_cast<std::size_t>(port)];
  }
  std::uint32_t hops(std::uint32_t from, std::uint32_t to) const;
  // Links that a packet can take, counting both directions.
  std::uint32_t links() const;

 private:
  struct Place {
    std::uint32_t x, y;
  };

  bool goes_up(std::uint32_t from, std::uint32_t to, std::uint32_t size) const {
    if (!torus_) return to > from;
    const std::uint32_t up = to > from ? to - from : to + size - from;
    return up * 2 <= size;
  }

  std::uint32_t width_;
  std::uint32_t height_;
  bool torus_;
  std::vector<Place> places_;
  std::vector<std::uint32_t> neighbours_;
};

}  // namespace raddle::memory
