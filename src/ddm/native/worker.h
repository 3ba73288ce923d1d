// A worker: takes ready threads from its waiting queue (WQ) or from another worker's, fetches what
// they read ahead into its firing queue (FQ), runs them and does the synchronization unit's work
// for those that have run (post-processing). One of the consumers that become ready is run
// directly, the others are queued.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "ddm/native/acknowledgements.h"
#include "ddm/native/context_pool.h"
#include "ddm/native/inbox.h"
#include "ddm/native/run.h"
#include "ddm/native/timeline.h"
#include "ddm/native/work_queue.h"

namespace raddle::ddm::native {

class Worker {
 public:
  explicit Worker(unsigned number)
      : number_(number), acknowledgements_(number), random_(number * 2654435761U + 1) {}

  // Takes part in a run until it ends or, if it may, until its thread leaves for another run.
  void take_part(Run& run, bool may_leave);
  // Puts a run's first context into this worker's queue.
  void queue_start(Context& context);

  // For the thread that listens to other nodes, through a worker that runs nothing itself: what it
  // makes ready is stolen.
  void start_distributed(Context& root);
  // A producer on another node has run.
  void take_inputs(Context& root, const ArcPlan& arc, const Coordinates& producer,
                   std::uint64_t count);
  // Another node invokes a block here.
  void take_invocation(Context& root, std::uint32_t block, std::span<const std::byte> frame,
                       int from, std::uint64_t ticket);
  // A block that was invoked elsewhere has ended; `join`: of a dynamic thread.
  void take_results(Context& caller, std::uint32_t thread, std::uint32_t tile, unsigned cell,
                    Join* join, void* frame);
  // One thing less to do in a context.
  void release_from_outside(Context& context);
  // On whose thread this happens, if it is a worker's; it must not wait for that one.
  void set_helper(Worker* helper) { helper_ = helper; }

  bool steal(Item& item) { return queue_.steal(item); }
  [[nodiscard]] bool has_queued() const { return !queue_.empty(); }
  [[nodiscard]] unsigned number() const { return number_; }
  // How often it has gone to sleep and been woken; odd: it sleeps.
  [[nodiscard]] std::uint32_t naps() const { return naps_.load(std::memory_order_relaxed); }

  void begin(Run& run);
  // What this worker did in the run; and back to the state before it.
  void finish(Report& report);

 private:
  class Collector;
  struct Position {
    std::uint32_t tile;
    TilePosition at;
    std::uint64_t existing;  // cells that are instances
    Coordinates origin;

    Position(const ThreadShape& shape, std::uint32_t number)
        : tile(number),
          at(shape.grid.position(number)),
          existing(shape.existing_at(number, at)),
          origin(shape.grid.origin(at)) {}
  };

  bool next(Item& item);
  bool steal_some(Item& item);
  bool wait_for_work(Item& item);
  bool look_for_work(Item& item);
  void park();
  bool leaves();
  void fire(Item item);
  std::optional<Item> step(const Item& item);

  // Each of these runs something and gives what to run next, if it made something ready.
  std::optional<Item> run_tiles(Item item);
  std::optional<Item> run_one_by_one(const Item& item);
  std::optional<Item> run_call(Context& context, std::uint32_t thread, std::uint32_t tile,
                               std::uint64_t cells);
  std::optional<Item> run_dynamic(Context& context, std::uint32_t thread, std::uint32_t tile,
                                  std::uint64_t cells);
  std::optional<Item> start(Context& context);
  std::optional<Item> follow(Context& context);
  std::optional<Item> queue_ready(Context& context);
  std::optional<Item> release(Context* context, std::uint64_t parts = 1);

  // Threads that need more than a queue: see special_threads.cpp.
  bool next_special(Item& item);
  std::optional<Item> run_special(const Item& item);
  void queue_each(const Item& item);
  static std::int64_t priority_of(const Context& context, std::uint32_t thread, std::uint32_t tile,
                                  unsigned cell, const TilePosition& at);
  std::optional<Item> run_prioritised(const Item& item);
  std::optional<Item> run_external(const Item& item);
  bool take_ended(Item& item);
  std::optional<Item> end_operation(const Operations::Operation& ended);

  // Threads that are bound to workers.
  bool next_bound(Item& item);
  bool take_messages();
  // Inputs for cells of a thread, or cells that are ready whatever their inputs.
  void give(Context& context, std::uint32_t thread, std::uint32_t tile, std::uint64_t cells,
            bool ready) {
    if (context.shape->threads[thread].bound) [[unlikely]] {
      cells = keep_own(context, thread, tile, cells, ready);
      if (cells == 0) return;
    }
    if (ready) {
      acknowledgements_.add_ready(context, thread, tile, cells);
    } else {
      acknowledgements_.add(context, thread, tile, cells);
    }
  }
  void send_to_owners(Context& context, std::uint32_t thread, std::uint32_t tile,
                      std::uint64_t cells, bool ready);
  void make_room();
  void take_credits(Context& context, std::uint64_t count);
  void keep_credits_of(Context& context);
  void return_credits();
  void queue(const Item& item);
  std::optional<Item> run_bound(const Item& item);
  std::uint64_t keep_own(Context& context, std::uint32_t thread, std::uint32_t tile,
                         std::uint64_t cells, bool ready);
  void give_all(Context& context, std::uint32_t thread);
  void give_source(Context& context, const Source& source);
  void give_bindings(Context& context);

  [[nodiscard]] bool is_long(const ThreadPlan& plan) const;
  std::uint64_t take_back(const Item& queued);
  bool run_tile(Context& context, std::uint32_t thread, const Position& position,
                std::uint64_t cells);
  std::uint64_t share_half(Context& context, std::uint32_t thread, std::uint32_t tile,
                           std::uint64_t cells);
  std::uint64_t run_batch(Context& context, const ThreadPlan& plan, const ThreadShape& shape,
                          const Position& position, std::uint64_t cells);
  std::uint64_t run_timed(Context& context, const ThreadPlan& plan, const ThreadShape& shape,
                          const Position& position, std::uint64_t cells,
                          const std::atomic<std::uint32_t>& attention);
  std::uint64_t run_cells(Context& context, const ThreadPlan& plan, const ThreadShape& shape,
                          const Position& position, std::uint64_t cells,
                          const std::atomic<std::uint32_t>& attention);
  std::uint64_t run_ahead(Context& context, const ThreadPlan& plan, const ThreadShape& shape,
                          const Position& position, Batch& batch);
  std::uint64_t acknowledge(Context& context, const ThreadPlan& plan, const ThreadShape& shape,
                            const Position& position, std::uint64_t cells);
  void acknowledge_arc(Context& context, const ArcPlan& arc, const ThreadShape& shape,
                       const Position& position, std::uint64_t cells);
  void acknowledge_data(Context& context, std::uint32_t thread, const ThreadShape& shape,
                        std::uint32_t tile, std::uint64_t cells);
  void acknowledge_mapped(Context& context, const ArcPlan& arc, const Coordinates& at);
  void check_choices(const Context& context, const ThreadPlan& plan, const ThreadShape& shape,
                     const Position& position, std::uint64_t cells) const;
  Context& invoke(const BlockPlan& callee, Context& caller, std::uint32_t thread,
                  std::uint32_t tile, unsigned cell);
  [[nodiscard]] const BlockPlan& plan_of(const BlockGraph& block) const;
  void give_shape(Context& context);
  void profile_end(Context& context);
  void acknowledge_distributed(Context& context, const ThreadPlan& plan, const ThreadShape& shape,
                               const Position& position, std::uint64_t cells);
  void acknowledge_offset(Context& context, const ArcPlan& arc, const Position& position,
                          std::uint64_t cells);
  static void for_each_consumer(const Context& context, const ArcPlan& arc,
                                const Coordinates& producer,
                                FunctionRef<void(std::uint32_t tile, unsigned cell)> consumer);
  void give_input(Context& context, const ArcPlan& arc, std::uint32_t tile, unsigned cell);
  void count_producers(Context& context, const ArcPlan& arc, std::uint64_t count);
  void push_ready(Context& context);
  void flush_carried(Context& context);
  void end_context(Context& context);
  void free_context(Context* context);
  void open_and_push(const Item& item);
  void push(const Item& item);
  void prefetch(const Context& context, const ThreadPlan& plan, const Coordinates& at);
  void prefetch_first(const Item& item);

  unsigned number_;
  WorkQueue queue_;
  std::vector<Item> firing_queue_;
  std::deque<Item> own_queue_;  // bound to this worker
  Inbox inbox_;
  std::deque<Message> backlog_;  // came while this worker was waiting for room elsewhere
  std::uint64_t credits_ = 0;    // parts of this context's activity that are not in use
  Context* credit_context_ = nullptr;
  Worker* helper_ = nullptr;  // on whose thread a worker that runs nothing itself is used
  Acknowledgements acknowledgements_;
  ContextPool pool_;
  std::vector<std::shared_ptr<const ContextShape>> latest_shapes_;  // by block
  std::int64_t choices_[64];
  Run* run_ = nullptr;
  bool may_leave_ = false;
  bool left_ = false;  // without a thread, which has left it; counts as parked
  std::atomic<std::uint32_t> naps_{0};
  std::uint32_t random_;
  Context* current_ = nullptr;  // holds the activity of what this worker runs
  std::uint64_t carried_ =
      0;  // instances of the current context that ran and are not yet in its activity
  std::vector<std::uint32_t> costs_;  // nanoseconds an instance, by thread; 0: not measured
  Report done_;
};

}  // namespace raddle::ddm::native
