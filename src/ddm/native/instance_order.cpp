#include "ddm/native/instance_order.h"

#include <algorithm>
#include <bit>

#include "ddm/graph_walk.h"

namespace raddle::ddm::native {

InstanceOrder::InstanceOrder(const BlockPlan& plan, const ContextShape& shape, const void* frame)
    : plan_(plan), shape_(shape), frame_(frame), remaining_(shape.threads.size()) {
  const auto threads = static_cast<std::uint32_t>(shape.threads.size());
  for (std::uint32_t i = 0; i < threads; ++i) {
    const auto& grid = shape.threads[i].grid;
    remaining_[i].assign(grid.tiles() * grid.cells_per_tile(), kNotAnInstance);
    for_each_instance(i, [&](const Instance& instance) { at(instance) = 0; });
  }
  const auto count = [&](const Instance& to) { ++at(to); };
  for (std::uint32_t i = 0; i < threads; ++i) {
    for_each_instance(i, [&](const Instance& from) {
      for_each_successor(from, count, [](std::uint32_t) {});
    });
  }
  std::vector<std::uint64_t> producers = shape.producers;
  for (std::uint32_t arc = 0; arc < producers.size(); ++arc) {
    const auto& declared = plan.block->arcs[arc];
    if (declared.kind == ArcKind::kAll && !declared.again && producers[arc] > 0)
      for_each_consumer(arc, count);
  }
  std::vector<Instance> ready;
  const auto give = [&](const Instance& to) {
    if (--at(to) == 0) ready.push_back(to);
  };
  for (std::uint32_t i = 0; i < threads; ++i) {
    for_each_instance(i, [&](const Instance& instance) {
      if (at(instance) == 0) ready.push_back(instance);
    });
  }
  while (!ready.empty()) {
    const Instance next = ready.back();
    ready.pop_back();
    at(next) = kRan;
    order_.push_back(next);
    for_each_successor(next, give, [&](std::uint32_t arc) {
      if (--producers[arc] == 0) for_each_consumer(arc, give);
    });
  }
}

void InstanceOrder::for_each_instance(std::uint32_t thread, Successor instance) const {
  const auto& shape = shape_.threads[thread];
  for (std::uint32_t tile = 0; tile < shape.grid.tiles(); ++tile) {
    for (auto left = shape.existing_at(tile); left != 0; left &= left - 1)
      instance({thread, tile, static_cast<std::uint32_t>(std::countr_zero(left))});
  }
}

void InstanceOrder::for_each_consumer(std::uint32_t arc, Successor consumer) const {
  for_each_instance(plan_.block->arcs[arc].to, consumer);
}

void InstanceOrder::for_each_successor(const Instance& from, Successor successor,
                                       FunctionRef<void(std::uint32_t arc)> all) const {
  const auto& block = *plan_.block;
  const auto& grid = shape_.threads[from.thread].grid;
  const auto index = grid.coordinates(grid.position(from.tile), from.cell);
  for (const auto number : block.threads[from.thread].consumers) {
    const auto& arc = block.arcs[number];
    if (arc.again) continue;
    if (arc.kind == ArcKind::kAll) {
      all(number);
      continue;
    }
    const auto& to = shape_.threads[arc.to].grid;
    for_each_target(block, arc, frame_, to.extents(), index, [&](const Coordinates& target) {
      successor({arc.to, to.tile_of(target), to.cell_of(target)});
    });
  }
  if (!shape_.order) return;
  for (const auto& to : shape_.order->after(from.thread, slot(from.thread, from.tile, from.cell))) {
    const auto [tile, cell] = shape_.threads[to.thread].grid.of_slot(to.slot);
    successor({to.thread, tile, cell});
  }
}

std::vector<std::vector<std::uint32_t>> distances_to_end(const BlockPlan& plan,
                                                         const ContextShape& shape,
                                                         const void* frame) {
  const InstanceOrder order(plan, shape, frame);
  std::vector<std::vector<std::uint32_t>> distance(shape.threads.size());
  for (std::size_t i = 0; i < distance.size(); ++i)
    distance[i].resize(shape.threads[i].grid.tiles() * shape.threads[i].grid.cells_per_tile());
  std::vector<std::optional<std::uint32_t>> after_all(plan.block->arcs.size());
  const auto of = [&](const InstanceOrder::Instance& at) {
    return distance[at.thread][order.slot(at.thread, at.tile, at.cell)];
  };
  const auto& instances = order.instances();
  for (auto instance = instances.rbegin(); instance != instances.rend(); ++instance) {
    std::uint32_t farthest = 0;
    order.for_each_successor(
        *instance,
        [&](const InstanceOrder::Instance& to) { farthest = std::max(farthest, of(to)); },
        [&](std::uint32_t arc) {
          auto& all = after_all[arc];
          if (!all) {
            all = 0;
            order.for_each_consumer(arc, [&](const InstanceOrder::Instance& to) {
              all = std::max(*all, of(to));
            });
          }
          farthest = std::max(farthest, *all);
        });
    distance[instance->thread][order.slot(instance->thread, instance->tile, instance->cell)] =
        farthest + 1;
  }
  return distance;
}

}  // namespace raddle::ddm::native
