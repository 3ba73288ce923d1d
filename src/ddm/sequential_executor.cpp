// One thread after another, first enabled first run, with a counter for each instance: slow,
// simple, and the yardstick that the other executors are compared with.
#include <algorithm>
#include <deque>
#include <map>
#include <memory>

#include "ddm/data_order.h"
#include "ddm/graph_walk.h"
#include "ddm/operations.h"
#include "ddm/run_observer.h"

namespace raddle::ddm {
namespace {

struct Context {
  const BlockGraph* block = nullptr;
  void* frame = nullptr;
  std::unique_ptr<std::byte[]> storage;
  bool owns_frame = false;  // made in the storage
  std::vector<Extents> extents;
  std::vector<std::vector<std::size_t>> expected;   // by thread and flat index
  std::vector<std::vector<std::size_t>> remaining;  // inputs still to come
  std::vector<std::vector<bool>> fired;
  std::optional<DataOrder> order;           // arcs that follow from data
  std::vector<std::size_t> producers;       // by arc: instances of its producer
  std::vector<std::size_t> producers_left;  // kAll arcs fire when all producers have run
  std::size_t active = 0;                   // ready instances and open invocations
  // Who waits for it.
  Context* caller = nullptr;
  std::uint32_t thread = 0;
  Coordinates at{};
};

struct Ready {
  Context* context;
  std::uint32_t thread;
  Coordinates at;
};

// Nobody looks on.
class NoObserver : public RunObserver {
  void run_begins(const ProgramGraph&) override {}
  void run_ends() override {}
  void context_begins(ContextKey, const BlockGraph&, void*, ContextKey, std::uint32_t,
                      const Coordinates&) override {}
  void context_ends(ContextKey) override {}
  void begins(ContextKey, Activity, std::uint32_t, const Coordinates&) override {}
  void ends() override {}
  void completes(ContextKey, std::uint32_t, const Coordinates&) override {}
  void gives_input(ContextKey, std::uint32_t, const Coordinates&) override {}
  void gives_data(ContextKey, std::uint32_t, const Coordinates&) override {}
  void arrives_at(ContextKey, std::uint32_t) override {}
  void passes(ContextKey, std::uint32_t) override {}
};

class SequentialRun {
 public:
  SequentialRun(const Options& options, RunObserver& observer)
      : options_(options), observer_(observer) {}

  Report run(const ProgramGraph& program, void* frame) {
    observer_.run_begins(program);
    auto& root = add_context(*program.blocks.front());
    root.frame = frame;
    start(root);
    for (;;) {
      if (options_.stop.stop_requested()) throw CancelledError("the run was cancelled", "", "");
      if (ready_.empty()) {
        if (open_operations_ == 0) break;
        end_operation(operations_->wait());
        continue;
      }
      const Ready next = ready_.front();
      ready_.pop_front();
      fire(*next.context, next.thread, next.at);
    }
    observer_.run_ends();
    return report_;
  }

  SequentialRun(const SequentialRun&) = delete;
  SequentialRun& operator=(const SequentialRun&) = delete;
  // After a failure, too, operations end before the frames that they may use.
  ~SequentialRun() {
    stopping_ = true;
    for (; open_operations_ > 0; --open_operations_) (void)operations_->wait();
    operations_->close();
    for (auto& [context, owned] : contexts_) {
      if (owned->owns_frame) owned->block->frame.destroy(owned->frame);
    }
  }

 private:
  class Collector : public Invoker {
   public:
    Collector(SequentialRun& run, Context& caller, std::uint32_t thread, const Coordinates& at)
        : run_(run), caller_(caller), thread_(thread), at_(at) {}
    void invoke(const BlockGraph& block, void* frame, int) override {
      auto& context = run_.add_invoked(block, caller_, thread_, at_);
      block.frame.move(context.frame, frame);
      context.owns_frame = true;
      made_.push_back(&context);
    }
    std::vector<Context*> made_;

   private:
    SequentialRun& run_;
    Context& caller_;
    std::uint32_t thread_;
    Coordinates at_;
  };

  Context& add_context(const BlockGraph& block) {
    auto owned = std::make_unique<Context>();
    owned->block = &block;
    ++report_.contexts;
    auto& context = *owned;
    contexts_.emplace(&context, std::move(owned));
    report_.most_live_contexts =
        std::max<std::uint64_t>(report_.most_live_contexts, contexts_.size());
    return context;
  }

  Context& add_invoked(const BlockGraph& block, Context& caller, std::uint32_t thread,
                       const Coordinates& at) {
    auto& context = add_context(block);
    const auto& frame = block.frame;
    context.storage = std::make_unique<std::byte[]>(frame.size + frame.alignment);
    void* place = context.storage.get();
    std::size_t space = frame.size + frame.alignment;
    context.frame = std::align(frame.alignment, frame.size, place, space);
    context.caller = &caller;
    context.thread = thread;
    context.at = at;
    return context;
  }

  void start(Context& context) {
    const auto& block = *context.block;
    observer_.context_begins(&context, block, context.frame, context.caller, context.thread,
                             context.at);
    if (block.inlet) {
      observer_.begins(&context, Activity::kInlet, 0, {});
      block.inlet(context.frame);
      observer_.ends();
    }
    context.extents = extents_of(block, context.frame);
    context.expected.resize(block.threads.size());
    for (std::size_t i = 0; i < block.threads.size(); ++i)
      context.expected[i].resize(context.extents[i].count());
    count_inputs(context);
    infer_arcs(context);
    context.producers_left = context.producers;
    context.remaining = context.expected;
    context.fired.resize(block.threads.size());
    ++context.active;
    for (std::uint32_t i = 0; i < block.threads.size(); ++i) {
      context.fired[i].resize(context.extents[i].count());
      for_each_instance(block.threads[i], context.frame, context.extents[i],
                        [&](const Coordinates& at) {
                          const auto count = context.expected[i][context.extents[i].flat(at)];
                          check_declared_count(block, i, at, count);
                          if (count == 0 && !only_looped(block, i)) enable(context, i, at);
                        });
    }
    release(context);
  }

  static bool only_looped(const BlockGraph& block, std::uint32_t thread) {
    const auto& producers = block.threads[thread].producers;
    for (const auto arc : producers) {
      if (!block.arcs[arc].again) return false;
    }
    return !producers.empty();
  }

  static void check_declared_count(const BlockGraph& block, std::uint32_t thread,
                                   const Coordinates& at, std::size_t count) {
    const auto& declared = block.threads[thread].declared_ready_count;
    if (!declared || count == *declared || !counts_depend_on_frame(block, block.threads[thread]))
      return;
    throw GraphError("its ready count of " + std::to_string(*declared) + " is never met: it has " +
                         std::to_string(count) + " inputs",
                     thread_name(block, thread, at),
                     "correct the mapping that leads to it, or expects(…)");
  }

  void count_inputs(Context& context) {
    const auto& block = *context.block;
    context.producers.resize(block.arcs.size());
    for (std::size_t number = 0; number < block.arcs.size(); ++number) {
      const auto& arc = block.arcs[number];
      const auto& consumer = context.extents[arc.to];
      if (arc.again) continue;
      std::size_t producers = 0;
      for_each_instance(block.threads[arc.from], context.frame, context.extents[arc.from],
                        [&](const Coordinates& at) {
                          ++producers;
                          if (arc.kind == ArcKind::kAll) return;
                          for_each_target(block, arc, context.frame, consumer, at,
                                          [&](const Coordinates& to) {
                                            ++context.expected[arc.to][consumer.flat(to)];
                                          });
                        });
      context.producers[number] = producers;
      if (arc.kind != ArcKind::kAll || producers == 0) continue;
      for_each_instance(block.threads[arc.to], context.frame, consumer, [&](const Coordinates& to) {
        ++context.expected[arc.to][consumer.flat(to)];
      });
    }
  }

  static void infer_arcs(Context& context) {
    const auto& block = *context.block;
    if (!block.infers_arcs) return;
    std::vector<std::size_t> slots;
    for (const auto& extents : context.extents) slots.push_back(extents.count());
    context.order.emplace(block, context.frame, context.extents, slots,
                          [&](std::uint32_t thread, const Coordinates& at) {
                            return context.extents[thread].flat(at);
                          });
    for (std::uint32_t thread = 0; thread < block.threads.size(); ++thread) {
      for (std::size_t slot = 0; slot < slots[thread]; ++slot) {
        for (const auto& to : context.order->after(thread, slot))
          ++context.expected[to.thread][to.slot];
      }
    }
  }

  void enable(Context& context, std::uint32_t thread, const Coordinates& at) {
    ++context.active;
    ready_.push_back({&context, thread, at});
  }

  void give_input(Context& context, std::uint32_t arc, const Coordinates& at) {
    observer_.gives_input(&context, arc, at);
    count_down(context, context.block->arcs[arc].to, at);
  }

  void count_down(Context& context, std::uint32_t thread, const Coordinates& at) {
    const auto flat = context.extents[thread].flat(at);
    auto& remaining = context.remaining[thread][flat];
    if (--remaining > 0) return;
    remaining = context.expected[thread][flat];
    enable(context, thread, at);
  }

  void fire(Context& context, std::uint32_t number, const Coordinates& at) {
    const auto& thread = context.block->threads[number];
    ++report_.threads_fired;
    context.fired[number][context.extents[number].flat(at)] = true;
    static const std::atomic<std::uint32_t> no_attention{0};
    if (thread.kind == ThreadKind::kCall) {
      auto& callee = add_invoked(*thread.invocation.callee, context, number, at);
      observer_.begins(&context, Activity::kThread, number, at);
      thread.invocation.make(context.frame, at, callee.frame);
      callee.owns_frame = true;
      observer_.ends();
      start(callee);
      return;
    }
    if (thread.kind == ThreadKind::kDynamic) {
      Collector collector(*this, context, number, at);
      observer_.begins(&context, Activity::kThread, number, at);
      thread.code.run_dynamic(thread.code.body.get(), context.frame, at, collector);
      observer_.ends();
      open_invocations_[{&context, number, context.extents[number].flat(at)}] +=
          collector.made_.size() + 1;
      for (auto* made : collector.made_) start(*made);
      invocation_ended(context, number, at);
      return;
    }
    if (thread.kind == ThreadKind::kExternal) {
      observer_.begins(&context, Activity::kThread, number, at);
      ++open_operations_;
      thread.code.run_external(thread.code.body.get(), context.frame, at,
                               operations_->begin({&context, context.block, number, at, nullptr}));
      observer_.ends();
      return;
    }
    std::int64_t choice = 0;
    Batch batch{at, 1, &no_attention, &choice};
    observer_.begins(&context, Activity::kThread, number, at);
    thread.code.run(thread.code.body.get(), context.frame, batch);
    observer_.ends();
    complete(context, number, at,
             thread.kind == ThreadKind::kSwitch ? std::optional(choice) : std::nullopt);
  }

  void end_operation(const Operations::Operation& ended) {
    --open_operations_;
    if (ended.error) std::rethrow_exception(ended.error);
    complete(*static_cast<Context*>(ended.context), ended.thread, ended.at, {});
  }

  void invocation_ended(Context& context, std::uint32_t thread, const Coordinates& at) {
    const auto open = open_invocations_.find({&context, thread, context.extents[thread].flat(at)});
    if (--open->second > 0) return;
    open_invocations_.erase(open);
    complete(context, thread, at, {});
  }

  void complete(Context& context, std::uint32_t number, const Coordinates& at,
                std::optional<std::int64_t> choice) {
    const auto& block = *context.block;
    if (choice && !has_case(block, block.threads[number], *choice)) {
      throw missing_case_error(block, number, at, *choice);
    }
    observer_.completes(&context, number, at);
    for (const auto arc_number : block.threads[number].consumers) {
      const auto& arc = block.arcs[arc_number];
      if (arc.when && arc.when != choice) continue;
      if (arc.again) {
        observer_.gives_input(&context, arc_number, at);
        enable(context, arc.to, at);
      } else if (arc.kind == ArcKind::kAll) {
        observer_.arrives_at(&context, arc_number);
        if (--context.producers_left[arc_number] > 0) continue;
        context.producers_left[arc_number] = context.producers[arc_number];
        observer_.passes(&context, arc_number);
        for_each_instance(block.threads[arc.to], context.frame, context.extents[arc.to],
                          [&](const Coordinates& to) { give_input(context, arc_number, to); });
      } else {
        for_each_target(block, arc, context.frame, context.extents[arc.to], at,
                        [&](const Coordinates& to) { give_input(context, arc_number, to); });
      }
    }
    if (context.order) {
      for (const auto& to : context.order->after(number, context.extents[number].flat(at))) {
        const auto target = context.extents[to.thread].at(to.slot);
        observer_.gives_data(&context, to.thread, target);
        count_down(context, to.thread, target);
      }
    }
    release(context);
  }

  // One thing less to do in a context; the last one ends it, which may end its caller: one after
  // the other, as callers may be nested more deeply than the stack allows.
  void release(Context& context) {
    if (--context.active > 0) return;
    ended_.push_back(&context);
    if (ended_.size() > 1) return;
    for (; !ended_.empty(); ended_.pop_front()) end(*ended_.front());
  }

  void end(Context& context) {
    check_for_starvation(context);
    const bool takes_results =
        context.caller != nullptr &&
        context.caller->block->threads[context.thread].kind == ThreadKind::kCall &&
        context.caller->block->threads[context.thread].invocation.take_results != nullptr;
    observer_.begins(&context, Activity::kOutlet, 0, {});
    if (context.block->outlet) context.block->outlet(context.frame);
    if (takes_results) {
      context.caller->block->threads[context.thread].invocation.take_results(
          context.caller->frame, context.at, context.frame);
    }
    observer_.ends();
    observer_.context_ends(&context);
    if (!context.caller) return;
    auto& caller = *context.caller;
    const auto& thread = caller.block->threads[context.thread];
    const auto number = context.thread;
    const auto at = context.at;
    context.block->frame.destroy(context.frame);
    contexts_.erase(&context);
    if (thread.kind == ThreadKind::kCall) {
      complete(caller, number, at, {});
    } else {
      invocation_ended(caller, number, at);
    }
  }

  static void check_for_starvation(const Context& context) {
    const auto& block = *context.block;
    const auto conditional = conditional_threads(block);
    std::vector<StarvedThread> starved;
    std::size_t count = 0;
    for (std::uint32_t i = 0; i < block.threads.size(); ++i) {
      for_each_instance(
          block.threads[i], context.frame, context.extents[i], [&](const Coordinates& at) {
            const auto flat = context.extents[i].flat(at);
            const auto received = context.expected[i][flat] - context.remaining[i][flat];
            if (conditional[i] ? received == 0 : static_cast<bool>(context.fired[i][flat])) return;
            ++count;
            if (starved.size() < 4) starved.push_back({i, at, received, context.expected[i][flat]});
          });
    }
    if (count > 0) throw starvation_error(block, starved, count);
  }

  const Options& options_;
  RunObserver& observer_;
  Report report_;
  std::atomic<bool> stopping_{false};
  std::shared_ptr<Operations> operations_ = std::make_shared<Operations>(
      nullptr, [this] { return stopping_.load() || options_.stop.stop_requested(); });
  std::size_t open_operations_ = 0;
  std::deque<Ready> ready_;
  std::deque<Context*> ended_;  // the first is being left
  std::map<Context*, std::unique_ptr<Context>> contexts_;
  std::map<std::tuple<Context*, std::uint32_t, std::size_t>, std::size_t> open_invocations_;
};

class SequentialExecutor : public Executor {
 public:
  explicit SequentialExecutor(RunObserver& observer, int nodes = 1)
      : observer_(observer), nodes_(nodes) {}

  Report run(const ProgramGraph& program, void* frame, const Options& options) override {
    const auto begin = std::chrono::steady_clock::now();
    Report report = SequentialRun(options, observer_).run(program, frame);
    report.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return report;
  }
  [[nodiscard]] int nodes() const override { return nodes_; }

 private:
  RunObserver& observer_;
  int nodes_;
};

}  // namespace

std::unique_ptr<Executor> make_sequential_executor() {
  static NoObserver nobody;
  return std::make_unique<SequentialExecutor>(nobody);
}

std::unique_ptr<Executor> make_observed_executor(RunObserver& observer, int nodes) {
  return std::make_unique<SequentialExecutor>(observer, nodes);
}

}  // namespace raddle::ddm
