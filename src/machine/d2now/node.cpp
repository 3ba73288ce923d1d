#include "machine/d2now/node.h"

#include <algorithm>
#include <utility>

namespace raddle::machine::d2now {

Node::Node(const D2nowParameters& parameters, const ThreadGraph& graph, std::uint32_t number,
           std::vector<std::uint32_t>& ready_counts, MessageCarrier& carrier)
    : graph_(graph),
      carrier_(carrier),
      memory_(parameters.memory),
      issue_(parameters.tsu, parameters.cacheflow, graph, memory_, events_),
      post_processing_(parameters.tsu, graph, number, ready_counts, issue_, events_,
                       [this](std::uint32_t message, Ticks now) { send(message, now); }),
      network_(parameters.tsu, parameters.network, graph, memory_, events_),
      processor_(parameters, graph, number, memory_, issue_, post_processing_,
                 [this](std::uint32_t message, Ticks now) { send(message, now); }) {
  std::vector<std::uint32_t> started;
  for (std::uint32_t i = 0; i < graph.size(); ++i) {
    if (graph.thread(i).node == number && graph.thread(i).ready_count == 0) started.push_back(i);
  }
  post_processing_.start(std::move(started));
}

void Node::trace_to(sim::TraceFile& file, std::uint32_t number, double clock_hz) {
  NodeTrace* trace = &trace_.emplace(file, graph_, number, clock_hz);
  issue_.set_trace(trace);
  post_processing_.set_trace(trace);
  network_.set_trace(trace);
  processor_.set_trace(trace);
}

void Node::sample_every(Ticks interval) {
  processor_.set_sampler(&sampler_.emplace(interval), &network_);
}

void Node::send(std::uint32_t message, Ticks now) {
  const std::uint64_t sent_before = network_.messages_sent();
  carrier_.carry(message, now, network_.send(graph_.message(message), now), sent_before);
}

void Node::run_until(Ticks limit) {
  while (true) {
    const Ticks event = events_.next_time();
    const Ticks processor = processor_.next_time();
    if (std::min(event, processor) >= limit) return;
    if (event <= processor) {
      handle(events_.pop());
    } else {
      processor_.advance(std::min(event, limit));
    }
  }
}

void Node::handle(const Event& event) {
  switch (event.what) {
    case EventKind::kPostProcessing: post_processing_.step(event.at); break;
    case EventKind::kIssue: issue_.step(event.at); return;
    case EventKind::kFiring: issue_.enter_firing_queue(event.number, event.at); break;
    case EventKind::kMessage: network_.receive(event.number, event.sent, event.at); return;
    case EventKind::kReceived:
      post_processing_.received(event.number, event.sent, event.at);
      return;
  }
  processor_.wake(event.at);
}

}  // namespace raddle::machine::d2now
