// The part of a worker that runs threads with priorities and threads that something outside the run
// completes, and that chooses among what is ready where there are such threads.
#include <bit>

#include "ddm/native/worker.h"

namespace raddle::ddm::native {

// What comes before the worker's own queue.
bool Worker::next_special(Item& item) {
  const auto& plan = *run_->plan;
  if (plan.has_external && take_ended(item)) return true;
  if (plan.has_bound && next_bound(item)) return true;
  return plan.has_priorities && run_->priorities.take(item, 0);
}

std::optional<Item> Worker::run_special(const Item& item) {
  const auto& plan = item.context->plan->threads[item.thread];
  if (plan.bound) return run_bound(item);
  if (plan.kind == ThreadKind::kExternal && item.tiles == 1) return run_external(item);
  if (plan.prioritised && item.tiles == 1 && (item.cells & (item.cells - 1)) == 0)
    return run_prioritised(item);
  // From where there are no priorities; or several tiles of operations to be started.
  Context& context = *item.context;
  context.activity.fetch_add(1, std::memory_order_relaxed);  // the item's own is released below
  queue_each(item);
  return release(&context);
}

// One instance after another, each with a part of its context's activity.
void Worker::queue_each(const Item& item) {
  Context& context = *item.context;
  const auto& plan = context.plan->threads[item.thread];
  const auto& shape = context.shape->threads[item.thread];
  std::uint64_t parts = 0;
  for (std::uint32_t i = 0; i < item.tiles; ++i) {
    const auto tile = item.tile + i;
    const auto cells = item.tiles > 1 ? shape.existing_at(tile) : item.cells;
    parts += plan.prioritised ? count_cells(cells) : 1;
  }
  if (parts > 1) context.activity.fetch_add(parts - 1, std::memory_order_relaxed);
  for (std::uint32_t i = 0; i < item.tiles; ++i) {
    const auto tile = item.tile + i;
    auto cells = item.tiles > 1 ? shape.existing_at(tile) : item.cells;
    if (!plan.prioritised) {
      push({&context, item.thread, 1, tile, cells});
      continue;
    }
    const auto at = shape.grid.position(tile);
    for (; cells != 0; cells &= cells - 1) {
      const auto cell = static_cast<unsigned>(std::countr_zero(cells));
      run_->priorities.push({&context, item.thread, 1, tile, std::uint64_t{1} << cell},
                            priority_of(context, item.thread, tile, cell, at));
      run_->wake_one();
    }
  }
}

std::int64_t Worker::priority_of(const Context& context, std::uint32_t thread, std::uint32_t tile,
                                 unsigned cell, const TilePosition& at) {
  const auto& declared = context.plan->threads[thread].thread->priority;
  const auto& shape = context.shape->threads[thread];
  if (declared) return declared(context.frame, shape.grid.coordinates(at, cell));
  return static_cast<std::int64_t>(
      context.shape->distances[thread][shape.grid.cells_per_tile() * tile + cell]);
}

std::optional<Item> Worker::run_prioritised(const Item& item) {
  Context& context = *item.context;
  const auto& plan = context.plan->threads[item.thread];
  const auto& shape = context.shape->threads[item.thread];
  if (plan.kind == ThreadKind::kCall) {
    flush_carried(context);
    return run_call(context, item.thread, item.tile, item.cells);
  }
  if (plan.kind == ThreadKind::kDynamic) {
    flush_carried(context);
    return run_dynamic(context, item.thread, item.tile, item.cells);
  }
  const Position position(shape, item.tile);
  run_timed(context, plan, shape, position, item.cells, run_->attention);
  ++done_.threads_fired;
  if (plan.counted) ++carried_;
  const auto ready = acknowledge(context, plan, shape, position, item.cells);
  if (ready != 0) acknowledgements_.add_ready(context, item.thread, item.tile, ready);
  return follow(context);
}

// Each operation has a part of its context's activity, until its end has been taken note of.
std::optional<Item> Worker::run_external(const Item& item) {
  Context& context = *item.context;
  const auto& plan = context.plan->threads[item.thread];
  const auto& shape = context.shape->threads[item.thread];
  flush_carried(context);
  for (auto cells = item.cells; cells != 0; cells &= cells - 1) {
    const auto at = shape.grid.coordinates(shape.grid.position(item.tile),
                                           static_cast<unsigned>(std::countr_zero(cells)));
    const auto begin = Timeline::Clock::now();
    context.activity.fetch_add(1, std::memory_order_relaxed);
    plan.thread->code.run_external(
        plan.body, context.frame, at,
        run_->operations->begin({&context, context.plan->block, item.thread, at, nullptr}));
    ++done_.threads_fired;
    if (run_->timeline != nullptr) {
      run_->timeline->add(number_, *context.plan, plan, at, 1, begin, Timeline::Clock::now());
    }
    if (run_->stopping()) break;
  }
  return release(&context);
}

// Operations that have ended: what they make ready.
bool Worker::take_ended(Item& item) {
  while (const auto ended = run_->operations->take()) {
    if (const auto next = end_operation(*ended)) {
      item = *next;
      return true;
    }
  }
  return false;
}

std::optional<Item> Worker::end_operation(const Operations::Operation& ended) {
  Context& context = *static_cast<Context*>(ended.context);
  if (credits_ != 0 && credit_context_ != &context) return_credits();
  current_ = &context;
  if (ended.error) run_->fail(ended.error);
  if (run_->stopping()) return release(&context);
  const auto& plan = context.plan->threads[ended.thread];
  const auto& shape = context.shape->threads[ended.thread];
  const auto tile = shape.grid.tile_of(ended.at);
  const auto cell = std::uint64_t{1} << shape.grid.cell_of(ended.at);
  try {
    if (plan.counted) carried_ = 1;
    const auto ready = acknowledge(context, plan, shape, Position(shape, tile), cell);
    if (ready != 0) acknowledgements_.add_ready(context, ended.thread, tile, ready);
    return follow(context);
  } catch (...) {
    run_->fail(std::current_exception());
    acknowledgements_.clear();
    carried_ = 0;
    return release(current_);
  }
}

}  // namespace raddle::ddm::native
