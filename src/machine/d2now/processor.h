// The computation processor: reads the next thread from the firing queue, replays its stream
// through the caches, hands over what it sends, and acknowledges it. It stops at given times so
// that the rest of the node can keep up.
#pragma once

#include <cstdint>
#include <span>

#include "machine/d2now/network_interface_unit.h"
#include "machine/d2now/node_cause.h"
#include "machine/d2now/node_sampler.h"
#include "machine/d2now/post_processing_unit.h"
#include "machine/d2now/thread_issue_unit.h"

namespace raddle::machine::d2now {

class Processor {
 public:
  Processor(const D2nowParameters& parameters, const ThreadGraph& graph, std::uint32_t node,
            NodeMemory& memory, ThreadIssueUnit& issue, PostProcessingUnit& post_processing,
            std::function<void(std::uint32_t, Ticks)> send);

  void set_trace(NodeTrace* trace) { trace_ = trace; }
  // Samples are taken from here on: of the caches and the network, too.
  void set_sampler(NodeSampler* sampler, const NetworkInterfaceUnit* network) {
    sampler_ = sampler;
    network_ = network;
  }

  // When it does something next by itself; kForever: it waits for the TSU.
  Ticks next_time() const { return state_ == State::kWaiting ? kForever : time_; }
  // Before this time no thread completes that sends messages, if `idle_until` is when the TSU does
  // something next. Misses and waits can only make it later.
  Ticks least_send_time(Ticks idle_until) const;
  // Takes one step, which ends before the time comes: a thread's stream may take several. What the
  // step has asked of the TSU must be done before the next.
  void advance(Ticks until);
  // The firing queue or the acknowledgement queue has changed.
  void wake(Ticks now);

  std::uint64_t threads_completed() const { return threads_completed_; }
  // Of the threads that have completed.
  std::uint64_t instructions() const { return instructions_; }
  std::uint64_t references() const { return references_; }  // loads and stores
  // Up to where its cycles are accounted for.
  Ticks accounted() const { return account_.sum(); }
  // When its last thread was acknowledged.
  Ticks last_completed() const { return last_completed_; }
  // The account up to the end of the program, or to where it was stopped.
  const NodeAccount& end_account(Ticks end);

 private:
  enum class State : std::uint8_t {
    kSendingInitial,  // data that was there at the start goes to other nodes
    kFetching,
    kRunning,
    kAcknowledging,
    kWaiting,
  };

  // Loads that miss soon after each other: the first stops the processor, which has asked for the
  // others by then.
  struct MissGroup {
    Ticks asked;     // for the first
    Ticks executed;  // of the account, then
    std::uint32_t misses = 0;
  };

  void send_initial();
  void fetch();
  Ticks load(Line line);
  void run(Ticks until);
  void end_thread();
  void acknowledge();
  void account_for_waiting(const ReadyThread& next);
  Ticks cost_of_sending(const Message& message) const;
  // Time of the node's account, which has no gaps.
  void pass(NodeCause cause, Ticks duration) {
    if (trace_ != nullptr || sampler_ != nullptr) log(cause, duration);
    account_.add(cause, duration);
  }
  void log(NodeCause cause, Ticks duration);
  void spend(NodeCause cause, Ticks duration) {
    pass(cause, duration);
    time_ += duration;
  }
  void wait(State after) {
    after_waiting_ = after;
    state_ = State::kWaiting;
    waiting_since_ = time_;
  }

  D2nowParameters parameters_;
  const ThreadGraph& graph_;
  NodeMemory& memory_;
  ThreadIssueUnit& issue_;
  PostProcessingUnit& post_processing_;
  std::function<void(std::uint32_t, Ticks)> send_;

  State state_ = State::kSendingInitial;
  State after_waiting_ = State::kFetching;
  Ticks time_;
  Ticks waiting_since_;
  bool was_waiting_ = false;
  std::span<const std::uint32_t> initial_messages_;
  std::size_t next_initial_ = 0;
  std::uint32_t place_ = 0;   // of the running thread in the TIU
  std::uint32_t thread_ = 0;  // the running one
  std::span<const ddm::recording::Event> stream_;
  std::size_t next_event_ = 0;
  MissGroup group_;
  Ticks window_;  // that the running thread takes for a reorder buffer full of instructions
  NodeAccount account_;
  std::uint64_t threads_completed_ = 0;
  std::uint64_t instructions_ = 0;
  std::uint64_t references_ = 0;
  Ticks last_completed_;
  Ticks fetched_;          // when the running thread was
  Ticks executed_before_;  // threads' own instructions, up to then
  Ticks least_sender_;     // what a thread of this node that sends takes at least
  NodeTrace* trace_ = nullptr;
  NodeSampler* sampler_ = nullptr;
  const NetworkInterfaceUnit* network_ = nullptr;
};

}  // namespace raddle::machine::d2now
