// A workstation: processor, caches and bus, and the TSU with its three units. It advances by itself
// up to a time before which nothing from other nodes can reach it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "machine/d2now/processor.h"

namespace raddle::machine::d2now {

// Brings a message to the node it is for.
class MessageCarrier {
 public:
  virtual ~MessageCarrier() = default;
  virtual void carry(std::uint32_t message, Ticks sent, Ticks arrives,
                     std::uint64_t sent_before) = 0;
};

class Node {
 public:
  Node(const D2nowParameters& parameters, const ThreadGraph& graph, std::uint32_t number,
       std::vector<std::uint32_t>& ready_counts, MessageCarrier& carrier);
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  // The least time at which it does something; kForever: it waits for other nodes, or has ended.
  Ticks next_time() const { return std::min(events_.next_time(), processor_.next_time()); }
  // It sends nothing before this time.
  Ticks least_send_time() const {
    const Ticks next = next_time();
    if (post_processing_.has_messages()) return next;
    return processor_.least_send_time(events_.next_time());
  }
  // Everything that happens before `limit`.
  void run_until(Ticks limit);
  void expect_message(Ticks at, std::uint32_t sender, std::uint64_t sent_before,
                      std::uint32_t number, Ticks sent) {
    events_.schedule_message(at, sender, sent_before, number, sent);
  }

  // What the user asked for beside the plain run; before it starts.
  void trace_to(sim::TraceFile& file, std::uint32_t number, double clock_hz);
  void flush_trace() {
    if (trace_) trace_->flush_some();
  }
  void sample_every(Ticks interval);

  // The account of the processor up to the end of the program, or to where it was stopped.
  const NodeAccount& end_account(Ticks end) { return processor_.end_account(end); }
  const NodeSampler* sampler() const { return sampler_ ? &*sampler_ : nullptr; }
  const NodeMemory& memory() const { return memory_; }
  const ThreadIssueUnit& issue() const { return issue_; }
  const PostProcessingUnit& post_processing() const { return post_processing_; }
  const NetworkInterfaceUnit& network() const { return network_; }
  const Processor& processor() const { return processor_; }

 private:
  void handle(const Event& event);
  void send(std::uint32_t message, Ticks now);

  const ThreadGraph& graph_;
  MessageCarrier& carrier_;
  EventQueue events_;
  NodeMemory memory_;
  ThreadIssueUnit issue_;
  PostProcessingUnit post_processing_;
  NetworkInterfaceUnit network_;
  Processor processor_;
  std::optional<NodeTrace> trace_;
  std::optional<NodeSampler> sampler_;
};

}  // namespace raddle::machine::d2now
