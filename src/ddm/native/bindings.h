// Which worker runs which instance, for threads that are bound to workers.
#pragma once

#include <cstdint>
#include <vector>

#include "ddm/native/context_shape.h"

namespace raddle::ddm::native {

class Bindings {
 public:
  // `memory_nodes`: by worker its NUMA node. Throws GraphError if a function names a worker or a
  // NUMA node that is not there.
  Bindings(const BlockPlan& plan, const ContextShape& shape, const void* frame,
           const std::vector<int>& memory_nodes);

  [[nodiscard]] unsigned workers() const { return workers_; }
  // The cells of a tile that a worker runs.
  [[nodiscard]] std::uint64_t cells_of(std::uint32_t thread, std::uint32_t tile,
                                       unsigned worker) const {
    return worker < workers_ ? cells_[thread][std::size_t{tile} * workers_ + worker] : 0;
  }
  [[nodiscard]] unsigned owner_of(std::uint32_t thread, std::uint32_t tile, unsigned cell) const {
    unsigned worker = 0;
    while ((cells_of(thread, tile, worker) >> cell & 1) == 0) ++worker;
    return worker;
  }

 private:
  unsigned workers_;
  std::vector<std::vector<std::uint64_t>> cells_;  // by thread; empty: not bound
};

}  // namespace raddle::ddm::native
