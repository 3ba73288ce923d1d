// Which node runs which instance of the program's first context.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "ddm/native/context.h"

namespace raddle::ddm::native {

class Placement {
 public:
  // Throws GraphError if a mapping names a node that is not there.
  Placement(const Context& root, int node, int nodes);

  [[nodiscard]] int node_of(std::uint32_t thread, std::uint32_t tile, unsigned cell) const {
    return nodes_[thread][cells_per_tile_[thread] * tile + cell];
  }
  // The cells of a tile that run here.
  [[nodiscard]] std::uint64_t here(std::uint32_t thread, std::uint32_t tile) const {
    return here_[thread][tile];
  }
  // Nodes that run some instance of a thread.
  [[nodiscard]] const std::vector<int>& nodes_of(std::uint32_t thread) const {
    return thread_nodes_[thread];
  }
  [[nodiscard]] bool any_here(std::uint32_t thread) const { return any_here_[thread]; }
  // Instances of a thread that run here.
  [[nodiscard]] std::uint64_t instances_here(std::uint32_t thread) const {
    return instances_here_[thread];
  }
  // By arc: producers here that have not run yet.
  [[nodiscard]] std::atomic<std::uint64_t>& producers_left_here(std::uint32_t arc) {
    return producers_left_here_[arc];
  }

 private:
  std::vector<std::vector<std::uint16_t>> nodes_;
  std::vector<std::size_t> cells_per_tile_;
  std::vector<std::vector<std::uint64_t>> here_;
  std::vector<std::vector<int>> thread_nodes_;
  std::vector<bool> any_here_;
  std::vector<std::uint64_t> instances_here_;
  std::unique_ptr<std::atomic<std::uint64_t>[]> producers_left_here_;
};

}  // namespace raddle::ddm::native
