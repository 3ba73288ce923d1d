// From one configuration to the next: units change over one by one.
#include <algorithm>
#include <bit>
#include <span>

#include "machine/cgra/fabric/fabric_array.h"
#include "machine/cgra/fabric/fabric_trace.h"

namespace raddle::machine::cgra {

void FabricArray::find_places() {
  if (!places_.empty()) return;
  for (const FabricUnit& unit : layout_.units) {
    const bool is_port = unit.unit_class == UnitClass::kPort;
    places_.push_back(is_port ? kNoPlace : mapping_.replicas[unit.replica].unit[unit.node]);
  }
}

void FabricArray::wait_for(FabricArray& before) {
  find_places();
  before.find_places();
  std::vector<bool> busy;
  for (std::uint32_t u = 0; u < before.places_.size(); ++u) {
    const std::uint32_t place = before.places_[u];
    if (place == kNoPlace || before.absent_.contains(u)) continue;
    if (busy.size() <= place) busy.resize(place + 1);
    busy[place] = true;
  }
  for (std::uint32_t u = 0; u < places_.size(); ++u) {
    const std::uint32_t place = places_[u];
    if (place == kNoPlace || place >= busy.size() || !busy[place]) continue;
    absent_.add(u);
    const FabricUnit& unit = layout_.units[u];
    for (std::uint32_t p = 0; p < unit.edge_ports(); ++p) absent_ports_.add(unit.first_port + p);
    if (trace_ != nullptr) trace_->unit_ends(slot_, unit.replica, unit.node, now_);
  }
  waits_for_units_ = !absent_.empty();
}

// It has fired for all threads, and what it sent is off its links.
bool FabricArray::is_done(const FabricUnit& unit) const {
  const std::span<const TokenEdge> edges(unit.edge, unit.edges);
  return unit.home->injector.is_done() && std::ranges::all_of(edges, [&](const TokenEdge& edge) {
           return edge.port->read == unit.written;
         });
}

void FabricArray::hand_over(FabricArray& next) {
  const Cycle at = now_ + Cycle(1);
  for (std::size_t i = 0; i < absent_.words(); ++i) {
    for (std::uint64_t bits = no_thread_.word(i) & ~absent_.word(i); bits != 0; bits &= bits - 1) {
      const auto u =
          static_cast<std::uint32_t>(i * 64) + static_cast<std::uint32_t>(std::countr_zero(bits));
      FabricUnit& unit = layout_.units[u];
      if (places_[u] == kNoPlace || !is_done(unit)) continue;
      absent_.add(u);
      uses_[u].add(unit.use, at - unit.since);
      if (trace_ != nullptr) trace_->unit_ends(slot_, unit.replica, unit.node, at);
      const auto taker = std::find(next.places_.begin(), next.places_.end(), places_[u]);
      if (taker != next.places_.end())
        next.release(static_cast<std::uint32_t>(taker - next.places_.begin()), at);
    }
  }
  if (has_left_) next.ask_feed_again();
}

void FabricArray::take_over() {
  const Cycle at = now_ + Cycle(1);
  for (std::uint32_t u = 0; u < places_.size(); ++u) {
    if (absent_.contains(u)) release(u, at);
  }
  waits_for_units_ = false;
  ask_feed_again();
}

void FabricArray::release(std::uint32_t u, Cycle at) {
  FabricUnit& unit = layout_.units[u];
  absent_.remove(u);
  uses_[u] = {};
  unit.since = at;
  for (std::uint32_t p = unit.first_port; p < unit.first_port + unit.edge_ports(); ++p) {
    absent_ports_.remove(p);
    if (has_arrival(layout_.ports[p], at - Cycle(1))) again_.add(p);
  }
  next_.add(u);
  if (trace_ != nullptr) trace_->unit_begins(slot_, unit.replica, unit.node, at);
}

}  // namespace raddle::machine::cgra
