#include "ddm/native/placement.h"

#include <bit>

#include "ddm/graph_walk.h"
#include "ddm/native/profile.h"

namespace raddle::ddm::native {

Context::Context() = default;
Context::~Context() = default;

Placement::Placement(const Context& root, int node, int nodes) {
  const auto& block = *root.plan->block;
  const auto threads = block.threads.size();
  nodes_.resize(threads);
  here_.resize(threads);
  thread_nodes_.resize(threads);
  any_here_.resize(threads);
  instances_here_.resize(threads);
  for (std::uint32_t thread = 0; thread < threads; ++thread) {
    const auto& shape = root.shape->threads[thread];
    cells_per_tile_.push_back(shape.grid.cells_per_tile());
    nodes_[thread].resize(shape.grid.tiles() * shape.grid.cells_per_tile());
    here_[thread].resize(shape.grid.tiles());
    std::vector<bool> used(static_cast<std::size_t>(nodes));
    for (std::uint32_t tile = 0; tile < shape.grid.tiles(); ++tile) {
      const auto at = shape.grid.position(tile);
      for (auto left = shape.existing_at(tile, at); left != 0; left &= left - 1) {
        const auto cell = static_cast<unsigned>(std::countr_zero(left));
        const int owner = ddm::node_of(block, thread, root.frame, shape.grid.extents(),
                                       shape.grid.coordinates(at, cell), nodes);
        nodes_[thread][cells_per_tile_[thread] * tile + cell] = static_cast<std::uint16_t>(owner);
        used[static_cast<std::size_t>(owner)] = true;
        if (owner != node) continue;
        here_[thread][tile] |= std::uint64_t{1} << cell;
        ++instances_here_[thread];
      }
    }
    for (int i = 0; i < nodes; ++i) {
      if (used[static_cast<std::size_t>(i)]) thread_nodes_[thread].push_back(i);
    }
    any_here_[thread] = used[static_cast<std::size_t>(node)];
  }
  producers_left_here_ = std::make_unique<std::atomic<std::uint64_t>[]>(block.arcs.size());
  for (std::size_t arc = 0; arc < block.arcs.size(); ++arc) {
    producers_left_here_[arc].store(instances_here_[block.arcs[arc].from],
                                    std::memory_order_relaxed);
  }
}

}  // namespace raddle::ddm::native
