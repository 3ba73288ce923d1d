#include "ddm/native/bindings.h"

#include <algorithm>
#include <bit>

#include "ddm/graph_walk.h"
#include "raddle/ddm/error.h"

namespace raddle::ddm::native {
namespace {

// The workers of a NUMA node, each in its turn.
int near(const BlockPlan& plan, std::uint32_t thread, const void* frame, const Coordinates& at,
         const std::vector<int>& memory_nodes, std::size_t turn) {
  const int nodes = 1 + *std::ranges::max_element(memory_nodes);
  const int node = plan.threads[thread].thread->memory_node(frame, at, nodes);
  std::vector<int> near;
  for (std::size_t worker = 0; worker < memory_nodes.size(); ++worker) {
    if (memory_nodes[worker] == node) near.push_back(static_cast<int>(worker));
  }
  if (near.empty()) {
    throw GraphError("memory_node(…) gives node " + std::to_string(node) + ", but workers have " +
                         std::to_string(nodes),
                     thread_name(*plan.block, thread, at), "NUMA nodes are numbered from 0");
  }
  return near[turn % near.size()];
}

}  // namespace

Bindings::Bindings(const BlockPlan& plan, const ContextShape& shape, const void* frame,
                   const std::vector<int>& memory_nodes)
    : workers_(static_cast<unsigned>(memory_nodes.size())), cells_(plan.threads.size()) {
  const unsigned workers = workers_;
  for (std::uint32_t thread = 0; thread < plan.threads.size(); ++thread) {
    if (!plan.threads[thread].bound) continue;
    const auto& grid = shape.threads[thread].grid;
    const auto& worker_of = plan.threads[thread].thread->worker;
    cells_[thread].resize(std::size_t{grid.tiles()} * workers);
    for (std::uint32_t tile = 0; tile < grid.tiles(); ++tile) {
      const auto at = grid.position(tile);
      for (auto left = shape.threads[thread].existing_at(tile, at); left != 0; left &= left - 1) {
        const auto cell = static_cast<unsigned>(std::countr_zero(left));
        const auto index = grid.coordinates(at, cell);
        const int worker =
            worker_of ? worker_of(frame, index, static_cast<int>(workers))
                      : near(plan, thread, frame, index, memory_nodes, grid.extents().flat(index));
        if (worker < 0 || static_cast<unsigned>(worker) >= workers) {
          throw GraphError(
              "worker(…) gives worker " + std::to_string(worker) + " of " + std::to_string(workers),
              thread_name(*plan.block, thread, index), "workers are numbered from 0");
        }
        cells_[thread][std::size_t{tile} * workers + static_cast<unsigned>(worker)] |=
            std::uint64_t{1} << cell;
      }
    }
  }
}

}  // namespace raddle::ddm::native
