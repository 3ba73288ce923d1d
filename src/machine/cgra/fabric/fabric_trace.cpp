#include "machine/cgra/fabric/fabric_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace raddle::machine::cgra {

namespace {

std::string_view text_of(memory::AccessKind kind) {
  return kind == memory::AccessKind::kAtomic ? "atomic" : "L1 miss";
}

}  // namespace

FabricCoreTrace::FabricCoreTrace(sim::TraceFile& file, sim::Clock clock, std::uint32_t index)
    : writer_(file, std::move(clock)),
      track_(writer_.add_track(fmt::format("core {}", index))),
      requests_(writer_, track_) {
  configured_[0].track = writer_.add_track("configuration", track_);
  configured_[1].track = writer_.add_track("configuration, in turns", track_);
}

sim::Track FabricCoreTrace::track_of(UnitClass unit, std::uint32_t place) {
  if (tracks_.size() <= place) tracks_.resize(place + 1);
  if (tracks_[place].id == 0)
    tracks_[place] = writer_.add_track(fmt::format("unit {}: {}", place, name_of(unit)), track_);
  return tracks_[place];
}

void FabricCoreTrace::begin_configuration(std::uint32_t slot, const Configuration& configuration,
                                          Cycle begin, Cycle start) {
  const DataflowGraph& graph = *configuration.graph;
  const std::vector<Replica>& replicas = configuration.mapping->replicas;
  Configured& now = configured_[slot];
  writer_.slice(now.track, kUnitUses[UnitUse::kReconfiguring].name, begin, start);
  now.is_there = true;
  now.started = start;
  now.name = fmt::format("{}, {} copies", graph.name, replicas.size());
  now.nodes = static_cast<std::uint32_t>(graph.nodes.size());
  now.units.assign(std::size_t{now.nodes} * replicas.size(), {});
  for (std::uint32_t r = 0; r < replicas.size(); ++r) {
    for (std::uint32_t n = 0; n < now.nodes; ++n) {
      Unit& unit = now.unit(r, n);
      unit.since = start;
      if (graph.nodes[n].unit == UnitClass::kPort) continue;
      unit.track = track_of(graph.nodes[n].unit, replicas[r].unit[n]);
      unit.fires = graph.nodes[n].label;
    }
  }
}

void FabricCoreTrace::write(const Unit& unit, Cycle end) {
  if (unit.track.id == 0 || !unit.is_there || end <= unit.since) return;
  writer_.slice(unit.track, unit.use == UnitUse::kFired ? unit.fires : kUnitUses[unit.use].name,
                unit.since, end);
}

void FabricCoreTrace::unit_does(std::uint32_t slot, std::uint32_t replica, std::uint32_t node,
                                UnitUse use, Cycle cycle) {
  Unit& unit = configured_[slot].unit(replica, node);
  if (unit.use == use) return;
  write(unit, cycle);
  unit.use = use;
  unit.since = cycle;
}

void FabricCoreTrace::unit_begins(std::uint32_t slot, std::uint32_t replica, std::uint32_t node,
                                  Cycle cycle) {
  Unit& unit = configured_[slot].unit(replica, node);
  unit.is_there = true;
  unit.since = cycle;
}

void FabricCoreTrace::unit_ends(std::uint32_t slot, std::uint32_t replica, std::uint32_t node,
                                Cycle cycle) {
  Unit& unit = configured_[slot].unit(replica, node);
  write(unit, cycle);
  unit.is_there = false;
}

void FabricCoreTrace::end_configuration(std::uint32_t slot, Cycle cycle) {
  Configured& ended = configured_[slot];
  if (!ended.is_there) return;
  ended.is_there = false;
  for (const Unit& unit : ended.units) write(unit, cycle);
  writer_.slice(ended.track, ended.name, ended.started, cycle);
}

void FabricCoreTrace::request_sent(const memory::Access& access, Cycle ready, Cycle now) {
  requests_.sent(access, text_of(access.kind), ready, now);
}

void FabricCoreTrace::restart(Cycle cycle, sim::Instant start) {
  for (std::uint32_t slot = 0; slot < configured_.size(); ++slot)
    end_configuration(slot, std::max(cycle, configured_[slot].started));
  requests_.forget();
  writer_.restart(start);
}

}  // namespace raddle::machine::cgra
