// The Thread Issue Unit: takes ready threads from the waiting queue, finds and prefetches what they
// declared to read, and hands them to the processor through the firing queue (DDM §2.3, §3, Fig.
// 6). A thread takes its place in the firing queue when the TIU has decided for it; the processor
// sees it when the shift policy says so.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "machine/d2now/event_queue.h"
#include "machine/d2now/node_memory.h"
#include "machine/d2now/node_trace.h"
#include "machine/d2now/reserved_addresses.h"
#include "machine/d2now/thread_graph.h"
#include "machine/d2now/waiting_queue.h"

namespace raddle::machine::d2now {

struct IssueCounts {
  std::uint64_t threads = 0;
  std::uint64_t false_conflicts = 0;
  std::uint64_t postponed = 0;
  std::uint64_t waiting_overflows = 0;

  static constexpr auto kFields = std::to_array<sim::StatField<IssueCounts>>({
      {"threads", "threads", "threads that entered the firing queue", &IssueCounts::threads},
      {"false_conflicts", "lines",
       "lines of waiting or running threads that a prefetch for another thread evicted",
       &IssueCounts::false_conflicts},
      {"postponed", "threads", "threads put into the temporary buffer to avoid a false conflict",
       &IssueCounts::postponed},
      {"waiting_overflows", "threads", "ready threads that found the waiting queue full",
       &IssueCounts::waiting_overflows},
  });
};

class ThreadIssueUnit {
 public:
  ThreadIssueUnit(const TsuParameters& tsu, const CacheFlowParameters& cacheflow,
                  const ThreadGraph& graph, NodeMemory& memory, EventQueue& events);

  void set_trace(NodeTrace* trace) { trace_ = trace; }

  void push(const ReadyThread& ready, Ticks now);
  // EventKind::kIssue and kFiring.
  void step(Ticks now);
  void enter_firing_queue(std::uint32_t place, Ticks now);

  bool is_reserved(Line line) const { return reserved_.is_reserved(line); }
  bool has_thread() const { return !firing_queue_.empty(); }
  // The processor takes the next thread; its place stays valid until it has completed.
  std::uint32_t take(Ticks now);
  const ReadyThread& thread_at(std::uint32_t place) const { return in_flight_[place].ready; }
  void completed(std::uint32_t place, Ticks now);

  std::size_t waiting() const { return waiting_.size() + temporary_buffer_.size(); }
  const IssueCounts& counts() const { return counts_; }
  Ticks busy_ticks() const { return busy_ticks_; }

 private:
  struct InFlight {
    ReadyThread ready;
    std::vector<Line> lines;
  };

  void start_next(Ticks now);
  void start(const ReadyThread& ready, Ticks now, Ticks extra);
  bool take_from_temporary_buffer(Ticks now);
  void find_lines(std::uint32_t thread, std::vector<Line>& lines) const;
  // When all lines are there.
  Ticks prefetch(const std::vector<Line>& lines, Ticks now);
  std::uint32_t new_place();

  TsuParameters tsu_;
  CacheFlowParameters cacheflow_;
  const ThreadGraph& graph_;
  NodeMemory& memory_;
  EventQueue& events_;
  WaitingQueue waiting_;
  std::deque<ReadyThread> temporary_buffer_;
  bool reservations_changed_ = false;  // since the temporary buffer was looked at
  ReservedAddresses reserved_;
  std::vector<InFlight> in_flight_;  // by place
  std::vector<std::uint32_t> free_places_;
  std::deque<std::uint32_t> firing_queue_;  // places that the processor can see
  std::uint32_t taken_ = 0;                 // entries of the firing queue, seen or not yet
  bool busy_ = false;
  std::uint32_t current_ = 0;        // place of the thread it works on
  Ticks prefetcher_free_;            // when the next prefetch can begin
  std::vector<Ticks> on_their_way_;  // ring: when the last prefetches arrive
  std::size_t next_on_its_way_ = 0;
  IssueCounts counts_;
  Ticks started_;  // its present step
  Ticks busy_ticks_;
  NodeTrace* trace_ = nullptr;
};

}  // namespace raddle::machine::d2now
