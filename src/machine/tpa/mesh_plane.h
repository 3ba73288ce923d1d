// One plane of the multimesh: a grid of routers that pass packets of one flit, first along rows,
// then along columns. Inputs have queues of a fixed length; a packet moves on when the next queue
// has room, one packet a cycle over each link. Between steps go synchronisation waves (Ranade): an
// output passes a wave on when all inputs that feed it have brought it, and no packet overtakes
// one.
//
// A packet takes hop_cycles from queue to queue. memory::Mesh, which knows packets of many flits
// and tori, knows no waves and is not made for a packet a node and cycle over millions of cycles.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "base/units.h"
#include "memory/mesh_topology.h"

namespace raddle::machine::tpa {

// Packed, as it moves often: who asked, which slot of its pipeline waits, where it goes.
class Packet {
 public:
  static constexpr std::uint32_t kMaxNodes = 1 << 10;
  static constexpr std::uint32_t kMaxSlots = 1 << 18;

  Packet() = default;
  static Packet reference(std::uint32_t source, std::uint32_t slot, std::uint32_t destination,
                          bool wants_reply) {
    return Packet(std::uint64_t{destination} | std::uint64_t{source} << 10 |
                  std::uint64_t{wants_reply} << 20 | std::uint64_t{slot} << 22);
  }
  static Packet wave() { return Packet(std::uint64_t{1} << 21); }

  std::uint32_t destination() const { return bits_ & 0x3ff; }
  std::uint32_t source() const { return bits_ >> 10 & 0x3ff; }
  bool wants_reply() const { return (bits_ >> 20 & 1) != 0; }
  bool is_wave() const { return (bits_ >> 21 & 1) != 0; }
  std::uint32_t slot() const { return bits_ >> 22 & (kMaxSlots - 1); }
  // Cycles wrap at 24 bits; no packet waits that long.
  void set_ready(Cycle cycle) {
    bits_ = (bits_ & 0xffffffffffU) | (cycle.count() & 0xffffff) << 40;
  }
  bool is_ready(Cycle now) const { return ((now.count() - (bits_ >> 40)) & 0xffffff) < 0x800000; }

 private:
  explicit Packet(std::uint64_t bits) : bits_(bits) {}
  std::uint64_t bits_ = 0;
};

// A queue of a fixed length, a power of two.
class PacketQueue {
 public:
  explicit PacketQueue(std::uint32_t length) : packets_(length), mask_(length - 1) {}

  bool empty() const { return head_ == tail_; }
  bool full() const { return tail_ - head_ > mask_; }
  std::uint32_t size() const { return tail_ - head_; }
  const Packet& front() const { return packets_[head_ & mask_]; }
  void pop() { ++head_; }
  void push(Packet packet) { packets_[tail_++ & mask_] = packet; }

 private:
  std::vector<Packet> packets_;
  std::uint32_t mask_;
  std::uint32_t head_ = 0;
  std::uint32_t tail_ = 0;
};

struct MeshPlaneStats {
  std::uint64_t packets = 0;  // delivered, waves apart
  std::uint64_t hops = 0;     // over links
  Cycle blocked;              // that a ready packet waited for a link or for room
  std::uint64_t waves = 0;    // that passed a router
};

class MeshPlane {
 public:
  MeshPlane(std::uint32_t width, std::uint32_t height, std::uint32_t queue,
            std::uint32_t output_queue, Cycle hop_cycles);

  // Of a node's own input.
  bool has_room(std::uint32_t node) const { return !inputs_[node * kPorts].full(); }
  void inject(std::uint32_t node, Packet packet, Cycle now) {
    packet.set_ready(now + hop_cycles_);
    put(node, 0, packet);
  }
  // What has arrived at a node.
  PacketQueue& output(std::uint32_t node) { return outputs_[node]; }

  void tick(Cycle now) {
    for (std::size_t word = 0; word < active_.size(); ++word) {
      std::uint64_t nodes = active_[word];
      while (nodes != 0) {
        const auto bit = static_cast<std::uint32_t>(std::countr_zero(nodes));
        nodes &= nodes - 1;
        step(static_cast<std::uint32_t>(word) * 64 + bit, now);
      }
    }
  }
  // Nothing on its way, outputs included.
  bool idle() const { return in_flight_ == 0; }
  void took() { --in_flight_; }  // from an output

  const MeshPlaneStats& stats() const { return stats_; }

 private:
  static constexpr std::uint32_t kPorts = memory::kMeshPorts;

  struct Router {
    std::uint8_t waiting = 0;                    // a bit for each input with packets
    std::uint8_t turn = 0;                       // the input that has the first say
    std::uint8_t wave_at = 0;                    // inputs whose head is a wave
    std::uint8_t wave_sent = 0;                  // outputs that have passed it on
    std::array<std::uint8_t, kPorts> feeders{};  // by output: the inputs that may use it
    std::uint8_t inputs = 0;                     // that exist
    std::uint8_t outputs = 0;
  };

  void put(std::uint32_t node, std::uint32_t port, Packet packet) {
    inputs_[node * kPorts + port].push(packet);
    routers_[node].waiting |= static_cast<std::uint8_t>(1U << port);
    active_[node / 64] |= std::uint64_t{1} << node % 64;
    ++in_flight_;
  }
  void step(std::uint32_t node, Cycle now);
  void pass_wave(std::uint32_t node, Cycle now);
  bool send(std::uint32_t node, std::uint32_t out, Packet packet, Cycle now);

  std::uint32_t nodes_;
  Cycle hop_cycles_;
  std::vector<PacketQueue> inputs_;   // by node and port
  std::vector<PacketQueue> outputs_;  // by node
  std::vector<Router> routers_;
  std::vector<std::uint64_t> active_;      // a bit for each node with packets
  std::vector<std::uint8_t> routes_;       // by node and destination
  std::vector<std::uint32_t> neighbours_;  // by node and port
  std::uint64_t in_flight_ = 0;
  MeshPlaneStats stats_;
};

}  // namespace raddle::machine::tpa
