// A machine of many nodes replays a recording. Nodes advance in turns that end before anything that
// another node may yet send can arrive (the recording tells how long threads take at least and
// which of them send), so nobody ever hears of anything late and a run is the same every time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "machine/d2now/node.h"

namespace raddle::machine::d2now {

class Simulation : public MessageCarrier {
 public:
  // The recording must outlive the simulation. Throws Error where the machine cannot run it.
  Simulation(const D2nowParameters& parameters, const ddm::recording::Recording& recording);

  // Runs to the end, or to `limit`: false if threads are left there. Throws Error, naming threads,
  // if some can never run. `watch` is called now and then, with the time and the number of threads
  // that have completed, and throws to end the run.
  bool run(const std::function<void(Ticks, std::uint64_t)>& watch = {}, Ticks limit = kForever);

  // Turns are never longer; the result is the same whatever it is.
  void limit_turns(Ticks longest) { longest_turn_ = longest; }
  // Before the run: slices of all nodes go to the file; figures over time are kept.
  void trace_to(sim::TraceFile& file);
  // What is pending of it goes to the file once it is much.
  void flush_trace() { nodes_.front()->flush_trace(); }
  void sample_every(Ticks interval);

  Ticks end() const { return end_; }
  const ThreadGraph& graph() const { return graph_; }
  const std::vector<std::unique_ptr<Node>>& nodes() const { return nodes_; }
  // What a node's time went into, up to `end`.
  const NodeAccount& end_account(std::size_t node, Ticks end) {
    return nodes_[node]->end_account(end);
  }

 private:
  void carry(std::uint32_t message, Ticks sent, Ticks arrives, std::uint64_t sent_before) override;
  std::uint64_t threads_completed() const;
  // When each node must stop to hear what others have sent meanwhile, or before anything happens
  // after `limit`.
  void plan_turn(Ticks least, Ticks limit);
  [[noreturn]] void fail_starved() const;

  D2nowParameters parameters_;
  ThreadGraph graph_;
  Ticks lookahead_;
  Ticks longest_turn_{100'000};
  std::vector<std::uint32_t> ready_counts_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<Ticks> next_times_;  // by node
  std::vector<Ticks> limits_;      // of the present turn, by node
  Ticks end_;
};

}  // namespace raddle::machine::d2now
