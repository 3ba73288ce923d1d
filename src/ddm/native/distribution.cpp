// The part of a worker that deals with other nodes: inputs for instances elsewhere and from
// elsewhere, invocations.
#include <algorithm>
#include <bit>

#include "ddm/graph_walk.h"
#include "ddm/native/frame_bytes.h"
#include "ddm/native/network.h"
#include "ddm/native/placement.h"
#include "ddm/native/worker.h"

namespace raddle::ddm::native {

// An instance of the program's first context has run here: tells each node that runs consumers of
// it.
void Worker::acknowledge_distributed(Context& context, const ThreadPlan& plan,
                                     const ThreadShape& shape, const Position& position,
                                     std::uint64_t cells) {
  auto& placement = *context.placement;
  const int here = run_->network->node();
  for (const auto& arc : plan.consumers) {
    if (arc.delivery == Delivery::kOffset && !arc.conditional)
      acknowledge_offset(context, arc, position, cells);
  }
  for (auto left = cells; left != 0; left &= left - 1) {
    const auto cell = static_cast<unsigned>(std::countr_zero(left));
    const auto at = shape.grid.coordinates(position.at, cell);
    for (const auto& arc : plan.consumers) {
      if (arc.delivery == Delivery::kOffset && !arc.conditional) continue;
      if (arc.conditional && choices_[cell] != arc.when) continue;
      if (arc.delivery == Delivery::kAll || arc.delivery == Delivery::kSingle) {
        const bool carries = static_cast<bool>(arc.arc->carries);
        std::uint64_t count = 1;
        if (!carries && arc.delivery == Delivery::kAll) {
          // Nothing but the fact that all have run is of interest elsewhere.
          auto& producers = placement.producers_left_here(arc.number);
          count = placement.instances_here(arc.arc->from);
          const bool last = producers.fetch_sub(1, std::memory_order_acq_rel) == 1;
          if (last) producers.store(count, std::memory_order_relaxed);
          if (!last) count = 0;
        }
        for (const int node : placement.nodes_of(arc.to)) {
          if (node != here && count > 0) run_->network->send_inputs(node, context, arc, at, count);
        }
        if (placement.any_here(arc.to)) count_producers(context, arc, 1);
        continue;
      }
      std::vector<int> nodes;
      for_each_consumer(context, arc, at, [&](std::uint32_t tile, unsigned target) {
        const int node = placement.node_of(arc.to, tile, target);
        if (node == here) {
          give_input(context, arc, tile, target);
        } else if (std::ranges::find(nodes, node) == nodes.end()) {
          nodes.push_back(node);
        }
      });
      for (const int node : nodes) run_->network->send_inputs(node, context, arc, at, 1);
    }
  }
  run_->network->send_posted();
}

// Consumers at the same distance from each producer: here a tile at once, elsewhere one by one.
void Worker::acknowledge_offset(Context& context, const ArcPlan& arc, const Position& position,
                                std::uint64_t cells) {
  const auto& placement = *context.placement;
  const auto& to = context.shape->threads[arc.to];
  arc.offset.move(position.at, cells, [&](const TilePosition& target, std::uint64_t moved) {
    if (!to.grid.contains(target)) return;
    const auto tile = to.grid.tile(target);
    moved &= to.existing_at(tile, target);
    const auto here = moved & placement.here(arc.to, tile);
    if (here != 0) give(context, arc.to, tile, here, false);
    for (auto away = moved & ~here; away != 0; away &= away - 1) {
      const auto cell = static_cast<unsigned>(std::countr_zero(away));
      auto producer = to.grid.coordinates(target, cell);
      for (std::size_t i = 0; i < producer.size(); ++i)
        producer[i] -= static_cast<std::size_t>(arc.arc->offset[i]);
      run_->network->send_inputs(placement.node_of(arc.to, tile, cell), context, arc, producer, 1);
    }
  });
}

void Worker::give_input(Context& context, const ArcPlan& arc, std::uint32_t tile, unsigned cell) {
  give(context, arc.to, tile, std::uint64_t{1} << cell, arc.delivery == Delivery::kAlone);
}

void Worker::for_each_consumer(const Context& context, const ArcPlan& arc,
                               const Coordinates& producer,
                               FunctionRef<void(std::uint32_t tile, unsigned cell)> consumer) {
  const auto& grid = context.shape->threads[arc.to].grid;
  const auto visit = [&](const Coordinates& at) { consumer(grid.tile_of(at), grid.cell_of(at)); };
  if (arc.delivery == Delivery::kAlone) {
    visit(producer);
    return;
  }
  for_each_target(*context.plan->block, *arc.arc, context.frame, grid.extents(), producer, visit);
}

// A kAll arc: so many producers have run, on whatever node.
void Worker::count_producers(Context& context, const ArcPlan& arc, std::uint64_t count) {
  auto& producers = context.producers_left(arc.number);
  if (producers.fetch_sub(count, std::memory_order_acq_rel) != count) return;
  producers.store(context.shape->producers[arc.number], std::memory_order_relaxed);
  const auto& shape = context.shape->threads[arc.to];
  for (std::uint32_t tile = 0; tile < shape.grid.tiles(); ++tile) {
    const auto cells = context.placement->here(arc.to, tile);
    if (cells != 0) give(context, arc.to, tile, cells, false);
  }
}

void Worker::start_distributed(Context& root) {
  ++done_.contexts;
  if (root.plan->block->infers_arcs && run_->network->nodes() > 1) {
    throw GraphError(
        "arcs cannot be inferred from what its threads read and write on several nodes",
        "block '" + root.plan->block->name + "'",
        "declare arcs and what they carry, or put the threads into a block that is "
        "invoked");
  }
  const auto& inlet = root.plan->block->inlet;
  if (inlet) inlet(root.frame);
  give_shape(root);
  root.placement = std::make_unique<Placement>(root, run_->network->node(), run_->network->nodes());
  for (const auto& source : root.shape->sources) {
    for (std::uint32_t i = 0; i < source.tiles; ++i) {
      const auto tile = source.tile + i;
      const auto cells =
          source.tiles > 1 ? root.shape->threads[source.thread].existing_at(tile) : source.cells;
      const auto here = cells & root.placement->here(source.thread, tile);
      if (here != 0) give(root, source.thread, tile, here, true);
    }
  }
  push_ready(root);
}

void Worker::take_inputs(Context& root, const ArcPlan& arc, const Coordinates& producer,
                         std::uint64_t count) {
  if (arc.delivery == Delivery::kAll || arc.delivery == Delivery::kSingle) {
    count_producers(root, arc, count);
  } else {
    const int here = run_->network->node();
    for_each_consumer(root, arc, producer, [&](std::uint32_t tile, unsigned cell) {
      if (root.placement->node_of(arc.to, tile, cell) == here) give_input(root, arc, tile, cell);
    });
  }
  push_ready(root);
}

// Queues what has become ready; the caller keeps its own share of the context's activity.
void Worker::push_ready(Context& context) {
  auto& ready = acknowledgements_.take_all(context);
  for (const auto& item : ready) open_and_push(item);
  acknowledgements_.clear();
}

void Worker::take_invocation(Context& root, std::uint32_t block, std::span<const std::byte> frame,
                             int from, std::uint64_t ticket) {
  const auto& plan = *run_->plan->blocks[block];
  Context& context = *pool_.take(plan);
  try {
    make_frame(*plan.block, context.frame, frame.data(), frame.size());
  } catch (...) {
    pool_.give_back(&context);
    throw;
  }
  ++done_.contexts;
  context.caller = nullptr;
  context.ticket = ticket;
  context.from_node = from;
  root.activity.fetch_add(1, std::memory_order_relaxed);
  context.root = &root;
  push({&context, kStartContext, 1, 0, 1});
}

void Worker::take_results(Context& caller, std::uint32_t thread, std::uint32_t tile, unsigned cell,
                          Join* join, void* frame) {
  if (!is_last_of(join)) return;
  const auto& plan = caller.plan->threads[thread];
  const auto& shape = caller.shape->threads[thread];
  const Position position(shape, tile);
  if (!run_->stopping()) {
    if (plan.thread->invocation.take_results) {
      plan.thread->invocation.take_results(caller.frame, shape.grid.coordinates(position.at, cell),
                                           frame);
    }
    if (plan.counted) carried_ = 1;
    flush_carried(caller);
    const auto ready = acknowledge(caller, plan, shape, position, std::uint64_t{1} << cell);
    if (ready != 0) acknowledgements_.add_ready(caller, thread, tile, ready);
    push_ready(caller);
  }
  release_from_outside(caller);
}

void Worker::release_from_outside(Context& context) {
  if (const auto next = release(&context)) push(*next);
}

}  // namespace raddle::ddm::native
