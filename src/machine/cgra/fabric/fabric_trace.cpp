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
      configuration_(writer_.add_track("configuration", track_)),
      requests_(writer_, track_) {}

sim::Track FabricCoreTrace::track_of(UnitClass unit, std::uint32_t place) {
  if (tracks_.size() <= place) tracks_.resize(place + 1);
  if (tracks_[place].id == 0)
    tracks_[place] = writer_.add_track(fmt::format("unit {}: {}", place, name_of(unit)), track_);
  return tracks_[place];
}

void FabricCoreTrace::begin_configuration(const Configuration& configuration, Cycle begin,
                                          Cycle start) {
  const DataflowGraph& graph = *configuration.graph;
  const std::vector<Replica>& replicas = configuration.mapping->replicas;
  writer_.slice(configuration_, kUnitUses[UnitUse::kReconfiguring].name, begin, start);
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

void FabricCoreTrace::write(const Unit& unit, Cycle end) {
  if (unit.track.id == 0) return;
  writer_.slice(unit.track, unit.use == UnitUse::kFired ? unit.fires : kUnitUses[unit.use].name,
                unit.since, end);
}

void FabricCoreTrace::unit_does(std::uint32_t replica, std::uint32_t node, UnitUse use,
                                Cycle cycle) {
  Unit& unit = units_[std::size_t{replica} * nodes_ + node];
  if (unit.use == use) return;
  write(unit, cycle);
  unit.use = use;
  unit.since = cycle;
}

void FabricCoreTrace::end_configuration(Cycle cycle) {
  if (!is_configured_) return;
  is_configured_ = false;
  for (const Unit& unit : units_) write(unit, cycle);
  writer_.slice(configuration_, name_, started_, cycle);
}

void FabricCoreTrace::request_sent(const memory::Access& access, Cycle ready, Cycle now) {
  requests_.sent(access, text_of(access.kind), ready, now);
}

void FabricCoreTrace::restart(Cycle cycle, sim::Instant start) {
  end_configuration(std::max(cycle, started_));
  requests_.forget();
  writer_.restart(start);
}

}  // namespace raddle::machine::cgra
