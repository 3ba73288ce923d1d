#include "machine/tpa/slot_reservations.h"

#include <algorithm>

#include "machine/tpa/mesh_reservations.h"
#include "machine/tpa/small_mesh_reservations.h"

namespace raddle::machine::tpa {

std::unique_ptr<SlotReservations> SlotReservations::make(const TpaParameters& parameters) {
  if (auto small = make_small_mesh_reservations(parameters)) return small;
  return make_for_any_mesh(parameters);
}

std::unique_ptr<SlotReservations> SlotReservations::make_for_any_mesh(
    const TpaParameters& parameters) {
  return std::make_unique<MeshReservations<std::uint32_t>>(parameters);
}

SlotReservations::SlotReservations(const TpaParameters& p)
    : backends_(p.back.count),
      planes_(p.planes),
      queue_(p.queue),
      module_queue_(p.module_queue),
      hop_(p.hop_cycles),
      links_(p.mesh_width, p.back.count / p.mesh_width, p.hop_cycles),
      modules_(backends_),
      floor_(backends_),
      turn_(backends_),
      ports_(std::size_t{backends_} * backends_) {
  for (std::uint32_t backend = 0; backend < backends_; ++backend) {
    for (std::uint32_t module = 0; module < backends_; ++module) {
      port_of(backend)[module].backend = backend;
      port_of(backend)[module].module = module;
    }
  }
}

Cycle SlotReservations::pass_wave(std::span<const Cycle> sent_at) {
  Cycle last;
  for (std::uint32_t module = 0; module < backends_; ++module) {
    Cycle there = modules_.last_taken(module) + Cycle(1);
    for (std::uint32_t b = 0; b < backends_; ++b) {
      const std::uint64_t hops = links_.between(b, module).count + 1ULL;
      there = std::max(there, sent_at[b] + hops * hop_);
    }
    floor_[module] = there;
    last = std::max(last, there);
  }
  last_floor_ = last;
  return last;
}

SlotNetworkStats SlotReservations::stats() const {
  SlotNetworkStats stats;
  stats.waited = waited_;
  stats.at_modules = waited_at_modules_;
  for (std::uint32_t backend = 0; backend < backends_; ++backend) {
    for (std::uint32_t module = 0; module < backends_; ++module) {
      const ModulePort& port = ports_[std::size_t{backend} * backends_ + module];
      stats.references += port.sent;
      stats.replies += port.answered;
      stats.hops += (port.sent + port.answered) * links_.between(backend, module).count;
    }
  }
  return stats;
}

std::vector<std::uint64_t> SlotReservations::served_by_module() const {
  std::vector<std::uint64_t> served(backends_);
  for (std::size_t i = 0; i < ports_.size(); ++i) served[i % backends_] += ports_[i].sent;
  return served;
}

}  // namespace raddle::machine::tpa
