#include "ddm/native/instance_order.h"

#include <algorithm>
#include <bit>
#include <ranges>

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
    for_each_instance(
        i, [&](const Instance& from) { for_each_successor(from, count, [](std::uint32_t) {}); });
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

LongestChains::LongestChains(const BlockPlan& plan, const ContextShape& shape, const void* frame,
                             Weight weight)
    : order_(plan, shape, frame),
      lengths_(shape.threads.size()),
      after_all_(plan.block->arcs.size()) {
  for (std::size_t i = 0; i < lengths_.size(); ++i)
    lengths_[i].resize(shape.threads[i].grid.tiles() * shape.threads[i].grid.cells_per_tile());
  std::vector<bool> seen(after_all_.size());
  const auto& instances = order_.instances();
  for (const Instance& instance : std::views::reverse(instances)) {
    order_.for_each_successor(
        instance, [](const Instance&) {},
        [&](std::uint32_t arc) {
          if (seen[arc]) return;
          seen[arc] = true;
          auto& best = after_all_[arc];
          order_.for_each_consumer(arc, [&](const Instance& to) {
            if (!best || length(to) > length(*best)) best = to;
          });
        });
    const auto after = next(instance);
    lengths_[instance.thread][slot(instance)] =
        weight(instance.thread, slot(instance)) + (after ? length(*after) : 0);
  }
}

std::optional<LongestChains::Instance> LongestChains::first() const {
  std::optional<Instance> best;
  for (const Instance& each : order_.instances()) {
    if (!best || length(each) > length(*best)) best = each;
  }
  return best;
}

std::optional<LongestChains::Instance> LongestChains::next(const Instance& instance) const {
  std::optional<Instance> best;
  const auto take = [&](const Instance& to) {
    if (!best || length(to) > length(*best)) best = to;
  };
  order_.for_each_successor(instance, take, [&](std::uint32_t arc) {
    if (after_all_[arc]) take(*after_all_[arc]);
  });
  return best;
}

}  // namespace raddle::ddm::native
