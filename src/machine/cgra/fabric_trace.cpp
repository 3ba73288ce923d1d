#include "machine/cgra/fabric_trace.h"

#include <fmt/format.h>

#include <algorithm>

#include "machine/cgra/fabric.h"

namespace raddle::machine::cgra {

namespace {

constexpr std::size_t kMostPendingBytes = 8u << 20;
constexpr std::uint64_t kLooksBetweenFlushes = 64;

std::string_view text_of(memory::AccessKind kind) {
  return kind == memory::AccessKind::kAtomic ? "atomic" : "L1 miss";
}

}  // namespace

FabricCoreTrace::FabricCoreTrace(sim::TraceStream& stream, const sim::Clock& clock,
                                 std::uint32_t index)
    : stream_(stream),
      time_{clock},
      track_(stream.add_track(fmt::format("core {}", index))),
      configuration_(stream.add_track("configuration", track_)),
      requests_(stream, "memory request", track_) {}

sim::Track FabricCoreTrace::track_of(UnitClass unit, std::uint32_t place) {
  if (tracks_.size() <= place) tracks_.resize(place + 1);
  if (tracks_[place].id == 0)
    tracks_[place] = stream_.add_track(fmt::format("unit {}: {}", place, name_of(unit)), track_);
  return tracks_[place];
}

void FabricCoreTrace::begin_configuration(const Configuration& configuration, std::uint64_t begin,
                                          std::uint64_t start) {
  const DataflowGraph& graph = *configuration.graph;
  const std::vector<Replica>& replicas = configuration.mapping->replicas;
  if (start > begin)
    stream_.slice(configuration_, "reconfiguring", time_.of(begin), time_.of(start));
  is_configured_ = true;
  started_ = start;
  name_ = fmt::format("{}, {} copies", graph.name, replicas.size());
  nodes_ = static_cast<std::uint32_t>(graph.nodes.size());
  units_.assign(std::size_t{nodes_} * replicas.size(), {});
  for (std::size_t r = 0; r < replicas.size(); ++r) {
    for (std::uint32_t n = 0; n < nodes_; ++n) {
      Unit& unit = units_[r * nodes_ + n];
      unit.since = start;
      if (graph.nodes[n].unit == UnitClass::kPort) continue;
      unit.track = track_of(graph.nodes[n].unit, replicas[r].unit[n]);
      unit.fires = graph.nodes[n].label;
    }
  }
}

void FabricCoreTrace::write(const Unit& unit, std::uint64_t end) {
  if (unit.track.id == 0 || end <= unit.since) return;
  stream_.slice(unit.track, unit.use == UnitUse::kFired ? unit.fires : name_of(unit.use),
                time_.of(unit.since), time_.of(end));
}

void FabricCoreTrace::unit_does(std::uint32_t replica, std::uint32_t node, UnitUse use,
                                std::uint64_t cycle) {
  Unit& unit = units_[std::size_t{replica} * nodes_ + node];
  if (unit.use == use) return;
  write(unit, cycle);
  unit.use = use;
  unit.since = cycle;
}

void FabricCoreTrace::end_configuration(std::uint64_t cycle) {
  if (!is_configured_) return;
  is_configured_ = false;
  for (const Unit& unit : units_) write(unit, cycle);
  if (cycle > started_) stream_.slice(configuration_, name_, time_.of(started_), time_.of(cycle));
}

void FabricCoreTrace::request_sent(const memory::Access& access, std::uint64_t ready,
                                   std::uint64_t now) {
  if (access.kind == memory::AccessKind::kWriteBack) return;  // nobody answers
  requests_.open({access.token, access.address}, text_of(access.kind),
                 time_.of(std::min(ready, now)), time_.of(now));
}

void FabricCoreTrace::reply(const memory::Access& access, std::uint64_t now) {
  requests_.close({access.token, access.address}, time_.of(now), "waits for the network",
                  "network and L2");
}

void FabricCoreTrace::restart(std::uint64_t cycle, sim::Instant start) {
  end_configuration(std::max(cycle, started_));
  requests_.forget();
  time_.start = start;
}

FabricTrace::FabricTrace(sim::TraceFile& file, const std::string& machine,
                         const FabricParameters& fabric)
    : file_(file),
      time_{sim::Clock("core", fabric.core_clock)},
      stream_(file.add_stream()),
      kernels_(stream_, "kernels", stream_.add_track(machine)) {
  for (std::uint32_t i = 0; i < fabric.cores; ++i)
    cores_.push_back(std::make_unique<FabricCoreTrace>(file.add_stream(), time_.clock, i));
  for (std::uint32_t i = 0; i < fabric.memory.channels; ++i)
    partitions_.push_back(std::make_unique<PartitionTrace>(file.add_stream(), fabric.memory, i));
}

void FabricTrace::look_at(Fabric& fabric, std::uint64_t cycle) {
  for (std::size_t i = 0; i < partitions_.size(); ++i)
    partitions_[i]->count_waiting(fabric.memory().dram_waiting(i), time_.of(cycle));
  if (++looks_ % kLooksBetweenFlushes == 0 && file_.pending_bytes() > kMostPendingBytes)
    file_.flush();
}

void FabricTrace::kernel_ended(std::string_view name, std::uint64_t begin, std::uint64_t end) {
  kernels_.add(name, time_.of(begin), time_.of(end));
}

void FabricTrace::restart(std::uint64_t cycle) {
  const sim::Instant start = time_.of(cycle + kTraceCyclesBehindStop);
  for (const auto& core : cores_) core->restart(cycle, start);
  for (const auto& partition : partitions_) partition->restart(start);
  time_.start = start;
}

}  // namespace raddle::machine::cgra
