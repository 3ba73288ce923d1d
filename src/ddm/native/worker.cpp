#include "ddm/native/worker.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "ddm/graph_walk.h"
#include "ddm/native/network.h"
#include "ddm/native/thread_pool.h"

namespace raddle::ddm::native {
namespace {

// Looks at all other queues before a worker goes to sleep: some 200 microseconds, as waking it
// takes up to 100; or, where there are more threads than cores and whoever has work may be waiting
// for one, a few.
constexpr int kSpins = 3000;
constexpr int kSpinsOfTooMany = 50;
// With other nodes each look is one at the network, too, which takes several times as long.
constexpr int kSpinsOnNetwork = 600;

// Ranges of ready tiles are split until they are this small, so that others can take a share.
constexpr std::uint32_t kRangeGrain = 8;

constexpr std::chrono::milliseconds kNap{1};

}  // namespace

void Worker::begin(Run& run) {
  run_ = &run;
  costs_.assign(run.plan->threads, 0);
  latest_shapes_.assign(run.plan->blocks.size(), nullptr);
  done_ = {};
  left_ = false;
}

void Worker::finish(Report& report) {
  report.threads_fired += done_.threads_fired;
  report.contexts += done_.contexts;
  report.steals += done_.steals;
  report.parks += done_.parks;
  report.prefetches += done_.prefetches;
  report.most_live_contexts +=
      static_cast<std::uint64_t>(std::max<std::int64_t>(0, pool_.most_live()));
  pool_.clear();
  latest_shapes_.clear();
  run_ = nullptr;
}

void Worker::take_part(Run& run, bool may_leave) {
  may_leave_ = may_leave && !run.keeps_threads;
  if (std::exchange(left_, false)) run.parked.fetch_sub(1, std::memory_order_seq_cst);
  run.waking.store(false, std::memory_order_seq_cst);  // this thread may be whom it is about
  Item item;
  while (!left_ && !run.ended.load(std::memory_order_acquire)) {
    if (!next(item) && !steal_some(item) && !wait_for_work(item)) continue;
    if (credits_ != 0 && item.context != credit_context_) return_credits();
    fire(item);
  }
}

// WQ to FQ: what threads of the firing queue read is fetched ahead. While others are out of work
// nothing is held back.
bool Worker::next(Item& item) {
  if (run_->plan->has_special && next_special(item)) return true;
  const bool hungry = run_->attention.load(std::memory_order_relaxed) != 0;
  const auto ahead = run_->plan->has_reads && !hungry
                         ? static_cast<std::size_t>(run_->options.prefetch_distance)
                         : 0;
  if (firing_queue_.empty() && ahead == 0) return queue_.pop(item);
  while (firing_queue_.size() <= ahead && queue_.pop(item)) {
    prefetch_first(item);
    firing_queue_.push_back(item);
  }
  if (firing_queue_.empty()) return false;
  item = firing_queue_.front();
  firing_queue_.erase(firing_queue_.begin());
  if (hungry) {
    while (!firing_queue_.empty()) {
      push(firing_queue_.back());
      firing_queue_.pop_back();
    }
  }
  return true;
}

bool Worker::steal_some(Item& item) {
  const auto& workers = run_->workers;
  random_ ^= random_ << 13;
  random_ ^= random_ >> 17;
  random_ ^= random_ << 5;
  const auto first = random_ % workers.size();
  for (std::size_t i = 0; i < workers.size(); ++i) {
    Worker* victim = workers[(first + i) % workers.size()];
    if (victim == this || !victim->steal(item)) continue;
    ++done_.steals;
    if (victim->has_queued()) run_->wake_one();
    return true;
  }
  // What has a priority below that of all threads without one.
  constexpr auto kAny = std::numeric_limits<std::int64_t>::min();
  return run_->plan->has_priorities && run_->priorities.take(item, kAny);
}

bool Worker::wait_for_work(Item& item) {
  if (run_->timeline == nullptr) return look_for_work(item);
  const auto begin = Timeline::Clock::now();
  const bool found = look_for_work(item);
  if (number_ < run_->crew) run_->timeline->add_wait(number_, begin, Timeline::Clock::now());
  return found;
}

bool Worker::look_for_work(Item& item) {
  run_->attention.fetch_add(1, std::memory_order_relaxed);
  Network* network = run_->network;
  const int spins = run_->crowded ? kSpinsOfTooMany : network == nullptr ? kSpins : kSpinsOnNetwork;
  if (network != nullptr) network->begin_listening();
  bool found = false;
  while (!found && !left_ && !run_->ended.load(std::memory_order_acquire)) {
    for (int i = 0; i < spins && !run_->ended.load(std::memory_order_relaxed); ++i) {
      // Messages and operations that have ended may have filled this worker's own queue.
      found =
          (run_->plan->has_special && (next_special(item) || queue_.pop(item))) || steal_some(item);
      if (found) break;
      if (network == nullptr) {
        relax();
      } else if (!network->listen(*this)) {
        break;
      }
    }
    if (found) break;
    if (network != nullptr) network->end_listening(true);
    park();
    if (network != nullptr) network->begin_listening();
  }
  if (network != nullptr) network->end_listening(false);
  run_->attention.fetch_sub(1, std::memory_order_relaxed);
  run_->waking.store(false, std::memory_order_seq_cst);
  return found;
}

// Whoever queues something may count on a worker that was just leaving: `waking` then stays set
// with nobody on the way. It is taken back before the last look at the queues, so that what is
// queued after that look wakes somebody.
void Worker::park() {
  const auto seen = run_->wakeups.value();
  run_->parked.fetch_add(1, std::memory_order_seq_cst);
  run_->waking.store(false, std::memory_order_seq_cst);
  if (!run_->has_work() && inbox_.front() == nullptr &&
      !run_->ended.load(std::memory_order_seq_cst)) {
    if (leaves()) return;
    ++done_.parks;
    naps_.fetch_add(1, std::memory_order_relaxed);
    if (run_->plan->has_bound) {
      run_->wakeups.wait_for(seen, kNap);  // whoever sends a message may miss that this one sleeps
    } else {
      run_->wakeups.wait(seen);
    }
    naps_.fetch_add(1, std::memory_order_relaxed);
    if (!run_->has_work() && leaves()) return;
  }
  run_->parked.fetch_sub(1, std::memory_order_seq_cst);
  run_->waking.store(false, std::memory_order_seq_cst);
}

// Whether another run is short of threads and this one can do without.
bool Worker::leaves() {
  left_ = may_leave_ && run_->team.pool->wants_threads() && run_->team.pool->leave(*run_);
  return left_;
}

void Worker::push(const Item& item) {
  queue_.push(item);
  run_->wake_one();
}

void Worker::open_and_push(const Item& item) {
  item.context->activity.fetch_add(1, std::memory_order_relaxed);
  push(item);
}

void Worker::fire(Item item) {
  std::optional<Item> next = item;
  while (next) next = step(*next);
}

std::optional<Item> Worker::step(const Item& item) {
  current_ = item.context;
  try {
    if (run_->stopping()) return release(item.context);
    if (item.thread == kStartContext) return start(*item.context);
    return run_tiles(item);
  } catch (...) {
    run_->fail(std::current_exception());
    acknowledgements_.clear();
    carried_ = 0;
    return release(current_);
  }
}

std::optional<Item> Worker::run_tiles(Item item) {
  Context& context = *item.context;
  const auto& plan = context.plan->threads[item.thread];
  const auto& shape = context.shape->threads[item.thread];
  if (shape.special) return run_special(item);
  if (item.tiles > 1) item.cells = shape.existing_at(item.tile);
  if (plan.kind == ThreadKind::kCall || plan.kind == ThreadKind::kDynamic) {
    flush_carried(context);
    if (item.tiles > 1) {
      open_and_push(
          {&context, item.thread, item.tiles - 1, item.tile + 1, shape.existing_at(item.tile + 1)});
    }
    if (item.cells == 0) return release(&context);
    if (plan.kind == ThreadKind::kCall)
      return run_call(context, item.thread, item.tile, item.cells);
    return run_dynamic(context, item.thread, item.tile, item.cells);
  }
  if (is_long(plan)) return run_one_by_one(item);
  while (item.tiles > kRangeGrain) {
    const auto half = item.tiles / 2;
    item.tiles -= half;
    const auto first = item.tile + item.tiles;
    open_and_push({&context, item.thread, half, first, shape.existing_at(first)});
  }
  for (;;) {
    const bool stopped = run_tile(context, item.thread, Position(shape, item.tile), item.cells);
    if (--item.tiles == 0) break;
    item.cells = shape.existing_at(++item.tile);
    if (stopped || run_->attention.load(std::memory_order_relaxed) != 0) {
      open_and_push(item);
      break;
    }
  }
  return follow(context);
}

// Queues the upper half of the cells, for whoever is out of work, and gives the lower one.
std::uint64_t Worker::share_half(Context& context, std::uint32_t thread, std::uint32_t tile,
                                 std::uint64_t cells) {
  std::uint64_t upper = cells;
  for (auto kept = (count_cells(cells) + 1) / 2; kept > 0; --kept) upper &= upper - 1;
  if (upper != 0) open_and_push({&context, thread, 1, tile, upper});
  return cells & ~upper;
}

// Runs cells of a tile and what becomes ready in the same tile; true if the run stops.
bool Worker::run_tile(Context& context, std::uint32_t thread, const Position& position,
                      std::uint64_t cells) {
  const auto& plan = context.plan->threads[thread];
  const auto& shape = context.shape->threads[thread];
  const bool simple = !plan.has_reads && run_->timeline == nullptr;
  Batch batch{position.origin, 0, &run_->attention, choices_};
  while (cells != 0) {
    const bool single = (cells & (cells - 1)) == 0;
    std::uint64_t left = 0;
    if (simple && (single || run_->attention.load(std::memory_order_relaxed) == 0)) {
      batch.left = cells;
      plan.run(plan.body, context.frame, batch);
      left = batch.left;
    } else {
      left = run_batch(context, plan, shape, position, cells);
    }
    const auto ran = cells & ~left;
    const auto count = count_cells(ran);
    done_.threads_fired += count;
    if (plan.counted) carried_ += count;
    cells = left | acknowledge(context, plan, shape, position, ran);
    if (left != 0) {
      if (run_->stopping()) return true;
      // Worth a hand-over when it takes longer than the hand-over itself.
      constexpr std::uint64_t kWorthSharing = 1000;
      if (std::uint64_t{costs_[plan.ordinal]} * count_cells(left) >= kWorthSharing) {
        cells = share_half(context, thread, position.tile, cells);
      }
    }
  }
  return false;
}

// Runs cells until all have run or, if they are worth sharing, until another worker is out of work.
// Gives those left.
std::uint64_t Worker::run_batch(Context& context, const ThreadPlan& plan, const ThreadShape& shape,
                                const Position& position, std::uint64_t cells) {
  static const std::atomic<std::uint32_t> no_attention{0};
  const bool several = (cells & (cells - 1)) != 0;
  const bool wanted = several && run_->attention.load(std::memory_order_relaxed) != 0;
  if (!wanted && run_->timeline == nullptr)
    return run_cells(context, plan, shape, position, cells, run_->attention);
  constexpr std::uint64_t kTooLittle = 2000;
  const auto cost = costs_[plan.ordinal];
  const auto expected = std::uint64_t{cost} * count_cells(cells);
  const bool alone = wanted && cost != 0 && expected < kTooLittle && !run_->stopping();
  return run_timed(context, plan, shape, position, cells, alone ? no_attention : run_->attention);
}

// Runs cells and measures what an instance takes. Gives those left.
std::uint64_t Worker::run_timed(Context& context, const ThreadPlan& plan, const ThreadShape& shape,
                                const Position& position, std::uint64_t cells,
                                const std::atomic<std::uint32_t>& attention) {
  const auto begin = Timeline::Clock::now();
  const auto left = run_cells(context, plan, shape, position, cells, attention);
  const auto end = Timeline::Clock::now();
  const auto count = count_cells(cells & ~left);
  const auto each =
      std::chrono::duration_cast<std::chrono::nanoseconds>(end - begin).count() / count;
  costs_[plan.ordinal] = static_cast<std::uint32_t>(std::clamp<std::int64_t>(each, 1, 0x7fffffff));
  if (context.profile) {
    const double seconds = std::chrono::duration<double>(end - begin).count() / count;
    const auto thread = static_cast<std::uint32_t>(&plan - context.plan->threads.data());
    for (auto ran = cells & ~left; ran != 0; ran &= ran - 1) {
      context.profile->add(thread,
                           shape.grid.cells_per_tile() * position.tile +
                               static_cast<std::size_t>(std::countr_zero(ran)),
                           seconds);
    }
  }
  if (run_->timeline != nullptr) {
    const auto first =
        shape.grid.coordinates(position.at, static_cast<unsigned>(std::countr_zero(cells)));
    run_->timeline->add(number_, *context.plan, plan, first, count, begin, end);
  }
  return left;
}

std::uint64_t Worker::run_cells(Context& context, const ThreadPlan& plan, const ThreadShape& shape,
                                const Position& position, std::uint64_t cells,
                                const std::atomic<std::uint32_t>& attention) {
  Batch batch{position.origin, cells, &attention, choices_};
  if (plan.has_reads && run_->options.prefetch_distance > 0 && (cells & (cells - 1)) != 0) {
    return run_ahead(context, plan, shape, position, batch);
  }
  plan.run(plan.body, context.frame, batch);
  return batch.left;
}

// CacheFlow: while some instances run, what the next ones read is on its way into the cache.
std::uint64_t Worker::run_ahead(Context& context, const ThreadPlan& plan, const ThreadShape& shape,
                                const Position& position, Batch& batch) {
  const auto first_of = [&](std::uint64_t cells) {
    std::uint64_t first = 0;
    for (int i = 0; i < run_->options.prefetch_distance && cells != 0; ++i, cells &= cells - 1) {
      first |= cells & (~cells + 1);
    }
    return first;
  };
  std::uint64_t left = batch.left;
  auto window = first_of(left);
  while (left != 0) {
    const auto ahead = first_of(left & ~window);
    for (auto cells = ahead; cells != 0; cells &= cells - 1) {
      prefetch(context, plan,
               shape.grid.coordinates(position.at, static_cast<unsigned>(std::countr_zero(cells))));
    }
    batch.left = window;
    plan.run(plan.body, context.frame, batch);
    left &= ~(window & ~batch.left);
    if (batch.left != 0) break;
    window = ahead;
    if (batch.attention->load(std::memory_order_relaxed) != 0) break;
  }
  return left;
}

void Worker::prefetch(const Context& context, const ThreadPlan& plan, const Coordinates& at) {
  constexpr std::size_t kLine = 64;
  constexpr std::size_t kMaxBytes =
      2048;  // of one operand: more would drive out what was fetched before
  plan.thread->reads(context.frame, at, [&](Operand operand) {
    const auto bytes = std::min(operand.bytes, kMaxBytes);
    for (std::size_t offset = 0; offset < bytes; offset += kLine)
      __builtin_prefetch(operand.data + offset);
    ++done_.prefetches;
  });
}

void Worker::prefetch_first(const Item& item) {
  if (item.thread == kStartContext) return;
  const auto& plan = item.context->plan->threads[item.thread];
  if (!plan.has_reads || item.cells == 0) return;
  const auto& grid = item.context->shape->threads[item.thread].grid;
  prefetch(*item.context, plan,
           grid.coordinates(grid.position(item.tile),
                            static_cast<unsigned>(std::countr_zero(item.cells))));
}

}  // namespace raddle::ddm::native
