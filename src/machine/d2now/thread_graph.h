// A recording as a machine of so many nodes executes it: where each thread runs, what its ready
// count starts at, which local threads it decrements, and which messages it sends. A message
// carries all that one thread has for one node: the values that threads there read of it and the
// ready counts to decrement. Data that is there before any thread runs is on all
// nodes already or belongs to the node that touches it first; that node then sends each line once
// to every other node that reads it, in the order of the threads that wait for it. A join is a
// tree: a thread on each node that gathers, one that gathers these, and a thread on each node that
// passes on; the last also waits for data of the join's producers (data_arcs.h).
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ddm/recording/recording.h"
#include "machine/d2now/data_arcs.h"
#include "machine/d2now/ticks.h"

namespace raddle::machine::d2now {

struct Message {
  std::uint32_t from = 0, to = 0;    // nodes
  Bytes bytes = {};                  // of data
  Bytes fresh_bytes = {};            // … that no earlier broadcast of the same thread has brought
  ddm::recording::Range regions;     // of ThreadGraph::regions
  ddm::recording::Range decrements;  // of ThreadGraph::decrements
};

// A thread of the recording, or one that stands for a part of a join: code that does nothing.
struct PlacedThread {
  std::uint32_t node = 0;
  std::uint32_t ready_count = 0;
  std::uint32_t thread_template = 0;
  std::uint32_t block = 0;
  std::uint64_t index = 0;
  std::uint64_t instructions = 0;
  std::uint64_t references = 0;
  Ticks last_ticks;
  Ticks least_ticks;                // it takes so long if nothing misses
  ddm::recording::Range events;     // of the recording
  ddm::recording::Range inputs;     // of the recording
  ddm::recording::Range consumers;  // of ThreadGraph::decrements: on the same node
  ddm::recording::Range messages;   // by number
};

class ThreadGraph {
 public:
  static constexpr Bytes kNoBroadcast{std::numeric_limits<std::uint64_t>::max()};

  // Throws Error where the recording has no placement on so many nodes. With `send_initial`, data
  // that was there before the first thread is sent too; else every node has it. Messages of more
  // than `broadcast_above` bytes are broadcast.
  ThreadGraph(const ddm::recording::Recording& recording, std::uint32_t nodes,
              bool send_initial = true, Bytes broadcast_above = kNoBroadcast);

  const ddm::recording::Recording& recording() const { return *recording_; }
  std::uint32_t nodes() const { return static_cast<std::uint32_t>(initial_.size()); }
  std::size_t size() const { return threads_.size(); }
  const PlacedThread& thread(std::uint32_t number) const { return threads_[number]; }
  const Message& message(std::uint32_t number) const { return messages_[number]; }
  std::span<const std::uint32_t> decrements(ddm::recording::Range range) const {
    return part(decrements_, range);
  }
  std::span<const ddm::recording::Region> regions(ddm::recording::Range range) const {
    return part(regions_, range);
  }
  std::span<const ddm::recording::Event> events(const PlacedThread& thread) const {
    return part(recording_->events, thread.events);
  }
  std::span<const ddm::recording::Region> inputs(const PlacedThread& thread) const {
    return part(recording_->inputs, thread.inputs);
  }
  // Of the threads of a node that send messages, the one that takes least; kForever: there is none.
  Ticks least_ticks_of_sender(std::uint32_t node) const { return least_sender_[node]; }
  // Pairs of threads on different nodes of which one reads what the other wrote, without an arc.
  std::uint64_t undeclared_inputs() const { return undeclared_inputs_; }
  // The first of them that nothing else puts in order.
  const std::optional<MissingArc>& missing_arc() const { return missing_arc_; }
  // "block.thread[index]"
  std::string name(std::uint32_t number) const;
  // What a node sends before its first thread, as message numbers.
  std::span<const std::uint32_t> initial_messages(std::uint32_t node) const {
    return initial_[node];
  }

 private:
  struct Arc {  // from one thread, or one node's initial data, to a thread of another node
    std::uint32_t from = 0;
    std::uint32_t to_node = 0;
    std::uint32_t consumer = 0;
    bool is_arc = false;  // a producer-consumer arc of the program; else data alone
    ddm::recording::Region region;
  };

  void place(const ddm::recording::Placement& placement);
  std::vector<Edge> connect();
  std::uint32_t add_part_of_join(std::uint32_t join, std::uint32_t node);
  void find_least_senders();
  void split_by_node(const std::vector<Edge>& edges, bool send_initial);
  // Of the data that another thread reads, on another node.
  void add_flows(const DataArcs& data, std::vector<Arc>& arcs, std::vector<Arc>* initial) const;
  void add_messages(std::vector<Arc>& arcs, DataArcs& data);
  void add_message(std::span<const Arc> arcs, std::uint32_t from_node, DataArcs& data);
  // Of the messages of one thread.
  void find_fresh_bytes(std::span<Message> messages) const;
  void add_initial_messages(std::vector<Arc>& arcs);
  void add_initial_messages_of_pair(std::span<const Arc> arcs);
  // Appends the regions, merged where they touch, and tells the message of them.
  void add_regions(std::vector<ddm::recording::Region>& regions, Message& message);

  const ddm::recording::Recording* recording_;
  std::vector<PlacedThread> threads_;
  std::vector<Message> messages_;
  std::vector<std::uint32_t> decrements_;
  std::vector<ddm::recording::Region> regions_;
  std::vector<std::vector<std::uint32_t>> initial_;  // by node
  std::vector<Ticks> least_sender_;                  // by node
  std::vector<std::uint32_t> join_of_;               // by thread: see DataArcs
  Bytes broadcast_above_;
  std::uint64_t undeclared_inputs_ = 0;
  std::optional<MissingArc> missing_arc_;
};

}  // namespace raddle::machine::d2now
