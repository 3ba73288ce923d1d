#include "memory/mesh_topology.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace raddle::memory {

MeshTopology::MeshTopology(std::uint32_t width, std::uint32_t height, bool torus)
    : width_(width), height_(height), torus_(torus) {
  if (width == 0 || height == 0)
    throw Error(fmt::format("a mesh cannot be {} × {} nodes", width, height), {},
                "give it at least one row and one column");
  places_.reserve(nodes());
  neighbours_.assign(nodes() * kMeshPorts, 0);
  for (std::uint32_t y = 0; y < height; ++y) {
    for (std::uint32_t x = 0; x < width; ++x) {
      std::uint32_t* neighbours = &neighbours_[node(x, y) * kMeshPorts];
      neighbours[static_cast<std::size_t>(MeshPort::kLocal)] = node(x, y);
      neighbours[static_cast<std::size_t>(MeshPort::kEast)] = node((x + 1) % width, y);
      neighbours[static_cast<std::size_t>(MeshPort::kWest)] = node((x + width - 1) % width, y);
      neighbours[static_cast<std::size_t>(MeshPort::kSouth)] = node(x, (y + 1) % height);
      neighbours[static_cast<std::size_t>(MeshPort::kNorth)] = node(x, (y + height - 1) % height);
      places_.push_back({x, y});
    }
  }
}

std::uint32_t MeshTopology::hops(std::uint32_t from, std::uint32_t to) const {
  const auto along = [this](std::uint32_t a, std::uint32_t b, std::uint32_t size) {
    const std::uint32_t distance = a > b ? a - b : b - a;
    return torus_ ? std::min(distance, size - distance) : distance;
  };
  return along(places_[from].x, places_[to].x, width_) +
         along(places_[from].y, places_[to].y, height_);
}

std::uint32_t MeshTopology::links() const {
  if (!torus_) return 2 * ((width_ - 1) * height_ + (height_ - 1) * width_);
  return 2 * nodes() * ((width_ > 1 ? 1 : 0) + (height_ > 1 ? 1 : 0));
}

}  // namespace raddle::memory
