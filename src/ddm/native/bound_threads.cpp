// The part of a worker that runs threads bound to workers. Inputs for instances of another worker
// go to its inbox. What is queued, running or on its way counts in the context's activity; a worker
// keeps what it is done with, to spend it on its next messages, and gives it back when it is idle:
// else two workers that exchange messages would exchange the counter's cache line as well.
#include <bit>

#include "ddm/native/bindings.h"
#include "ddm/native/network.h"
#include "ddm/native/worker.h"

namespace raddle::ddm::native {
namespace {

// Looks into an empty inbox before a worker gives its credits back and looks for other work: some
// microseconds.
constexpr int kLooks = 100;
constexpr int kLooksAtNetwork = 25;  // which take longer
constexpr std::uint64_t kCreditsAtOnce = 16;

}  // namespace

// Sends away what is not of this worker, and gives the rest.
std::uint64_t Worker::keep_own(Context& context, std::uint32_t thread, std::uint32_t tile,
                               std::uint64_t cells, bool ready) {
  const auto own = cells & context.bindings->cells_of(thread, tile, number_);
  if (own != cells) send_to_owners(context, thread, tile, cells & ~own, ready);
  return own;
}

// One input for every instance of a thread.
void Worker::give_all(Context& context, std::uint32_t thread) {
  const auto& shape = context.shape->threads[thread];
  if (!shape.bound) {
    acknowledgements_.add_all(context, thread);
    return;
  }
  for (std::uint32_t tile = 0; tile < shape.grid.tiles(); ++tile)
    give(context, thread, tile, shape.existing_at(tile), false);
}

// Instances that start without inputs.
void Worker::give_source(Context& context, const Source& source) {
  for (std::uint32_t i = 0; i < source.tiles; ++i) {
    const auto tile = source.tile + i;
    give(context, source.thread, tile,
         source.tiles > 1 ? context.shape->threads[source.thread].existing_at(tile) : source.cells,
         true);
  }
}

void Worker::give_bindings(Context& context) {
  const auto& plan = *context.plan;
  if (!plan.has_bound) return;
  const auto workers = static_cast<unsigned>(run_->crew);
  const bool fixed = plan.fixed_shape && !plan.bindings_depend_on_frame;
  if (!fixed) {
    context.bindings =
        std::make_shared<Bindings>(plan, *context.shape, context.frame, run_->memory_nodes);
    return;
  }
  const std::lock_guard lock(plan.bindings_mutex);
  if (!plan.bindings || plan.bindings->workers() != workers)
    plan.bindings = std::make_shared<Bindings>(plan, *context.shape, nullptr, run_->memory_nodes);
  context.bindings = plan.bindings;
}

void Worker::send_to_owners(Context& context, std::uint32_t thread, std::uint32_t tile,
                            std::uint64_t cells, bool ready) {
  for (unsigned worker = 0; cells != 0; ++worker) {
    const auto its = cells & context.bindings->cells_of(thread, tile, worker);
    if (its == 0) continue;
    cells &= ~its;
    take_credits(context, 1);
    Inbox& inbox = run_->workers[worker]->inbox_;
    while (!inbox.send({&context, thread, tile, its, ready})) {
      make_room();
      if (helper_ != nullptr) helper_->make_room();
    }
    // Without a barrier in between: one that goes to sleep just now looks again after a while.
    if (run_->parked.load(std::memory_order_relaxed) != 0) run_->wake_all();
  }
}

// The receiver may be waiting for room as well, in this worker's inbox.
void Worker::make_room() {
  for (; const Message* message = inbox_.front(); inbox_.pop()) backlog_.push_back(*message);
}

// So many parts of the context's activity, for messages and queued items.
void Worker::take_credits(Context& context, std::uint64_t count) {
  const bool held = credit_context_ == &context;
  if (held && credits_ >= count) {
    credits_ -= count;
    return;
  }
  const bool keeps = (held || credits_ == 0) && number_ < run_->crew;
  const auto taken = count + (keeps ? kCreditsAtOnce : 0);
  context.activity.fetch_add(taken, std::memory_order_relaxed);
  if (!keeps) return;
  credit_context_ = &context;
  credits_ += kCreditsAtOnce;
}

void Worker::return_credits() {
  if (credits_ == 0) return;
  const auto count = std::exchange(credits_, 0);
  if (const auto next = release(credit_context_, count)) queue(*next);
}

// Credits are of one context at a time.
void Worker::keep_credits_of(Context& context) {
  if (credit_context_ == &context) return;
  const auto fired = std::exchange(carried_, 0);  // of this context
  return_credits();
  carried_ = fired;
  credit_context_ = &context;
}

// To the waiting queue or, if it is bound to this worker, to where nobody else takes it.
void Worker::queue(const Item& item) {
  const bool special =
      item.thread != kStartContext && item.context->shape->threads[item.thread].special;
  if (!special) {
    push(item);
  } else if (item.context->shape->threads[item.thread].bound) {
    own_queue_.push_back(item);
  } else {
    queue_each(item);
  }
}

std::optional<Item> Worker::run_bound(const Item& item) {
  Context& context = *item.context;
  keep_credits_of(context);
  const auto& plan = context.plan->threads[item.thread];
  const auto& shape = context.shape->threads[item.thread];
  const Position position(shape, item.tile);
  auto cells = item.cells;
  while (cells != 0) {
    const auto cell = cells & (~cells + 1);
    if (run_->timeline != nullptr || plan.has_reads) {
      run_timed(context, plan, shape, position, cell, run_->attention);
    } else {
      Batch batch{position.origin, cell, &run_->attention, choices_};
      plan.run(plan.body, context.frame, batch);
    }
    ++done_.threads_fired;
    if (plan.counted) ++carried_;
    cells = (cells & ~cell) | acknowledge(context, plan, shape, position, cell);
    if (run_->stopping()) break;
  }
  auto& ready = acknowledgements_.take_all(context);
  ++credits_;  // the item's own
  if (ready.empty()) return std::nullopt;
  take_credits(context, ready.size());
  for (std::size_t i = 1; i < ready.size(); ++i) queue(ready[i]);
  const Item next = ready.front();
  acknowledgements_.clear();
  if (context.shape->threads[next.thread].bound) return next;
  queue(next);
  return std::nullopt;
}

// What is bound to this worker and ready.
bool Worker::next_bound(Item& item) {
  Network* network = run_->network;
  const int most = network != nullptr ? kLooksAtNetwork : kLooks;
  for (int look = 0;; ++look) {
    if (!own_queue_.empty()) {
      item = own_queue_.front();
      own_queue_.pop_front();
      return true;
    }
    if (take_messages()) continue;
    if (credits_ == 0 || !queue_.empty()) return false;
    if (look == most || run_->ended.load(std::memory_order_relaxed)) break;
    if (network == nullptr) {
      relax();
    } else if (!network->listen(*this)) {
      break;
    }
  }
  return_credits();
  return false;
}

// Takes the messages of one context.
bool Worker::take_messages() {
  const bool late = !backlog_.empty();
  const Message* message = late ? &backlog_.front() : inbox_.front();
  if (message == nullptr) return false;
  Context& context = *message->context;
  keep_credits_of(context);
  while (message != nullptr && message->context == &context) {
    if (message->ready) {
      acknowledgements_.add_ready(context, message->thread, message->tile, message->cells);
    } else {
      acknowledgements_.add(context, message->thread, message->tile, message->cells);
    }
    ++credits_;  // the message's
    if (late) {
      backlog_.pop_front();
      message = backlog_.empty() ? nullptr : &backlog_.front();
    } else {
      inbox_.pop();
      message = inbox_.front();
    }
  }
  const auto& ready = acknowledgements_.take_all(context);
  if (!ready.empty()) take_credits(context, ready.size());
  for (const Item& each : ready) queue(each);
  acknowledgements_.clear();
  return true;
}

}  // namespace raddle::ddm::native
