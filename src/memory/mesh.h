// A two-dimensional mesh or torus of routers that pass packets by virtual cut-through: a packet
// goes on as soon as its first flit is there and the next buffer has room for all of it. Links
// carry one flit a cycle, buffers are guarded by credits, packets that want the same link take
// turns. Packets of one node to another stay in order, none is lost, and as long as receivers take
// what arrives none waits for ever: a mesh by dimension-order routing, a torus by bubble flow
// control besides (Puente et al., ICPP 1999: who enters a ring leaves room for one more packet).
//
// Without contention a packet of f flits over h hops that its node's input sees in cycle n is
// handed over in cycle n + h · (router + link) + router + f − 1.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "memory/flit_port.h"
#include "memory/mesh_topology.h"
#include "memory/ring.h"
#include "sim/channel.h"
#include "sim/component.h"
#include "sim/stats.h"

namespace raddle::memory {

struct MeshSpec {
  std::uint32_t width = 1;
  std::uint32_t height = 1;
  bool torus = false;
  Cycle router_latency{1};
  Cycle link_latency{1};
  std::uint32_t flit_bytes = 16;
  std::uint32_t most_packet_flits = 5;  // of the largest packet
  // At each input of a router. A link passes a flit every cycle if this covers the way of a packet
  // and back: router + 2 · link latency + the flits of a packet.
  std::uint32_t buffer_flits = 10;
};

// Throws Error when no mesh can have these parameters.
void check(const MeshSpec& spec);

template <class T>
struct MeshPacket {
  std::uint32_t destination = 0;
  std::uint32_t bytes = 0;
  T payload{};
};

struct MeshStats {
  std::uint64_t packets = 0;
  std::uint64_t flits = 0;
  std::uint64_t flit_hops = 0;
  std::uint64_t latency_sum = 0;
  std::uint64_t blocked_cycles = 0;
  std::uint64_t output_stalls = 0;

  static constexpr auto kFields = std::to_array<sim::StatField<MeshStats>>({
      {"packets", "packets", "packets delivered", &MeshStats::packets},
      {"flits", "flits", "flits delivered", &MeshStats::flits},
      {"flit_hops", "flits × hops", "flits that passed a link, summed over all links",
       &MeshStats::flit_hops},
      {"latency_sum", "cycles", "cycles from a node's input to delivery, summed over all packets",
       &MeshStats::latency_sum},
      {"blocked_cycles", "cycles",
       "cycles that packets waited at the head of a buffer for a link or for room behind it",
       &MeshStats::blocked_cycles},
      {"output_stalls", "cycles", "cycles in which a node's output waited for its receiver",
       &MeshStats::output_stalls},
  });

  double average_latency() const {
    return packets == 0 ? 0 : static_cast<double>(latency_sum) / static_cast<double>(packets);
  }
};

template <class T>
class Mesh : public sim::Component {
 public:
  // One channel to and from each node; the owner connects their other ends. Throws Error when no
  // mesh can have these parameters.
  Mesh(std::string name, const MeshSpec& spec, std::span<sim::Channel<MeshPacket<T>>* const> inputs,
       std::span<sim::Channel<T>* const> outputs)
      : Component(std::move(name)),
        spec_(spec),
        topology_(spec.width, spec.height, spec.torus),
        inputs_(inputs.begin(), inputs.end()),
        outputs_(outputs.begin(), outputs.end()) {
    check(spec);
    RADDLE_ASSERT(inputs.size() == topology_.nodes() && outputs.size() == topology_.nodes());
    for (std::uint32_t i = 0; i < topology_.nodes(); ++i) routers_.emplace_back(spec_);
    due_.assign(topology_.nodes(), sim::kNever);
    input_known_.assign(topology_.nodes(), false);
    link_flits_.assign(topology_.nodes() * kMeshPorts, 0);
  }

  Cycle tick(Cycle now) override {
    for (const std::uint32_t node : held_up_) due_[node] = now;
    held_up_.clear();
    for (std::uint32_t node = 0; node < due_.size(); ++node) {
      if (!input_known_[node] && !inputs_[node]->empty()) {
        input_known_[node] = true;
        due_[node] = std::min(due_[node], inputs_[node]->next_ready() + spec_.router_latency);
      }
    }
    Cycle next = sim::kNever;
    for (std::uint32_t node = 0; node < due_.size(); ++node) {
      if (due_[node] <= now) {
        due_[node] = sim::kNever;
        due_[node] = std::min(due_[node], step(node, now));
      }
    }
    for (const Cycle due : due_) next = std::min(next, due);
    return next;
  }

  const MeshTopology& topology() const { return topology_; }
  const MeshStats& stats() const { return stats_; }
  // Flits that left a node by one of its links.
  std::uint64_t link_flits(std::uint32_t node, MeshPort port) const {
    return link_flits_[node * kMeshPorts + static_cast<std::size_t>(port)];
  }
  // The share of all links' cycles in which they moved a flit.
  double link_utilisation(Cycle elapsed) const {
    const double slots = elapsed.as_double() * topology_.links();
    return slots == 0 ? 0 : static_cast<double>(stats_.flit_hops) / slots;
  }

 private:
  struct Flight {
    T payload{};
    Cycle born{};   // when the node's input saw it
    Cycle ready{};  // when it may leave the router; at its destination, when its last flit has
    std::uint32_t destination = 0;
    std::uint32_t flits = 1;
    MeshPort out = MeshPort::kLocal;
  };
  struct Credit {
    Cycle at{};
    std::uint32_t flits = 0;
  };
  struct Input {
    explicit Input(const MeshSpec& spec) : flights(spec.buffer_flits) {}
    Ring<Flight> flights;  // of the local input: none, its channel is the buffer
    Cycle free{};          // when the last packet that left has left entirely
  };
  struct Output {
    explicit Output(const MeshSpec& spec)
        : returning(spec.buffer_flits), credits(spec.buffer_flits) {}
    Ring<Credit> returning;
    std::uint32_t credits;  // flits that fit into the buffer at the other end
    Cycle free{};
    std::uint32_t turn = 0;      // the input that has the first say
    bool short_of_room = false;  // somebody waits for credits
  };
  struct Router {
    explicit Router(const MeshSpec& spec)
        : inputs{Input(spec), Input(spec), Input(spec), Input(spec), Input(spec)},
          outputs{Output(spec), Output(spec), Output(spec), Output(spec), Output(spec)} {}
    std::array<Input, kMeshPorts> inputs;
    std::array<Output, kMeshPorts> outputs;
    std::optional<Flight> leaving;  // by the local output
  };

  static constexpr std::size_t kLocal = static_cast<std::size_t>(MeshPort::kLocal);

  // One cycle of one router. Returns its next cycle with something to do.
  Cycle step(std::uint32_t node, Cycle now) {
    Router& router = routers_[node];
    Cycle next = deliver(node, now);
    std::array<std::uint32_t, kMeshPorts> wanted{};  // by output: a bit for each input
    for (std::size_t in = 0; in < kMeshPorts; ++in) {
      const Cycle at = head_ready(node, in);
      if (at > now) {
        next = std::min(next, at);
        continue;
      }
      const MeshPort out = in == kLocal ? topology_.route(node, inputs_[node]->front().destination)
                                        : router.inputs[in].flights.front().out;
      wanted[static_cast<std::size_t>(out)] |= 1U << in;
    }
    for (std::size_t out = 0; out < kMeshPorts; ++out)
      if (wanted[out] != 0) next = std::min(next, arbitrate(node, out, wanted[out], now));
    return next;
  }

  // When the packet at the head of an input may leave; kNever if there is none.
  Cycle head_ready(std::uint32_t node, std::size_t in) const {
    const Input& input = routers_[node].inputs[in];
    if (in == kLocal) {
      if (inputs_[node]->empty()) return sim::kNever;
      return std::max(inputs_[node]->next_ready() + spec_.router_latency, input.free);
    }
    return input.flights.empty() ? sim::kNever : std::max(input.flights.front().ready, input.free);
  }
  std::uint32_t head_flits(std::uint32_t node, std::size_t in) const {
    return in == kLocal ? flits_of(inputs_[node]->front().bytes, spec_.flit_bytes)
                        : routers_[node].inputs[in].flights.front().flits;
  }

  // Lets one of the inputs use the output, if it is free and there is room behind it. Returns when
  // to look at it again.
  Cycle arbitrate(std::uint32_t node, std::size_t out, std::uint32_t wanted, Cycle now) {
    Output& output = routers_[node].outputs[out];
    if (output.free > now) return output.free;
    while (!output.returning.empty() && output.returning.front().at <= now) {
      output.credits += output.returning.front().flits;
      output.returning.pop();
    }
    for (std::size_t i = 0; i < kMeshPorts; ++i) {
      const std::size_t in = (output.turn + i) % kMeshPorts;
      if ((wanted >> in & 1) == 0) continue;
      if (out != kLocal && room_needed(in, out, head_flits(node, in)) > output.credits) continue;
      output.turn = static_cast<std::uint32_t>((in + 1) % kMeshPorts);
      output.short_of_room = false;
      const Cycle next = forward(node, in, out, now);
      return (wanted & ~(1U << in)) != 0 ? std::min(next, output.free) : next;
    }
    output.short_of_room = true;
    return output.returning.empty() ? sim::kNever : output.returning.front().at;
  }

  // On a torus every packet counts as one of the largest, so that free room never falls into pieces
  // of which none holds a packet.
  std::uint32_t room_taken(std::uint32_t flits) const {
    return spec_.torus ? spec_.most_packet_flits : flits;
  }
  std::uint32_t room_needed(std::size_t in, std::size_t out, std::uint32_t flits) const {
    const bool goes_straight_on = in == static_cast<std::size_t>(opposite(MeshPort(out)));
    const bool enters_ring = spec_.torus && !goes_straight_on;
    return room_taken(flits) + (enters_ring ? spec_.most_packet_flits : 0);
  }

  Cycle forward(std::uint32_t node, std::size_t in, std::size_t out, Cycle now) {
    Router& router = routers_[node];
    Input& input = router.inputs[in];
    stats_.blocked_cycles += (now - head_ready(node, in)).count();
    Flight flight = take_head(node, in, now);
    const Cycle end = now + Cycle(flight.flits);
    input.free = end;
    router.outputs[out].free = end;
    Cycle next = head_ready(node, in);
    if (in != kLocal) return_credit(node, in, room_taken(flight.flits), end - Cycle(1));
    if (out == kLocal) {
      flight.ready = end - Cycle(1);
      router.leaving = std::move(flight);
      return std::min(next, deliver(node, now));
    }
    router.outputs[out].credits -= room_taken(flight.flits);
    link_flits_[node * kMeshPorts + out] += flight.flits;
    stats_.flit_hops += flight.flits;
    const std::uint32_t neighbour = topology_.neighbour(node, MeshPort(out));
    flight.ready = now + spec_.link_latency + spec_.router_latency;
    flight.out = topology_.route(neighbour, flight.destination);
    Input& target = routers_[neighbour].inputs[static_cast<std::size_t>(opposite(MeshPort(out)))];
    if (target.flights.empty()) due_[neighbour] = std::min(due_[neighbour], flight.ready);
    target.flights.push(std::move(flight));
    return next;
  }

  Flight take_head(std::uint32_t node, std::size_t in, Cycle now) {
    if (in != kLocal) {
      Flight flight = routers_[node].inputs[in].flights.front();
      routers_[node].inputs[in].flights.pop();
      return flight;
    }
    const Cycle born = inputs_[node]->next_ready();
    MeshPacket<T> packet = inputs_[node]->pop(now);
    const std::uint32_t flits = flits_of(packet.bytes, spec_.flit_bytes);
    RADDLE_ASSERT(packet.destination < topology_.nodes() && flits <= spec_.most_packet_flits);
    input_known_[node] = !inputs_[node]->empty();
    return {std::move(packet.payload), born, {}, packet.destination, flits, MeshPort::kLocal};
  }

  // Tells the router before this one that a packet will have left the buffer.
  void return_credit(std::uint32_t node, std::size_t in, std::uint32_t flits, Cycle left) {
    const std::uint32_t before = topology_.neighbour(node, MeshPort(in));
    Output& output = routers_[before].outputs[static_cast<std::size_t>(opposite(MeshPort(in)))];
    const Cycle at = left + spec_.link_latency;
    output.returning.push({at, flits});
    if (output.short_of_room) due_[before] = std::min(due_[before], at);
  }

  // Hands over the packet whose last flit has left. Returns when to try again.
  Cycle deliver(std::uint32_t node, Cycle now) {
    Router& router = routers_[node];
    if (!router.leaving) return sim::kNever;
    if (router.leaving->ready > now) return router.leaving->ready;
    Output& output = router.outputs[kLocal];
    if (!outputs_[node]->try_send(router.leaving->payload, now)) {
      output.free = sim::kNever;
      held_up_.push_back(node);  // the channel wakes the mesh when there is room
      return sim::kNever;
    }
    output.free = now + Cycle(1);
    stats_.output_stalls += (now - router.leaving->ready).count();
    stats_.latency_sum += (now - router.leaving->born).count();
    stats_.flits += router.leaving->flits;
    ++stats_.packets;
    router.leaving.reset();
    return sim::kNever;
  }

  MeshSpec spec_;
  MeshTopology topology_;
  std::vector<sim::Channel<MeshPacket<T>>*> inputs_;
  std::vector<sim::Channel<T>*> outputs_;
  std::vector<Router> routers_;
  std::vector<Cycle> due_;              // by node: when its router has something to do
  std::vector<char> input_known_;       // by node: whether due_ covers the head of its channel
  std::vector<std::uint32_t> held_up_;  // nodes whose receiver has no room
  std::vector<std::uint64_t> link_flits_;
  MeshStats stats_;
};

}  // namespace raddle::memory
