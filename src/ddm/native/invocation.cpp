// The part of a worker that loads code blocks: call and dynamic threads, inlet threads,
// synchronization memory.
#include <bit>

#include "ddm/graph_walk.h"
#include "ddm/native/network.h"
#include "ddm/native/placement.h"
#include "ddm/native/worker.h"

namespace raddle::ddm::native {

// Contexts that a dynamic thread has invoked; they start when it has run.
class Worker::Collector : public Invoker {
 public:
  Collector(Worker& worker, Context& caller, std::uint32_t thread, std::uint32_t tile,
            unsigned cell)
      : worker_(worker), caller_(caller), thread_(thread), tile_(tile), cell_(cell) {}
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;
  ~Collector() override {
    for (Context* context : made) worker_.free_context(context);  // only if the thread threw
  }

  void invoke(const BlockGraph& block, void* frame, int node) override {
    const Network* network = worker_.run_->network;
    const int nodes = network != nullptr ? network->nodes() : 1;
    if (node != kHere && (node < 0 || node >= nodes)) {
      throw GraphError("it invokes block '" + block.name + "' on node " + std::to_string(node) +
                           ", but there are " + std::to_string(nodes),
                       thread_name(*caller_.plan->block, thread_), "nodes are numbered from 0");
    }
    Context& context = worker_.invoke(worker_.plan_of(block), caller_, thread_, tile_, cell_);
    block.frame.move(context.frame, frame);
    made.push_back(&context);
    const bool here = network == nullptr || node == kHere || node == network->node();
    nodes_.push_back(here ? kHere : node);
  }

  // Sends away those for other nodes. The thread's consumers wait for `join`.
  void send(Network& network, Join* join) {
    std::vector<Context*> kept;
    for (std::size_t i = 0; i < made.size(); ++i) {
      if (nodes_[i] == kHere) {
        kept.push_back(made[i]);
        continue;
      }
      network.send_invocation(nodes_[i], caller_, thread_, tile_, cell_, join, *made[i]->plan,
                              made[i]->frame);
      worker_.free_context(made[i]);
    }
    made = std::move(kept);
  }

  std::vector<Context*> made;

 private:
  std::vector<int> nodes_;  // of those made
  Worker& worker_;
  Context& caller_;
  std::uint32_t thread_;
  std::uint32_t tile_;
  unsigned cell_;
};

const BlockPlan& Worker::plan_of(const BlockGraph& block) const {
  for (const auto& plan : run_->plan->blocks) {
    if (plan->block == &block) return *plan;
  }
  throw GraphError("a thread invokes it, but it belongs to another program",
                   "block '" + block.name + "'",
                   "make the block with block(…) of the program that runs");
}

void Worker::queue_start(Context& context) {
  ++done_.contexts;
  push({&context, kStartContext, 1, 0, 1});
}

Context& Worker::invoke(const BlockPlan& callee, Context& caller, std::uint32_t thread,
                        std::uint32_t tile, unsigned cell) {
  Context& context = *pool_.take(callee);
  ++done_.contexts;
  context.caller = &caller;
  context.caller_thread = thread;
  context.caller_tile = tile;
  context.caller_cell = cell;
  return context;
}

void Worker::free_context(Context* context) {
  context->plan->block->frame.destroy(context->frame);
  pool_.give_back(context);
}

// The first of the cells invokes its block; the others are queued, so that contexts are made as
// they can be worked on.
std::optional<Item> Worker::run_call(Context& context, std::uint32_t thread, std::uint32_t tile,
                                     std::uint64_t cells) {
  const auto& plan = context.plan->threads[thread];
  const auto cell = static_cast<unsigned>(std::countr_zero(cells));
  if (const auto others = cells & (cells - 1)) open_and_push({&context, thread, 1, tile, others});
  const auto& grid = context.shape->threads[thread].grid;
  ++done_.threads_fired;
  if (run_->network != nullptr && plan.thread->node && !context.placement) {
    // In the first context the call itself has been placed; elsewhere its frame goes to where the
    // block is to run.
    const auto at = grid.coordinates(grid.position(tile), cell);
    const int node = node_of(*context.plan->block, thread, context.frame, grid.extents(), at,
                             run_->network->nodes());
    if (node != run_->network->node()) {
      Context& sent = invoke(*run_->plan->blocks[plan.callee], context, thread, tile, cell);
      plan.thread->invocation.make(context.frame, at, sent.frame);
      run_->network->send_invocation(node, context, thread, tile, cell, nullptr, *sent.plan,
                                     sent.frame);
      free_context(&sent);
      return std::nullopt;
    }
  }
  Context& invoked = invoke(*run_->plan->blocks[plan.callee], context, thread, tile, cell);
  try {
    plan.thread->invocation.make(context.frame, grid.coordinates(grid.position(tile), cell),
                                 invoked.frame);
  } catch (...) {
    pool_.give_back(&invoked);
    throw;
  }
  return start(invoked);
}

std::optional<Item> Worker::run_dynamic(Context& context, std::uint32_t thread, std::uint32_t tile,
                                        std::uint64_t cells) {
  const auto& plan = context.plan->threads[thread];
  const auto& shape = context.shape->threads[thread];
  const auto cell = static_cast<unsigned>(std::countr_zero(cells));
  if (const auto others = cells & (cells - 1)) open_and_push({&context, thread, 1, tile, others});
  const auto at = shape.grid.position(tile);
  Collector collector(*this, context, thread, tile, cell);
  const auto begin =
      run_->timeline != nullptr ? Timeline::Clock::now() : Timeline::Clock::time_point();
  const auto index = shape.grid.coordinates(at, cell);
  plan.thread->code.run_dynamic(plan.body, context.frame, index, collector);
  if (run_->timeline != nullptr) {
    const auto end = Timeline::Clock::now();
    run_->timeline->add(number_, *context.plan, plan, index, 1, begin, end);
    if (context.profile)
      context.profile->add(thread, shape.grid.cells_per_tile() * tile + cell,
                           std::chrono::duration<double>(end - begin).count());
  }
  ++done_.threads_fired;
  if (collector.made.empty()) {
    if (plan.counted) ++carried_;
    const auto ready =
        acknowledge(context, plan, shape, Position(shape, tile), std::uint64_t{1} << cell);
    if (ready != 0) acknowledgements_.add_ready(context, thread, tile, ready);
    return follow(context);
  }
  auto* join = new Join{static_cast<std::uint32_t>(collector.made.size())};
  if (run_->network != nullptr) collector.send(*run_->network, join);
  const auto made = std::move(collector.made);
  collector.made.clear();
  if (made.empty()) return std::nullopt;
  for (Context* invoked : made) invoked->join = join;
  for (std::size_t i = made.size(); i-- > 1;) push({made[i], kStartContext, 1, 0, 1});
  return start(*made.front());
}

// Loads the code block (DDM §2.2: the inlet thread initialises the synchronization memory) and
// gives what can run first.
std::optional<Item> Worker::start(Context& context) {
  current_ = &context;
  const auto& inlet = context.plan->block->inlet;
  if (inlet) inlet(context.frame);
  give_shape(context);
  if (run_->profiled) [[unlikely]]
    context.profile = std::make_unique<ContextProfile>(*context.shape);
  const auto& sources = context.shape->sources;
  if (sources.empty()) return release(&context);
  if (context.plan->has_special) {
    for (const Source& source : sources) give_source(context, source);
    return follow(context);
  }
  context.activity.fetch_add(sources.size() - 1, std::memory_order_relaxed);
  const auto item = [&](const Source& source) {
    return Item{&context, source.thread, source.tiles, source.tile, source.cells};
  };
  for (std::size_t i = sources.size(); i-- > 1;) push(item(sources[i]));
  return item(sources.front());
}

// How long the context was at least, for whoever invoked it.
void Worker::profile_end(Context& context) {
  CriticalPath path = context.profile->critical_path(context);
  if (context.caller == nullptr) {
    run_->critical_path = std::move(path);
    return;
  }
  const auto& grid = context.caller->shape->threads[context.caller_thread].grid;
  context.caller->profile->add_invoked(
      context.caller_thread, grid.cells_per_tile() * context.caller_tile + context.caller_cell,
      std::move(path));
}

void Worker::give_shape(Context& context) {
  const auto& plan = *context.plan;
  const auto copies = plan.has_bound ? static_cast<unsigned>(run_->crew) : 1;
  if (plan.fixed_shape) {
    context.set_shape(*plan.fixed_shape, copies);
    give_bindings(context);
    return;
  }
  auto extents = extents_of(*plan.block, context.frame);
  auto& latest = latest_shapes_[plan.number];
  if (!plan.shape_depends_on_extents_alone || !latest || latest->extents != extents) {
    latest = std::make_shared<ContextShape>(plan, context.frame, std::move(extents));
  }
  context.set_shape(*latest, copies);
  context.kept_shape = latest;
  give_bindings(context);
}

}  // namespace raddle::ddm::native
