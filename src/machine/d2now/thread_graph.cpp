#include "machine/d2now/thread_graph.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"

namespace raddle::machine::d2now {
namespace {

using ddm::recording::Flow;
using ddm::recording::kLineBytes;
using ddm::recording::Placement;
using ddm::recording::Recording;
using ddm::recording::Region;

const Placement& placement_of(const Recording& recording, std::uint32_t nodes) {
  if (const Placement* placement = recording.placement(nodes)) return *placement;
  std::string known;
  for (const Placement& placement : recording.placements) {
    known += fmt::format("{}{}", known.empty() ? "" : ", ", placement.nodes);
  }
  throw Error(fmt::format("the recording places its threads on {} nodes, not on {}", known, nodes),
              recording.program, "record the program again for this number of nodes");
}

template <class Arc>
void sort(std::vector<Arc>& arcs) {
  std::ranges::sort(arcs, {}, [](const Arc& arc) {
    return std::tuple(arc.from, arc.to_node, arc.consumer, !arc.is_arc, arc.region.address,
                      arc.region.bytes);
  });
}

// Calls `use` with each run of neighbours for which `same` holds.
template <class Arc>
void for_each_run(std::span<const Arc> arcs, auto same, auto use) {
  for (std::size_t first = 0; first < arcs.size();) {
    std::size_t last = first;
    while (last < arcs.size() && same(arcs[last], arcs[first])) ++last;
    use(arcs.subspan(first, last - first));
    first = last;
  }
}

template <class Arc>
void for_each_pair(const std::vector<Arc>& arcs, auto use) {
  const auto same = [](const Arc& a, const Arc& b) {
    return a.from == b.from && a.to_node == b.to_node;
  };
  for_each_run(std::span<const Arc>(arcs), same, use);
}

template <class Arc>
void for_each_consumer(std::span<const Arc> arcs, auto use) {
  for_each_run(arcs, [](const Arc& a, const Arc& b) { return a.consumer == b.consumer; }, use);
}

}  // namespace

ThreadGraph::ThreadGraph(const Recording& recording, std::uint32_t nodes, bool send_initial,
                         Bytes broadcast_above)
    : recording_(&recording), initial_(nodes), broadcast_above_(broadcast_above) {
  place(placement_of(recording, nodes));
  split_by_node(connect(), send_initial);
  find_least_senders();
}

void ThreadGraph::find_least_senders() {
  least_sender_.assign(initial_.size(), kForever);
  for (const PlacedThread& thread : threads_) {
    if (thread.messages.count == 0) continue;
    Ticks& least = least_sender_[thread.node];
    least = std::min(least, thread.least_ticks);
  }
}

std::string ThreadGraph::name(std::uint32_t number) const {
  const PlacedThread& thread = threads_[number];
  return fmt::format("{}.{}[{}]", recording_->blocks[thread.block].name,
                     recording_->templates[thread.thread_template].name, thread.index);
}

void ThreadGraph::place(const Placement& placement) {
  threads_.reserve(recording_->threads.size());
  for (const ddm::recording::Thread& recorded : recording_->threads) {
    PlacedThread thread;
    thread.node = placement.node_of[threads_.size()];
    thread.thread_template = recorded.thread_template;
    thread.block = recorded.block;
    thread.index = recorded.index;
    thread.instructions = recorded.instructions;
    thread.references = recorded.references;
    thread.last_ticks = Ticks(recorded.last_ticks);
    thread.events = recorded.events;
    thread.inputs = recorded.inputs;
    thread.least_ticks = thread.last_ticks;
    for (const ddm::recording::Event event : events(thread))
      thread.least_ticks += Ticks(event.ticks());
    const bool is_join =
        recording_->templates[recorded.thread_template].kind == ddm::recording::TemplateKind::kJoin;
    join_of_.push_back(is_join ? static_cast<std::uint32_t>(threads_.size()) : DataArcs::kNone);
    threads_.push_back(thread);
  }
}

std::uint32_t ThreadGraph::add_part_of_join(std::uint32_t join, std::uint32_t node) {
  PlacedThread thread = threads_[join];
  thread.node = node;
  threads_.push_back(thread);
  join_of_.push_back(join);
  return static_cast<std::uint32_t>(threads_.size() - 1);
}

std::vector<Edge> ThreadGraph::connect() {
  const auto recorded = static_cast<std::uint32_t>(recording_->threads.size());
  // The part of a join that gathers on a node, and the one that passes on there.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> gathering, passing;
  std::vector<Edge> edges;
  const auto is_join = [this](std::uint32_t thread) { return join_of_[thread] != DataArcs::kNone; };
  const auto part_of = [&](auto& parts, std::uint32_t join, std::uint32_t node, bool gathers) {
    const auto [place, is_new] = parts.try_emplace({join, node}, 0);
    if (is_new) {
      place->second = add_part_of_join(join, node);
      edges.push_back(gathers ? Edge{place->second, join} : Edge{join, place->second});
    }
    return place->second;
  };
  for (std::uint32_t i = 0; i < recorded; ++i) {
    for (const std::uint32_t consumer :
         part(recording_->consumers, recording_->threads[i].consumers)) {
      std::uint32_t from = i, to = consumer;
      if (is_join(i) && threads_[to].node != threads_[i].node) {
        from = part_of(passing, i, threads_[to].node, false);
      }
      if (is_join(to) && threads_[to].node != threads_[from].node) {
        to = part_of(gathering, to, threads_[from].node, true);
      }
      edges.push_back({from, to});
    }
  }
  std::ranges::stable_sort(edges, {}, &Edge::from);
  return edges;
}

void ThreadGraph::split_by_node(const std::vector<Edge>& edges, bool send_initial) {
  std::vector<Arc> arcs, initial;  // `from` is a thread, or a node
  for (std::size_t first = 0; first < edges.size();) {
    PlacedThread& producer = threads_[edges[first].from];
    producer.consumers.first = decrements_.size();
    const std::uint32_t from = edges[first].from;
    for (; first < edges.size() && edges[first].from == from; ++first) {
      const std::uint32_t consumer = edges[first].to;
      ++threads_[consumer].ready_count;
      if (threads_[consumer].node == producer.node) {
        decrements_.push_back(consumer);
      } else {
        arcs.push_back({from, threads_[consumer].node, consumer, true, {}});
      }
    }
    producer.consumers.count = decrements_.size() - producer.consumers.first;
  }
  DataArcs data(edges, join_of_);
  if (nodes() > 1) add_flows(data, arcs, send_initial ? &initial : nullptr);
  add_messages(arcs, data);
  add_initial_messages(initial);
  undeclared_inputs_ = data.undeclared_inputs();
  missing_arc_ = data.missing();
}

void ThreadGraph::add_flows(const DataArcs& data, std::vector<Arc>& arcs,
                            std::vector<Arc>* initial) const {
  for (std::uint32_t i = 0; i < recording_->threads.size(); ++i) {
    const std::uint32_t node = threads_[i].node;
    std::uint32_t producer = DataArcs::kNone, waiting = i;  // flows are sorted by producer
    for (const Flow& flow : part(recording_->flows, recording_->threads[i].flows)) {
      const std::uint32_t from_node = threads_[flow.producer].node;
      if (from_node == node) continue;
      if (flow.initial != 0) {
        if (initial != nullptr) initial->push_back({from_node, node, i, false, flow.region});
        continue;
      }
      if (std::exchange(producer, flow.producer) != flow.producer) {
        const std::uint32_t join_part = data.waiting_part(producer, i);
        waiting = join_part == DataArcs::kNone ? i : join_part;
      }
      arcs.push_back({flow.producer, node, waiting, false, flow.region});
    }
  }
}

void ThreadGraph::add_messages(std::vector<Arc>& arcs, DataArcs& data) {
  sort(arcs);
  for_each_pair(arcs, [this, &data](std::span<const Arc> group) {
    PlacedThread& producer = threads_[group.front().from];
    if (producer.messages.count == 0) producer.messages.first = messages_.size();
    ++producer.messages.count;
    add_message(group, producer.node, data);
  });
  if (broadcast_above_ == kNoBroadcast) return;
  for (const PlacedThread& thread : threads_) {
    if (thread.messages.count > 1)
      find_fresh_bytes(std::span(messages_).subspan(thread.messages.first, thread.messages.count));
  }
}

// What messages that are broadcast have in common with earlier ones is sent once.
void ThreadGraph::find_fresh_bytes(std::span<Message> messages) const {
  std::map<std::uint64_t, std::uint64_t> sent;  // from address to end, apart from each other
  for (Message& message : messages) {
    if (message.bytes <= broadcast_above_) continue;
    message.fresh_bytes = Bytes(0);
    for (const Region& region : regions(message.regions)) {
      std::uint64_t first = region.address, last = region.address + region.bytes;
      std::uint64_t known = 0;
      auto next = sent.upper_bound(first);
      if (next != sent.begin() && std::prev(next)->second >= first) --next;
      while (next != sent.end() && next->first <= last) {
        known += std::min(next->second, region.address + region.bytes) -
                 std::max(next->first, region.address);
        first = std::min(first, next->first);
        last = std::max(last, next->second);
        next = sent.erase(next);
      }
      sent.emplace(first, last);
      message.fresh_bytes += Bytes(region.bytes - known);
    }
  }
}

// All arcs are from one producer to one node, sorted by consumer.
void ThreadGraph::add_message(std::span<const Arc> arcs, std::uint32_t from_node, DataArcs& data) {
  Message message{.from = from_node, .to = arcs.front().to_node, .regions = {}, .decrements = {}};
  message.decrements.first = decrements_.size();
  for_each_consumer(arcs, [this, &data](std::span<const Arc> group) {
    const std::uint32_t consumer = group.front().consumer;
    const auto declared = std::ranges::count(group, true, &Arc::is_arc);
    // Data without an arc of its own: the thread must wait for this message too.
    if (declared == 0) {
      ++threads_[consumer].ready_count;
      if (join_of_[consumer] == DataArcs::kNone)
        data.add_undeclared({group.front().from, consumer, group.front().region});
    }
    decrements_.insert(decrements_.end(), static_cast<std::size_t>(std::max<long>(declared, 1)),
                       consumer);
  });
  message.decrements.count = decrements_.size() - message.decrements.first;

  std::vector<Region> regions;
  for (const Arc& arc : arcs) {
    if (arc.region.bytes != 0) regions.push_back(arc.region);
  }
  add_regions(regions, message);
  messages_.push_back(message);
}

void ThreadGraph::add_initial_messages(std::vector<Arc>& arcs) {
  sort(arcs);
  for_each_pair(arcs, [this](std::span<const Arc> group) { add_initial_messages_of_pair(group); });
  for (std::vector<std::uint32_t>& numbers : initial_) {
    std::ranges::sort(numbers, {}, [this](std::uint32_t number) {
      return std::pair(decrements_[messages_[number].decrements.first], number);
    });
  }
}

// All arcs are from one node's initial data to another node, sorted by consumer. What an earlier
// message brings already is not sent again: the consumer waits for the last such message.
void ThreadGraph::add_initial_messages_of_pair(std::span<const Arc> arcs) {
  std::unordered_map<std::uint64_t, std::size_t> message_of_line;
  std::vector<std::vector<Region>> regions;
  std::vector<std::vector<std::uint32_t>> waiting;
  for_each_consumer(arcs, [&](std::span<const Arc> group) {
    std::vector<Region> fresh;
    std::size_t awaited = 0;
    for (const Arc& arc : group) {
      const std::uint64_t end = arc.region.address + arc.region.bytes;
      for (std::uint64_t at = arc.region.address; at < end;) {
        const std::uint64_t line = at / kLineBytes;
        const std::uint64_t next = std::min(end, (line + 1) * kLineBytes);
        const auto [place, is_new] = message_of_line.emplace(line, regions.size());
        if (is_new) fresh.push_back({line * kLineBytes, kLineBytes});
        awaited = std::max(awaited, place->second);
        at = next;
      }
    }
    if (!fresh.empty()) {
      awaited = regions.size();
      regions.push_back(std::move(fresh));
      waiting.emplace_back();
    }
    const std::uint32_t consumer = group.front().consumer;
    ++threads_[consumer].ready_count;
    waiting[awaited].push_back(consumer);
  });
  for (std::size_t i = 0; i < regions.size(); ++i) {
    Message message{.from = arcs.front().from,
                    .to = arcs.front().to_node,
                    .regions = {},
                    .decrements = {decrements_.size(), waiting[i].size()}};
    decrements_.insert(decrements_.end(), waiting[i].begin(), waiting[i].end());
    add_regions(regions[i], message);
    initial_[message.from].push_back(static_cast<std::uint32_t>(messages_.size()));
    messages_.push_back(message);
  }
}

void ThreadGraph::add_regions(std::vector<Region>& regions, Message& message) {
  std::ranges::sort(regions, {}, &Region::address);
  message.regions.first = regions_.size();
  for (const Region& region : regions) {
    const std::uint64_t end = region.address + region.bytes;
    if (regions_.size() > message.regions.first) {
      Region& before = regions_.back();
      const std::uint64_t before_end = before.address + before.bytes;
      if (region.address <= before_end) {
        before.bytes = std::max(end, before_end) - before.address;
        continue;
      }
    }
    regions_.push_back(region);
  }
  message.regions.count = regions_.size() - message.regions.first;
  for (const Region& region : part(regions_, message.regions)) message.bytes += Bytes(region.bytes);
  message.fresh_bytes = message.bytes;
}

}  // namespace raddle::machine::d2now
