#include "ddm/native/bindings.h"

#include <bit>

#include "ddm/graph_walk.h"
#include "raddle/ddm/error.h"

namespace raddle::ddm::native {

Bindings::Bindings(const BlockPlan& plan, const ContextShape& shape, const void* frame,
                   unsigned workers)
    : workers_(workers), cells_(plan.threads.size()) {
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
        const int worker = worker_of(frame, index, static_cast<int>(workers));
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
