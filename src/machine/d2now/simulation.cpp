#include "machine/d2now/simulation.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"

namespace raddle::machine::d2now {
namespace {

constexpr std::uint64_t kTurnsBetweenWatches = 1 << 9;

Bytes broadcast_above(const NetworkParameters& network) {
  return network.ethernet && network.broadcast ? Bytes(network.ethernet_threshold)
                                               : ThreadGraph::kNoBroadcast;
}

// An ideal network still takes a tick.
Ticks least_latency(const NetworkParameters& network) {
  return std::max(Ticks(1), std::min(network.latency, network.ethernet_latency));
}

}  // namespace

Simulation::Simulation(const D2nowParameters& parameters,
                       const ddm::recording::Recording& recording)
    : parameters_(parameters),
      graph_(recording, parameters.nodes, parameters.network.send_initial,
             broadcast_above(parameters.network)),
      lookahead_(least_latency(parameters.network)) {
  for (std::uint32_t i = 0; i < graph_.size(); ++i) {
    ready_counts_.push_back(graph_.thread(i).ready_count);
  }
  for (std::uint32_t number = 0; number < parameters.nodes; ++number) {
    nodes_.push_back(std::make_unique<Node>(parameters_, graph_, number, ready_counts_, *this));
  }
  next_times_.resize(nodes_.size());
}

void Simulation::carry(std::uint32_t message, Ticks sent, Ticks arrives,
                       std::uint64_t sent_before) {
  const Message& what = graph_.message(message);
  const Ticks at = std::max(arrives, sent + lookahead_);
  nodes_[what.to]->expect_message(at, what.from, sent_before, message, sent);
  next_times_[what.to] = std::min(next_times_[what.to], at);
}

void Simulation::trace_to(sim::TraceFile& file) {
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    nodes_[i]->trace_to(file, i, parameters_.clock_hz);
  }
}

void Simulation::sample_every(Ticks interval) {
  for (const auto& node : nodes_) node->sample_every(interval);
}

bool Simulation::run(const std::function<void(Ticks, std::uint64_t)>& watch, Ticks limit) {
  for (std::size_t i = 0; i < nodes_.size(); ++i) next_times_[i] = nodes_[i]->next_time();
  for (std::uint64_t turn = 1;; ++turn) {
    const Ticks least = *std::ranges::min_element(next_times_);
    if (least == kForever) break;
    if (least > limit) {
      if (threads_completed() != graph_.size()) return false;
      limit = kForever;  // what the TSU tidies up after the last thread is not the program's time
    }
    plan_turn(least, limit);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (next_times_[i] >= limits_[i]) continue;
      nodes_[i]->run_until(limits_[i]);
      next_times_[i] = nodes_[i]->next_time();
    }
    if (watch && turn % kTurnsBetweenWatches == 0) watch(least, threads_completed());
  }
  if (threads_completed() != graph_.size()) fail_starved();
  for (const auto& node : nodes_) end_ = std::max(end_, node->processor().last_completed());
  return true;
}

// What the first sender sends arrives a latency later. It hears itself of others that send by
// themselves, or of those that answer it, two latencies after its own message.
void Simulation::plan_turn(Ticks least, Ticks limit) {
  Ticks first = kForever, second = kForever;
  std::size_t sender = 0;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Ticks time = nodes_[i]->least_send_time();
    if (time < first) {
      second = std::exchange(first, time);
      sender = i;
    } else {
      second = std::min(second, time);
    }
  }
  const Ticks longest = std::min(least + longest_turn_, after(limit, Ticks(1)));
  limits_.assign(nodes_.size(), std::min(longest, after(first, lookahead_)));
  if (first == kForever) return;
  limits_[sender] = std::min(longest, after(std::min(second, first + lookahead_), lookahead_));
}

std::uint64_t Simulation::threads_completed() const {
  std::uint64_t sum = 0;
  for (const auto& node : nodes_) sum += node->processor().threads_completed();
  return sum;
}

void Simulation::fail_starved() const {
  std::string waiting;
  for (const auto& node : nodes_) {
    for (const std::uint32_t thread : node->post_processing().parked()) {
      if (waiting.size() < 200) {
        waiting += fmt::format("{}{}", waiting.empty() ? "" : ", ", graph_.name(thread));
      }
    }
  }
  if (!waiting.empty()) {
    throw Error(fmt::format("the graph memory is full of code blocks that cannot end before others "
                            "are loaded: {} wait",
                            waiting),
                graph_.recording().program,
                fmt::format("it holds {} templates; set tsu.graph_memory to a larger number",
                            parameters_.tsu.graph_memory));
  }
  for (std::uint32_t i = 0; i < graph_.size(); ++i) {
    if (ready_counts_[i] == 0) continue;
    throw Error(fmt::format("{} threads never became ready, among them {}, which still waits for "
                            "{} of {} inputs",
                            graph_.size() - threads_completed(), graph_.name(i), ready_counts_[i],
                            graph_.thread(i).ready_count),
                graph_.recording().program, "the recording's graph has a cycle");
  }
  RADDLE_ASSERT(!"threads are ready but nothing happens");
}

}  // namespace raddle::machine::d2now
