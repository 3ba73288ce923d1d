// What lies between the backends and the words of shared memory: planes of the multimesh for
// references, memory modules with their active memory units, and planes for replies. A module
// serves one reference a cycle; a wave has passed when every module has seen it on all planes.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "machine/tpa/mesh_plane.h"
#include "machine/tpa/tpa_parameters.h"

namespace raddle::machine::tpa {

struct ModuleStats {
  std::uint64_t served = 0;
  Cycle held_by_replies;  // in which a reply found no room
  Cycle waited;           // in which a second reference had to wait
};

class MemoryModules {
 public:
  explicit MemoryModules(const TpaParameters& parameters);

  // Whether a backend can send one more; the planes are used in turns.
  bool has_room(std::uint32_t backend) const { return requests_[turn_[backend]].has_room(backend); }
  void send(std::uint32_t backend, Packet packet, Cycle now) {
    std::uint32_t& turn = turn_[backend];
    requests_[turn].inject(backend, packet, now);
    turn = turn + 1 == requests_.size() ? 0 : turn + 1;
  }
  bool has_room_for_wave(std::uint32_t backend) const;
  void send_wave(std::uint32_t backend, Cycle now);

  // One cycle. Served(packet) hears of every reference in the order of service, replied(packet) of
  // every reply that reaches its backend, and waved() of every wave that has passed all modules.
  template <class Served, class Replied, class Waved>
  void tick(Cycle now, Served&& served, Replied&& replied, Waved&& waved) {
    for (MeshPlane& plane : replies_) {
      if (plane.idle()) continue;
      plane.tick(now);
      for (std::uint32_t node = 0; node < nodes_; ++node) {
        PacketQueue& arrived = plane.output(node);
        while (!arrived.empty()) {
          replied(arrived.front());
          arrived.pop();
          plane.took();
        }
      }
    }
    bool any = false;
    for (MeshPlane& plane : requests_) {
      if (plane.idle()) continue;
      any = true;
      plane.tick(now);
    }
    if (!any) return;
    for (std::uint32_t module = 0; module < nodes_; ++module) serve(module, now, served);
    while (!wave_counts_.empty() && wave_counts_.front() == nodes_) {
      wave_counts_.pop_front();
      ++waves_done_;
      waved();
    }
  }
  bool idle() const;

  const std::vector<ModuleStats>& stats() const { return stats_; }
  MeshPlaneStats request_stats() const { return sum(requests_); }
  MeshPlaneStats reply_stats() const { return sum(replies_); }

 private:
  static MeshPlaneStats sum(const std::vector<MeshPlane>& planes);

  template <class Served>
  void serve(std::uint32_t module, Cycle now, Served& served) {
    const std::size_t planes = requests_.size();
    std::uint32_t waves = 0;
    bool done = false;
    for (std::size_t i = 0; i < planes; ++i) {
      std::size_t p = first_[module] + i;
      if (p >= planes) p -= planes;
      PacketQueue& queue = requests_[p].output(module);
      if (queue.empty()) continue;
      const Packet packet = queue.front();
      if (packet.is_wave()) {
        ++waves;
        continue;
      }
      if (done) {
        ++stats_[module].waited;
        continue;
      }
      if (packet.wants_reply() && !replies_[p].has_room(module)) {
        ++stats_[module].held_by_replies;
        continue;
      }
      served(packet);
      ++stats_[module].served;
      if (packet.wants_reply()) {
        replies_[p].inject(module, Packet::reference(module, packet.slot(), packet.source(), false),
                           now);
      }
      queue.pop();
      requests_[p].took();
      done = true;
      first_[module] = static_cast<std::uint32_t>(p + 1 == planes ? 0 : p + 1);
    }
    if (waves == planes) take_wave(module);
  }
  void take_wave(std::uint32_t module);

  std::uint32_t nodes_;
  std::vector<MeshPlane> requests_;
  std::vector<MeshPlane> replies_;
  std::vector<std::uint32_t> turn_;        // by backend: the plane of its next packet
  std::vector<std::uint32_t> first_;       // by module: the plane that it looks at first
  std::vector<std::uint64_t> passed_;      // by module: waves that it has seen
  std::uint64_t waves_done_ = 0;           // that all modules have seen
  std::deque<std::uint32_t> wave_counts_;  // of later waves: how many modules have seen them
  std::vector<ModuleStats> stats_;
};

}  // namespace raddle::machine::tpa
