// A node on the time line of a trace: what its processor runs or waits for, and what the three
// units of the TSU work on. Units keep a pointer to it, which is null when nothing is traced.
#pragma once

#include <cstdint>
#include <string_view>

#include "machine/d2now/d2now_parameters.h"
#include "machine/d2now/node_cause.h"
#include "machine/d2now/thread_graph.h"
#include "machine/run/trace_writer.h"

namespace raddle::machine::d2now {

class NodeTrace {
 public:
  // All must outlive it.
  NodeTrace(sim::TraceFile& file, const ThreadGraph& graph, std::uint32_t node, double clock_hz);

  // The processor runs a thread, from the firing queue's read to the acknowledgement.
  void runs(std::uint32_t thread, Ticks begin, Ticks end);
  // The processor has nothing to run.
  void waits(NodeCause cause, Ticks begin, Ticks end);
  void issues(std::uint32_t thread, Ticks begin, Ticks end);
  void postpones(std::uint32_t thread, Ticks at);
  void false_conflict(Ticks at);
  void firing_queue(std::size_t threads, Ticks at);
  // The PPU works on a completed thread; or on what a message brought, or the program's start.
  void completes(std::uint32_t thread, Ticks begin, Ticks end);
  void post_processes(std::string_view what, Ticks begin, Ticks end);
  void sends(const Message& message, std::string_view way, bool by_ethernet, Ticks begin,
             Ticks end);
  void receives(const Message& message, Ticks at);
  void flush_some() { writer_.flush_some(); }

 private:
  // A cycle of the writer's clock is a tick.
  static Cycle on_clock(Ticks ticks) { return Cycle(ticks.count()); }
  void slice(sim::Track track, std::string_view name, Ticks begin, Ticks end) {
    writer_.slice(track, name, on_clock(begin), on_clock(end));
  }
  void instant(sim::Track track, std::string_view name, Ticks when) {
    writer_.instant(track, name, on_clock(when));
  }

  const ThreadGraph& graph_;
  TraceWriter writer_;
  sim::Track processor_, issue_, post_processing_, sender_, ethernet_, receiver_, firing_queue_;
};

}  // namespace raddle::machine::d2now
