// The Post Processing Unit: takes completed threads from the acknowledgement queue and messages
// from the NIU, decrements the ready counts of consumers, hands ready threads to the TIU and what
// concerns other nodes to the NIU (DDM §2.3). A thread's code block must be resident before its
// ready count can be touched; what finds no room waits until a block is removed.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "machine/d2now/event_queue.h"
#include "machine/d2now/graph_memory.h"
#include "machine/d2now/thread_graph.h"
#include "machine/d2now/thread_issue_unit.h"

namespace raddle::machine::d2now {

struct PostProcessingCounts {
  std::uint64_t decrements = 0;
  std::uint64_t blocks_loaded = 0;
  std::uint64_t waits_for_graph_memory = 0;
  std::uint64_t count_overflows = 0;

  static constexpr auto kFields = std::to_array<sim::StatField<PostProcessingCounts>>({
      {"decrements", "counts", "ready counts decremented", &PostProcessingCounts::decrements},
      {"blocks_loaded", "blocks", "code blocks loaded into the graph memory",
       &PostProcessingCounts::blocks_loaded},
      {"waits_for_graph_memory", "threads",
       "times that a thread's code block did not fit in the graph memory",
       &PostProcessingCounts::waits_for_graph_memory},
      {"count_overflows", "counts", "ready counts looked for in memory",
       &PostProcessingCounts::count_overflows},
  });
};

class PostProcessingUnit {
 public:
  // `ready_counts` are those of all threads; only those of this node are touched. `send` gets the
  // number of a message.
  PostProcessingUnit(const TsuParameters& tsu, const ThreadGraph& graph, std::uint32_t node,
                     std::vector<std::uint32_t>& ready_counts, ThreadIssueUnit& issue,
                     EventQueue& events, std::function<void(std::uint32_t, Ticks)> send);

  void set_trace(NodeTrace* trace) { trace_ = trace; }

  // Threads that wait for nothing.
  void start(std::vector<std::uint32_t> threads);
  bool acknowledgement_queue_is_full() const {
    return acknowledgements_ >= tsu_.acknowledgement_queue;
  }
  void completed(std::uint32_t thread, Ticks now);
  // Whether threads have completed whose messages it has still to send.
  bool has_messages() const { return senders_ != 0; }
  void received(std::uint32_t message, Ticks sent, Ticks now);
  // EventKind::kPostProcessing
  void step(Ticks now);

  // Templates that inlet threads have loaded since this was last asked for.
  std::uint32_t templates_loaded();
  // Threads that wait for a place for their code block.
  std::vector<std::uint32_t> parked() const;
  const PostProcessingCounts& counts() const { return counts_; }
  Ticks busy_ticks() const { return busy_ticks_; }
  const GraphMemory& graph_memory() const { return graph_memory_; }

 private:
  struct Task {
    enum class Kind : std::uint8_t { kStart, kCompleted, kReceived } kind = Kind::kStart;
    std::uint32_t number = 0;  // of the thread or the message
    Ticks sent, arrived;
  };
  struct Decrement {
    std::uint32_t thread = 0;
    Ticks sent, arrived;
  };

  void begin_task(Ticks now);
  void trace(const Task& done, Ticks now) const;
  std::span<const std::uint32_t> consumers_of(const Task& task) const;
  void plan_next(Ticks now);
  void decrement(const Decrement& decrement, Ticks now);
  bool make_resident(std::uint32_t block);
  void thread_of_block_completed(std::uint32_t block, Ticks now);

  TsuParameters tsu_;
  const ThreadGraph& graph_;
  std::vector<std::uint32_t>& ready_counts_;
  ThreadIssueUnit& issue_;
  EventQueue& events_;
  std::function<void(std::uint32_t, Ticks)> send_;
  GraphMemory graph_memory_;
  SynchronizationMemory synchronization_memory_;
  std::vector<std::uint32_t> threads_left_;  // of each block on this node
  std::vector<std::uint32_t> started_;       // threads that wait for nothing
  std::deque<Task> tasks_;
  std::uint32_t acknowledgements_ = 0;  // tasks that lie in the AQ
  std::uint32_t senders_ = 0;           // completed threads with messages to be sent
  bool busy_ = false;
  bool current_begun_ = false;
  std::size_t position_ = 0;  // in the consumers of the first task
  std::deque<Decrement> parked_;
  std::uint32_t templates_loaded_ = 0;
  PostProcessingCounts counts_;
  Ticks task_began_;
  Ticks busy_ticks_;
  NodeTrace* trace_ = nullptr;
};

}  // namespace raddle::machine::d2now
