// The part of a worker that stands for the post-processing unit: consumers of threads that have
// run, ends of contexts.
#include <algorithm>
#include <bit>

#include "ddm/graph_walk.h"
#include "ddm/native/bindings.h"
#include "ddm/native/network.h"
#include "ddm/native/worker.h"

namespace raddle::ddm::native {

// Gives the cells of the same tile that are ready now; all else that becomes ready is in the
// acknowledgement queue.
std::uint64_t Worker::acknowledge(Context& context, const ThreadPlan& plan,
                                  const ThreadShape& shape, const Position& position,
                                  std::uint64_t cells) {
  if (plan.kind == ThreadKind::kSwitch) check_choices(context, plan, shape, position, cells);
  if (context.placement) {
    acknowledge_distributed(context, plan, shape, position, cells);
    return 0;
  }
  std::uint64_t once = 0;
  std::uint64_t ready = 0;
  for (const auto& arc : plan.consumers) {
    auto enabled = cells;
    if (arc.conditional) {
      for (auto left = cells; left != 0; left &= left - 1) {
        if (choices_[std::countr_zero(left)] != arc.when) enabled &= ~(left & (~left + 1));
      }
    }
    if (arc.within_thread) {
      auto moved = arc.offset.move_within(enabled) & position.existing;
      enabled &= ~arc.offset.staying();
      if (shape.bound) [[unlikely]]
        moved = keep_own(context, arc.to, position.tile, moved, false);
      if (shape.sync == Sync::kCount) {
        ready |= acknowledgements_.count_down(context, shape, position.tile, moved);
      } else if (shape.sync == Sync::kPair) {
        ready |= once & moved;
        once ^= moved;
      } else {
        ready |= moved;
      }
    }
    if (enabled != 0) acknowledge_arc(context, arc, shape, position, enabled);
  }
  return acknowledgements_.settle(context, shape, position.tile, once, ready);
}

void Worker::check_choices(const Context& context, const ThreadPlan& plan, const ThreadShape& shape,
                           const Position& position, std::uint64_t cells) const {
  for (auto left = cells; left != 0; left &= left - 1) {
    const auto cell = static_cast<unsigned>(std::countr_zero(left));
    const auto choice = choices_[cell];
    const auto& arcs = plan.consumers;
    if (std::ranges::any_of(
            arcs, [&](const ArcPlan& arc) { return arc.conditional && arc.when == choice; }))
      continue;
    const auto thread = static_cast<std::uint32_t>(&plan - context.plan->threads.data());
    throw missing_case_error(*context.plan->block, thread,
                             shape.grid.coordinates(position.at, cell), choice);
  }
}

void Worker::acknowledge_arc(Context& context, const ArcPlan& arc, const ThreadShape& shape,
                             const Position& position, std::uint64_t cells) {
  const auto& to = context.shape->threads[arc.to];
  switch (arc.delivery) {
    case Delivery::kOffset:
      arc.offset.move(position.at, cells, [&](const TilePosition& target, std::uint64_t moved) {
        if (!to.grid.contains(target)) return;
        const auto tile = to.grid.tile(target);
        moved &= to.existing_at(tile, target);
        if (moved != 0) give(context, arc.to, tile, moved, false);
      });
      break;
    case Delivery::kSingle: give(context, arc.to, 0, 1, false); break;
    case Delivery::kAll: {
      const auto count = std::uint64_t{count_cells(cells)};
      auto& producers = context.producers_left(arc.number);
      if (producers.fetch_sub(count, std::memory_order_acq_rel) != count) break;
      producers.store(context.shape->producers[arc.number], std::memory_order_relaxed);
      give_all(context, arc.to);
      break;
    }
    case Delivery::kMap:
      for (auto left = cells; left != 0; left &= left - 1) {
        acknowledge_mapped(
            context, arc,
            shape.grid.coordinates(position.at, static_cast<unsigned>(std::countr_zero(left))));
      }
      break;
    case Delivery::kAlone: give(context, arc.to, position.tile, cells, true); break;
    case Delivery::kData: acknowledge_data(context, arc.to, shape, position.tile, cells); break;
  }
}

// To those that come after instances of a thread because of their data.
[[gnu::noinline]] void Worker::acknowledge_data(Context& context, std::uint32_t thread,
                                                const ThreadShape& shape, std::uint32_t tile,
                                                std::uint64_t cells) {
  for (; cells != 0; cells &= cells - 1) {
    const auto cell = static_cast<unsigned>(std::countr_zero(cells));
    for (const auto& next :
         context.shape->order->after(thread, shape.grid.cells_per_tile() * tile + cell)) {
      const auto [to, target] = context.shape->threads[next.thread].grid.of_slot(next.slot);
      give(context, next.thread, to, std::uint64_t{1} << target, false);
    }
  }
}

void Worker::acknowledge_mapped(Context& context, const ArcPlan& arc, const Coordinates& at) {
  const auto& to = context.shape->threads[arc.to];
  arc.arc->map(context.frame, at, [&](const Coordinates& target) {
    const auto cell = std::uint64_t{1} << to.grid.cell_of(target);
    if (!to.grid.extents().contains(target) ||
        (to.existing_at(to.grid.tile_of(target)) & cell) == 0) {
      // The mapping was sound when the block was loaded; this names what it has become.
      for_each_target(*context.plan->block, *arc.arc, context.frame, to.grid.extents(), at,
                      [](const Coordinates&) {});
      return;
    }
    give(context, arc.to, to.grid.tile_of(target), cell, false);
  });
}

// What has become ready: one item is run next, the others are queued so that they come in the order
// of thread and index.
std::optional<Item> Worker::queue_ready(Context& context) {
  auto& ready = acknowledgements_.take_all(context);
  if (ready.empty()) return std::nullopt;
  if (context.plan->has_special) [[unlikely]] {
    context.activity.fetch_add(ready.size(), std::memory_order_relaxed);
    for (std::size_t i = ready.size(); i-- > 0;) queue(ready[i]);
    acknowledgements_.clear();
    return std::nullopt;
  }
  if (ready.size() > 1) {
    context.activity.fetch_add(ready.size() - 1, std::memory_order_relaxed);
    if (run_->options.reorder && ready.size() > 2) {
      std::ranges::sort(
          ready, {}, [](const Item& item) { return std::uint64_t{item.thread} << 32 | item.tile; });
    }
    for (std::size_t i = ready.size(); i-- > 1;) queue(ready[i]);
  }
  const Item next = ready.front();
  acknowledgements_.clear();
  return next;
}

std::optional<Item> Worker::follow(Context& context) {
  if (auto next = queue_ready(context)) return next;
  return release(&context);
}

void Worker::flush_carried(Context& context) {
  if (carried_ == 0) return;
  context.activity.fetch_add(carried_ << Context::kFiredShift, std::memory_order_relaxed);
  carried_ = 0;
}

// Some things less to do in a context. The last one ends it, which is an instance less to wait for
// in the caller's context.
std::optional<Item> Worker::release(Context* context, std::uint64_t parts) {
  for (;; parts = 1) {
    const auto change = (carried_ << Context::kFiredShift) - parts;
    carried_ = 0;
    const auto before = context->activity.fetch_add(change, std::memory_order_acq_rel);
    if ((before & Context::kOpenMask) != parts) return std::nullopt;
    end_context(*context);
    Context* caller = context->caller;
    if (caller == nullptr && context->ticket == 0) {
      run_->end();
      return std::nullopt;
    }
    if (caller == nullptr) {
      if (!run_->stopping()) run_->network->send_results(*context);
      Context* root = context->root;
      free_context(context);
      current_ = context = root;
      continue;
    }
    const auto thread = context->caller_thread;
    const auto tile = context->caller_tile;
    const auto cell = context->caller_cell;
    Join* join = context->join;
    free_context(context);
    if (!is_last_of(join)) return std::nullopt;
    current_ = context = caller;
    if (run_->stopping()) continue;
    const auto& plan = caller->plan->threads[thread];
    const auto& shape = caller->shape->threads[thread];
    if (plan.counted) carried_ = 1;
    const auto ready =
        acknowledge(*caller, plan, shape, Position(shape, tile), std::uint64_t{1} << cell);
    if (ready != 0) acknowledgements_.add_ready(*caller, thread, tile, ready);
    if (auto next = queue_ready(*caller)) return next;
  }
}

void Worker::end_context(Context& context) {
  if (run_->stopping()) return;
  try {
    if (context.shape != nullptr && !context.placement) {  // spread over nodes: see MpiNetwork
      const auto fired = context.activity.load(std::memory_order_relaxed) >> Context::kFiredShift;
      if (auto error = find_starvation(context, fired)) std::rethrow_exception(error);
    }
    if (context.profile) profile_end(context);
    if (context.plan->block->outlet) context.plan->block->outlet(context.frame);
    if (context.caller == nullptr) return;
    const auto& thread = context.caller->plan->threads[context.caller_thread];
    if (thread.kind != ThreadKind::kCall || !thread.thread->invocation.take_results) return;
    const auto& grid = context.caller->shape->threads[context.caller_thread].grid;
    thread.thread->invocation.take_results(
        context.caller->frame,
        grid.coordinates(grid.position(context.caller_tile), context.caller_cell), context.frame);
  } catch (...) {
    run_->fail(std::current_exception());
  }
}

}  // namespace raddle::ddm::native
