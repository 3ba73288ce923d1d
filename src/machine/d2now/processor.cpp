#include "machine/d2now/processor.h"

#include <algorithm>
#include <utility>

namespace raddle::machine::d2now {

using ddm::recording::Touch;

Processor::Processor(const D2nowParameters& parameters, const ThreadGraph& graph,
                     std::uint32_t node, NodeMemory& memory, ThreadIssueUnit& issue,
                     PostProcessingUnit& post_processing,
                     std::function<void(std::uint32_t, Ticks)> send)
    : parameters_(parameters),
      graph_(graph),
      memory_(memory),
      issue_(issue),
      post_processing_(post_processing),
      send_(std::move(send)),
      initial_messages_(graph.initial_messages(node)),
      least_sender_(graph.least_ticks_of_sender(node)) {}

Ticks Processor::least_send_time(Ticks idle_until) const {
  if (state_ == State::kSendingInitial) return time_;
  const bool has_thread = state_ == State::kRunning || state_ == State::kAcknowledging ||
                          (state_ == State::kWaiting && after_waiting_ == State::kAcknowledging);
  Ticks next = state_ == State::kWaiting ? idle_until : time_;
  if (!has_thread) return after(next, least_sender_);
  const PlacedThread& thread = graph_.thread(thread_);
  if (state_ == State::kRunning) {
    next = after(next, thread.least_ticks - (account_[NodeCause::kExecution] - executed_before_));
  }
  return thread.messages.count != 0 ? next : after(next, least_sender_);
}

void Processor::advance(Ticks until) {
  switch (state_) {
    case State::kSendingInitial: send_initial(); break;
    case State::kFetching: fetch(); break;
    case State::kRunning: run(until); break;
    case State::kAcknowledging: acknowledge(); break;
    case State::kWaiting: break;
  }
}

void Processor::wake(Ticks now) {
  if (state_ != State::kWaiting) return;
  const bool can_go_on = after_waiting_ == State::kAcknowledging
                             ? !post_processing_.acknowledgement_queue_is_full()
                             : issue_.has_thread();
  if (!can_go_on) return;
  state_ = after_waiting_;
  time_ = std::max(time_, now);
  was_waiting_ = true;
}

Ticks Processor::cost_of_sending(const Message& message) const {
  if (message.bytes == Bytes(0)) return Ticks(0);  // a ready count alone: the PPU's matter
  const NetworkParameters& network = parameters_.network;
  if (way_of(message, network) != Way::kValues) return parameters_.sequencing.send_block;
  const std::uint64_t values =
      (message.bytes + network.value_bytes - Bytes(1)) / network.value_bytes;
  return values * parameters_.sequencing.send_value;
}

void Processor::send_initial() {
  if (next_initial_ == initial_messages_.size()) {
    state_ = State::kFetching;
    return;
  }
  const std::uint32_t number = initial_messages_[next_initial_++];
  spend(NodeCause::kOverhead, cost_of_sending(graph_.message(number)));
  send_(number, time_);
}

void Processor::fetch() {
  if (!issue_.has_thread()) {
    wait(State::kFetching);
    return;
  }
  place_ = issue_.take(time_);
  const ReadyThread& next = issue_.thread_at(place_);
  if (std::exchange(was_waiting_, false)) account_for_waiting(next);
  thread_ = next.thread;
  fetched_ = time_;
  executed_before_ = account_[NodeCause::kExecution];
  const PlacedThread& thread = graph_.thread(thread_);
  stream_ = graph_.events(thread);
  next_event_ = 0;
  group_.misses = 0;
  window_ = parameters_.memory.reorder_buffer * thread.least_ticks /
            std::max<std::uint64_t>(thread.instructions, 1);
  memory_.thread_begins(static_cast<double>(thread.references) /
                            static_cast<double>(std::max<std::size_t>(stream_.size(), 1)),
                        [this](Line line) { return issue_.is_reserved(line); });
  spend(NodeCause::kOverhead,
        parameters_.sequencing.fetch +
            post_processing_.templates_loaded() * parameters_.sequencing.load_template);
  state_ = State::kRunning;
}

// The wait ended with the thread that came next. What it waited for last was computed elsewhere,
// then on its way, then in the TSU's hands.
void Processor::account_for_waiting(const ReadyThread& next) {
  const Ticks sent = std::clamp(next.sent, waiting_since_, time_);
  const Ticks arrived = std::clamp(next.arrived, sent, time_);
  pass(NodeCause::kWork, sent - waiting_since_);
  pass(NodeCause::kNetwork, arrived - sent);
  pass(NodeCause::kTsu, time_ - arrived);
}

void Processor::log(NodeCause cause, Ticks duration) {
  if (sampler_ != nullptr) {
    const MemoryCounts& memory = memory_.counts();
    sampler_->pass(
        cause, duration,
        {memory.l2_accesses, memory.l2_misses, threads_completed_, network_->counts().bytes});
  }
  const bool waits =
      cause == NodeCause::kTsu || cause == NodeCause::kNetwork || cause == NodeCause::kWork;
  if (trace_ == nullptr || !waits) return;
  const Ticks begin = account_.sum();
  trace_->waits(cause, begin, begin + duration);
}

void Processor::run(Ticks until) {
  while (next_event_ < stream_.size()) {
    if (time_ >= until) return;
    const ddm::recording::Event event = stream_[next_event_++];
    spend(NodeCause::kExecution, Ticks(event.ticks()));
    if (event.touch() == Touch::kNone) continue;
    const Ticks go_on = event.touch() == Touch::kLoad
                            ? load(event.line)
                            : memory_.access(event.touch(), event.line, time_);
    pass(NodeCause::kCache, go_on - time_);
    time_ = go_on;
  }
  spend(NodeCause::kExecution, graph_.thread(thread_).last_ticks);
  end_thread();
}

// The P6 executes loads out of order: those within its reorder buffer miss together. Whether one
// needs the other's value is not known; that they do not is assumed.
Ticks Processor::load(Line line) {
  const Ticks executed = account_[NodeCause::kExecution];
  const bool overlaps = group_.misses != 0 && group_.misses < parameters_.memory.fill_buffers &&
                        executed - group_.executed <= window_;
  const Ticks asked = overlaps ? group_.asked + (executed - group_.executed) : time_;
  const std::uint64_t misses = memory_.counts().l2_misses;
  const Ticks go_on = memory_.access(Touch::kLoad, line, time_, asked);
  if (memory_.counts().l2_misses == misses) return go_on;
  if (overlaps) {
    ++group_.misses;
  } else if (parameters_.memory.reorder_buffer != 0) {
    group_ = {time_, executed, 1};
  }
  return go_on;
}

void Processor::end_thread() {
  const PlacedThread& thread = graph_.thread(thread_);
  Ticks cost = parameters_.sequencing.acknowledge;
  for (std::uint64_t i = 0; i < thread.messages.count; ++i) {
    cost += cost_of_sending(graph_.message(static_cast<std::uint32_t>(thread.messages.first + i)));
  }
  spend(NodeCause::kOverhead, cost);
  if (trace_ != nullptr) trace_->runs(thread_, fetched_, time_);
  state_ = State::kAcknowledging;
}

void Processor::acknowledge() {
  if (post_processing_.acknowledgement_queue_is_full()) {
    wait(State::kAcknowledging);
    return;
  }
  if (std::exchange(was_waiting_, false)) pass(NodeCause::kTsu, time_ - waiting_since_);
  issue_.completed(place_, time_);
  post_processing_.completed(thread_, time_);
  ++threads_completed_;
  instructions_ += graph_.thread(thread_).instructions;
  references_ += graph_.thread(thread_).references;
  last_completed_ = time_;
  state_ = State::kFetching;
}

const NodeAccount& Processor::end_account(Ticks end) {
  const Ticks known = account_.sum();
  if (known > end) {
    // Where a run is stopped, what the thread was doing would have lasted longer.
    account_.take_back(NodeCause::kExecution, known - end);
  } else {
    pass(NodeAccount::remainder(), end - known);
  }
  return account_;
}

}  // namespace raddle::machine::d2now
