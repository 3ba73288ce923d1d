#include "machine/tpa/memory_modules.h"

#include <algorithm>

namespace raddle::machine::tpa {

MemoryModules::MemoryModules(const TpaParameters& p)
    : nodes_(p.back.count),
      requests_(p.planes, MeshPlane(p.mesh_width, p.back.count / p.mesh_width, p.queue,
                                    p.module_queue, p.hop_cycles)),
      replies_(p.planes, MeshPlane(p.mesh_width, p.back.count / p.mesh_width, p.queue,
                                   p.module_queue, p.hop_cycles)),
      turn_(nodes_),
      first_(nodes_),
      passed_(nodes_),
      stats_(nodes_) {}

bool MemoryModules::has_room_for_wave(std::uint32_t backend) const {
  return std::ranges::all_of(requests_,
                             [backend](const MeshPlane& plane) { return plane.has_room(backend); });
}

void MemoryModules::send_wave(std::uint32_t backend, Cycle now) {
  for (MeshPlane& plane : requests_) plane.inject(backend, Packet::wave(), now);
}

void MemoryModules::take_wave(std::uint32_t module) {
  const std::uint64_t wave = passed_[module]++ - waves_done_;
  if (wave >= wave_counts_.size()) wave_counts_.resize(wave + 1);
  ++wave_counts_[wave];
  for (MeshPlane& plane : requests_) {
    plane.output(module).pop();
    plane.took();
  }
}

bool MemoryModules::idle() const {
  const auto is_idle = [](const MeshPlane& plane) { return plane.idle(); };
  return std::ranges::all_of(requests_, is_idle) && std::ranges::all_of(replies_, is_idle);
}

MeshPlaneStats MemoryModules::sum(const std::vector<MeshPlane>& planes) {
  MeshPlaneStats total;
  for (const MeshPlane& plane : planes) {
    total.packets += plane.stats().packets;
    total.hops += plane.stats().hops;
    total.blocked += plane.stats().blocked;
    total.waves += plane.stats().waves;
  }
  return total;
}

}  // namespace raddle::machine::tpa
