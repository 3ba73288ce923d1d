// The part of a worker that runs threads whose instances take long. They run one by one, near ones
// after each other; those that wait are in the queue meanwhile, where workers without work find
// them at once. Queueing would cost short ones more than they take: these run in batches.
#include "ddm/native/near_order.h"
#include "ddm/native/worker.h"

namespace raddle::ddm::native {
namespace {

// Nanoseconds; a hundred times what it takes to queue an item and to take it back.
constexpr std::uint32_t kLong = 10000;

}  // namespace

// The first instance that a worker runs of a thread is measured, too.
bool Worker::is_long(const ThreadPlan& plan) const {
  const auto cost = costs_[plan.ordinal];
  return cost == 0 || cost >= kLong;
}

// What an instance makes ready in its own tile joins those that wait; consumers elsewhere are
// queued when the tile has no more, or at once if somebody is out of work.
std::optional<Item> Worker::run_one_by_one(const Item& item) {
  Context& context = *item.context;
  const auto& plan = context.plan->threads[item.thread];
  const auto& shape = context.shape->threads[item.thread];
  if (item.tiles > 1) {
    open_and_push(
        {&context, item.thread, item.tiles - 1, item.tile + 1, shape.existing_at(item.tile + 1)});
  }
  const Position position(shape, item.tile);
  const int dimensions = shape.grid.dimensions();
  auto cells = item.cells;
  while (cells != 0) {
    const auto cell = kNearOrder.first_of(dimensions, cells);
    const Item waiting{&context, item.thread, 1, item.tile, cells & ~cell};
    if (waiting.cells != 0) {
      open_and_push(waiting);
      if (run_->options.prefetch_distance > 0) prefetch_first(waiting);
    }
    run_timed(context, plan, shape, position, cell, run_->attention);
    ++done_.threads_fired;
    if (plan.counted) ++carried_;
    cells = acknowledge(context, plan, shape, position, cell);
    if (waiting.cells != 0) cells |= take_back(waiting);
    const bool wanted = run_->attention.load(std::memory_order_relaxed) != 0;
    if (cells != 0 && (wanted || !is_long(plan))) {
      acknowledgements_.add_ready(context, item.thread, item.tile, cells);
      break;
    }
  }
  return follow(context);
}

// The cells of what this worker has queued last, if nobody has stolen it.
std::uint64_t Worker::take_back(const Item& queued) {
  Item item;
  if (!queue_.pop(item)) return 0;
  const bool same = item.context == queued.context && item.thread == queued.thread &&
                    item.tile == queued.tile && item.tiles == 1 && item.cells == queued.cells;
  if (!same) {
    push(item);
    return 0;
  }
  item.context->activity.fetch_sub(1, std::memory_order_relaxed);
  return item.cells;
}

}  // namespace raddle::ddm::native
