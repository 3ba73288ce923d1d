#include "machine/tpa/slot_network.h"

#include <algorithm>

#include "memory/mesh_topology.h"

namespace raddle::machine::tpa {

using memory::MeshPort;
using memory::MeshTopology;

namespace {

constexpr std::uint32_t kDirections = memory::kMeshPorts - 1;

}  // namespace

SlotNetwork::SlotNetwork(const TpaParameters& p)
    : backends_(p.back.count),
      planes_(p.planes),
      links_(p.back.count * kDirections),
      queue_(p.queue),
      module_queue_(p.module_queue),
      hop_(p.hop_cycles),
      requests_(std::size_t{links_} * planes_),
      replies_(std::size_t{links_} * planes_),
      modules_(backends_),
      turn_(backends_),
      held_(backends_),
      held_limit_(std::size_t{p.queue} * 4),
      waves_of_(backends_),
      wave_time_(backends_),
      floor_(backends_),
      last_(backends_),
      served_(backends_) {
  const MeshTopology topology(p.mesh_width, p.back.count / p.mesh_width, false);
  for (std::uint32_t from = 0; from < backends_; ++from) {
    for (std::uint32_t to = 0; to < backends_; ++to) {
      Path& path = paths_.emplace_back();
      path.first = static_cast<std::uint32_t>(path_links_.size());
      for (std::uint32_t node = from; node != to; ++path.count) {
        const MeshPort port = topology.route(node, to);
        path_links_.push_back(
            static_cast<std::uint16_t>(node * kDirections + static_cast<std::uint32_t>(port) - 1));
        node = topology.neighbour(node, port);
      }
    }
  }
}

SlotNetwork::Times SlotNetwork::reserve(std::uint32_t backend, IssueItem item, std::uint64_t now) {
  const std::uint32_t module = item & kModuleMask;
  const Path there = paths_[backend * backends_ + module];
  const std::uint16_t* const path = path_links_.data() + there.first;
  const std::size_t plane = std::size_t{turn_[backend]} * links_;
  std::array<std::uint64_t, kMostLinks> slots;
  std::uint64_t time = now + hop_;
  std::uint64_t waited = 0;
  const std::size_t hops = there.count;
  for (std::size_t i = 0; i < hops; ++i) {
    const std::uint64_t slot = requests_.first_free(plane + path[i], time);
    if (slot - time > queue_) return {};
    waited += slot - time;
    slots[i] = slot;
    time = slot + hop_;
  }
  time = std::max(time, floor_[module]);
  const std::uint64_t served = modules_.first_free(module, time);
  if (served - time > module_queue_) return {};
  for (std::size_t i = 0; i < hops; ++i) requests_.take(plane + path[i], slots[i]);
  modules_.take(module, served);
  last_[module] = std::max(last_[module], served);
  turn_[backend] = turn_[backend] + 1 == planes_ ? 0 : turn_[backend] + 1;
  ++stats_.references;
  ++served_[module];
  stats_.hops += hops;
  stats_.at_modules += served - time;
  Times times{served, 0};
  if ((item & kWantsReply) != 0) {
    time = served + hop_;
    const std::uint16_t* const way_back =
        path_links_.data() + paths_[module * backends_ + backend].first;
    for (std::size_t i = 0; i < hops; ++i) {
      const std::size_t link = plane + way_back[i];
      const std::uint64_t slot = replies_.first_free(link, time);
      replies_.take(link, slot);
      waited += slot - time;
      time = slot + hop_;
    }
    times.back = time;
    ++stats_.replies;
    stats_.hops += hops;
  }
  stats_.waited += waited;
  return times;
}

SlotNetwork::Times SlotNetwork::hold(std::uint32_t backend, Held held) {
  if (held_[backend].size() == held_limit_) return {};
  held_[backend].push_back(held);
  ++held_count_;
  return {kLater, 0};
}

// All backends have sent the wave: it reaches each module from the backend that is last, and behind
// every reference of the step.
std::uint64_t SlotNetwork::complete_wave() {
  std::uint64_t last = 0;
  for (std::uint32_t module = 0; module < backends_; ++module) {
    std::uint64_t there = last_[module] + 1;
    for (std::uint32_t b = 0; b < backends_; ++b) {
      const std::uint64_t hops = paths_[b * backends_ + module].count + 1ULL;
      there = std::max(there, wave_time_[b] + hops * hop_);
    }
    floor_[module] = there;
    last = std::max(last, there);
  }
  ++complete_;
  waves_at_ = 0;
  return last;
}

void SlotNetwork::forget(std::uint64_t now) {
  const std::uint64_t until = now / 64;  // the word of now is still in use
  if (until <= forgotten_) return;
  const std::uint64_t words = std::min(until - forgotten_, kWords);
  for (std::uint64_t i = 0; i < words; ++i) {
    const std::uint64_t word = (until - 1 - i) % kWords;
    for (Timetable* table : {&requests_, &replies_, &modules_}) {
      const auto begin = table->words.begin() + static_cast<std::ptrdiff_t>(word * table->things);
      std::fill(begin, begin + static_cast<std::ptrdiff_t>(table->things), 0);
    }
  }
  forgotten_ = until;
}

}  // namespace raddle::machine::tpa
