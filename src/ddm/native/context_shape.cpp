#include "ddm/native/context_shape.h"

#include <algorithm>
#include <bit>

#include "ddm/graph_walk.h"
#include "ddm/native/instance_order.h"

namespace raddle::ddm::native {

// Ready counts while they are added up: bit planes (at least one input, at least two), and counters
// once there are more.
struct ContextShape::Planes {
  std::vector<std::uint64_t> first;
  std::vector<std::uint64_t> second;
  std::vector<std::uint32_t> counts;
  std::size_t cells_per_tile = 64;

  void add(std::uint32_t tile, std::uint64_t cells) {
    if (counts.empty() && (second[tile] & cells) != 0) use_counts();
    if (!counts.empty()) {
      for (auto left = cells; left != 0; left &= left - 1)
        ++counts[cells_per_tile * tile + std::countr_zero(left)];
    }
    second[tile] |= first[tile] & cells;
    first[tile] |= cells;
  }

  [[nodiscard]] std::size_t at(std::uint32_t tile, unsigned cell) const {
    if (!counts.empty()) return counts[cells_per_tile * tile + cell];
    return (first[tile] >> cell & 1) + (second[tile] >> cell & 1);
  }

 private:
  void use_counts() {
    counts.resize(cells_per_tile * first.size());
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const auto tile = i / cells_per_tile;
      const auto cell = i % cells_per_tile;
      counts[i] =
          static_cast<std::uint32_t>((first[tile] >> cell & 1) + (second[tile] >> cell & 1));
    }
  }
};

ContextShape::ContextShape(const BlockPlan& plan, const void* frame, std::vector<Extents> sizes)
    : threads(plan.threads.size()), extents(std::move(sizes)) {
  std::vector<Planes> planes(threads.size());
  for (std::size_t i = 0; i < threads.size(); ++i) {
    const auto& declared = *plan.threads[i].thread;
    auto& thread = threads[i];
    thread.grid = TileGrid(declared.dimensions, extents[i]);
    thread.bound = plan.threads[i].bound;
    thread.special = plan.threads[i].special();
    const auto tiles = thread.grid.tiles();
    thread.instances = extents[i].count();
    if (declared.exists) {
      thread.existing.resize(tiles);
      thread.instances = 0;
      for (std::uint32_t tile = 0; tile < tiles; ++tile) {
        const auto at = thread.grid.position(tile);
        for (auto left = thread.grid.in_range(at); left != 0; left &= left - 1) {
          const auto cell = static_cast<unsigned>(std::countr_zero(left));
          if (!declared.exists(frame, thread.grid.coordinates(at, cell))) continue;
          thread.existing[tile] |= std::uint64_t{1} << cell;
          ++thread.instances;
        }
      }
    }
    if (plan.threads[i].counted) counted_instances += thread.instances;
    planes[i].cells_per_tile = thread.grid.cells_per_tile();
    planes[i].first.resize(tiles);
    planes[i].second.resize(tiles);
  }
  count_inputs(plan, frame, planes);
  infer_arcs(plan, frame, planes);
  check_declared_counts(plan, planes);
  find_sources(plan, planes);
  lay_out(planes);
  if (plan.block->critical_path_first) {
    const auto one = [](std::uint32_t, std::size_t) { return 1.0; };
    distances = LongestChains(plan, *this, frame, one).take_lengths();
  }
}

void ContextShape::count_inputs(const BlockPlan& plan, const void* frame,
                                std::vector<Planes>& planes) {
  const auto& block = *plan.block;
  producers.resize(block.arcs.size());
  for (std::size_t i = 0; i < threads.size(); ++i) {
    const auto& from = threads[i];
    for (const auto& arc : plan.threads[i].consumers) {
      if (arc.delivery == Delivery::kData) continue;
      const auto& to = threads[arc.to];
      auto& inputs = planes[arc.to];
      producers[arc.number] = from.instances;
      if (arc.delivery == Delivery::kAlone) continue;
      if (arc.delivery == Delivery::kAll || arc.delivery == Delivery::kSingle) {
        if (from.instances == 0) continue;
        for (std::uint32_t tile = 0; tile < to.grid.tiles(); ++tile)
          inputs.add(tile, to.existing_at(tile));
        continue;
      }
      for (std::uint32_t tile = 0; tile < from.grid.tiles(); ++tile) {
        const auto at = from.grid.position(tile);
        const auto cells = from.existing_at(tile, at);
        if (arc.delivery == Delivery::kOffset) {
          arc.offset.move(at, cells, [&](const TilePosition& target, std::uint64_t moved) {
            if (!to.grid.contains(target)) return;
            const auto number = to.grid.tile(target);
            inputs.add(number, moved & to.existing_at(number, target));
          });
          continue;
        }
        for (auto left = cells; left != 0; left &= left - 1) {
          const auto index =
              from.grid.coordinates(at, static_cast<unsigned>(std::countr_zero(left)));
          for_each_target(
              block, *arc.arc, frame, to.grid.extents(), index, [&](const Coordinates& target) {
                inputs.add(to.grid.tile_of(target), std::uint64_t{1} << to.grid.cell_of(target));
              });
        }
      }
    }
  }
}

void ContextShape::infer_arcs(const BlockPlan& plan, const void* frame,
                              std::vector<Planes>& planes) {
  if (!plan.block->infers_arcs) return;
  std::vector<std::size_t> slots;
  for (const auto& thread : threads)
    slots.push_back(thread.grid.tiles() * thread.grid.cells_per_tile());
  // What threads read and write is told by their own functions, which take a frame to be changed.
  order.emplace(*plan.block, const_cast<void*>(frame), extents, slots,
                [&](std::uint32_t thread, const Coordinates& at) {
                  const auto& grid = threads[thread].grid;
                  return grid.cells_per_tile() * grid.tile_of(at) + grid.cell_of(at);
                });
  for (std::uint32_t i = 0; i < threads.size(); ++i) {
    for (std::size_t slot = 0; slot < slots[i]; ++slot) {
      for (const auto& to : order->after(i, slot)) {
        const auto [tile, cell] = threads[to.thread].grid.of_slot(to.slot);
        planes[to.thread].add(tile, std::uint64_t{1} << cell);
      }
    }
  }
}

// Where mappings lead to a thread its ready count is known only now; other threads were checked
// with the graph.
void ContextShape::check_declared_counts(const BlockPlan& plan,
                                         const std::vector<Planes>& planes) const {
  const auto& block = *plan.block;
  for (std::uint32_t i = 0; i < threads.size(); ++i) {
    const auto& declared = *plan.threads[i].thread;
    if (!declared.declared_ready_count || !counts_depend_on_frame(block, declared)) continue;
    for (std::uint32_t tile = 0; tile < threads[i].grid.tiles(); ++tile) {
      const auto at = threads[i].grid.position(tile);
      for (auto left = threads[i].existing_at(tile, at); left != 0; left &= left - 1) {
        const auto cell = static_cast<unsigned>(std::countr_zero(left));
        const auto count = planes[i].at(tile, cell);
        if (count == *declared.declared_ready_count) continue;
        throw GraphError("its ready count of " + std::to_string(*declared.declared_ready_count) +
                             " is never met: it has " + std::to_string(count) + " inputs",
                         thread_name(block, i, threads[i].grid.coordinates(at, cell)),
                         "correct the mapping that leads to it, or expects(…)");
      }
    }
  }
}

void ContextShape::find_sources(const BlockPlan& plan, const std::vector<Planes>& planes) {
  const auto& block = *plan.block;
  for (std::uint32_t i = 0; i < threads.size(); ++i) {
    const auto& thread = threads[i];
    const auto& arcs = plan.threads[i].thread->producers;
    // A thread that only a loop's way back or a merge leads to does not start by itself.
    const bool waits_for_merge = !arcs.empty() && std::ranges::all_of(arcs, [&](std::uint32_t arc) {
      return block.arcs[arc].again;
    });
    if (waits_for_merge) continue;
    for (std::uint32_t tile = 0; tile < thread.grid.tiles(); ++tile) {
      const auto existing = thread.existing_at(tile);
      const auto cells = existing & ~planes[i].first[tile];
      if (cells == 0) continue;
      auto* last = sources.empty() ? nullptr : &sources.back();
      const bool whole = cells == existing;
      const bool goes_on = last && last->thread == i && last->tile + last->tiles == tile && whole &&
                           (last->tiles > 1 || last->cells == thread.existing_at(last->tile));
      if (goes_on) {
        ++last->tiles;
      } else {
        sources.push_back({i, tile, 1, cells});
      }
    }
  }
}

void ContextShape::lay_out(std::vector<Planes>& planes) {
  for (std::size_t i = 0; i < threads.size(); ++i) {
    auto& thread = threads[i];
    auto& inputs = planes[i];
    thread.first_word = words.size();
    thread.first_count = counts.size();
    if (!inputs.counts.empty()) {
      thread.sync = Sync::kCount;
      thread.counts = std::move(inputs.counts);
      counts.insert(counts.end(), thread.counts.begin(), thread.counts.end());
    } else if (std::ranges::any_of(inputs.second, [](std::uint64_t cells) { return cells != 0; })) {
      thread.sync = Sync::kPair;
      thread.expects_one.resize(inputs.first.size());
      for (std::size_t tile = 0; tile < inputs.first.size(); ++tile) {
        thread.expects_one[tile] = inputs.first[tile] & ~inputs.second[tile];
      }
      words.insert(words.end(), thread.expects_one.begin(), thread.expects_one.end());
    }
  }
  first_arc_word = words.size();
  words.insert(words.end(), producers.begin(), producers.end());
}

std::size_t ContextShape::expected_inputs(std::uint32_t thread, std::uint32_t tile,
                                          unsigned cell) const {
  const auto& shape = threads[thread];
  if (shape.sync == Sync::kCount) return shape.counts[shape.grid.cells_per_tile() * tile + cell];
  if (shape.sync == Sync::kPair) return (shape.expects_one[tile] >> cell & 1) != 0 ? 1 : 2;
  return 1;
}

}  // namespace raddle::ddm::native
