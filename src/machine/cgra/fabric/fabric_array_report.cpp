// What the units of a core have done, by node and by class, cycle by cycle for a trace, and what
// each of them waits for when nothing moves.
#include <bit>
#include <utility>

#include "machine/cgra/fabric/fabric_array.h"
#include "machine/cgra/fabric/fabric_trace.h"

namespace raddle::machine::cgra {

void FabricArray::trace_with(FabricCoreTrace* trace) {
  trace_ = trace;
  traced_.assign(trace == nullptr ? 0 : layout_.units.size(), {});
  traced_until_ = now_;
}

// What happens in a cycle is known after it, and what happens until the next tick, too.
void FabricArray::trace_units() {
  for (std::uint32_t u = 0; u < layout_.units.size(); ++u) {
    const FabricUnit& unit = layout_.units[u];
    if (absent_.contains(u)) continue;
    Traced& traced = traced_[u];
    if (now_ > traced_until_)
      trace_->unit_does(slot_, unit.replica, unit.node, traced.behind, traced_until_);
    // A use may have been set that begins in the next cycle.
    if (unit.fired != traced.fired) {
      trace_->unit_does(slot_, unit.replica, unit.node, UnitUse::kFired, now_);
    } else if (unit.since <= now_) {
      trace_->unit_does(slot_, unit.replica, unit.node, unit.use, now_);
    } else {
      trace_->unit_does(slot_, unit.replica, unit.node, traced.behind, now_);
    }
    traced = {unit.fired, unit.use};
  }
  traced_until_ = now_ + Cycle(1);
}

void FabricArray::settle(Cycle now, FabricCounts& counts) {
  if (node_counts_ != nullptr) {
    node_counts_->firings.resize(layout_.nodes);
    node_counts_->cycles.resize(layout_.nodes);
    std::uint64_t groups = 0;
    for (const FabricReplica& replica : replicas_) groups += replica.injector.groups();
    node_counts_->groups += groups - std::exchange(settled_groups_, groups);
  }
  for (std::uint32_t u = 0; u < layout_.units.size(); ++u) {
    FabricUnit& unit = layout_.units[u];
    UnitAccount& uses = uses_[u];
    if (!absent_.contains(u)) {
      uses.add(unit.use, now - unit.since);
      unit.since = now;
    } else if (waits_for_units_) {
      uses = {};  // another array accounts for the unit
    }
    const auto unit_class = static_cast<std::size_t>(unit.unit_class);
    const std::uint64_t fired = unit.fired - settled_[u];
    settled_[u] = unit.fired;
    counts.firings[unit_class] += fired;
    if (unit.role != UnitRole::kMemory && unit.interval == Cycle(1))
      uses.add(UnitUse::kFired, fired * Cycle(1));
    counts.cycles[unit_class] += uses;
    if (node_counts_ != nullptr) {
      node_counts_->firings[unit.node] += fired;
      node_counts_->cycles[unit.node] += uses;
    }
    uses = {};
  }
  settle_tokens();
  counts.tokens += tokens_;
  tokens_ = {};
}

// Every token that was taken from a ring has been put into a buffer or dropped, and every firing
// takes one from each port. What a loads_or_receives does with its loop has been counted already.
void FabricArray::settle_tokens() {
  TokenStats all;
  for (const FabricUnit& unit : layout_.units) {
    all.buffer_reads += unit.fired * unit.ports;
    for (std::uint32_t p = 0; p < unit.edge_ports(); ++p) {
      all.buffer_writes += unit.port[p].read;
      all.link_hops += unit.port[p].read * unit.port[p].hops;
    }
  }
  all.buffer_writes -= dropped_;
  all.buffer_reads -= alone_firings_;
  all.dropped = dropped_;
  tokens_ += all - settled_tokens_;
  settled_tokens_ = all;
}

std::vector<FabricWait> FabricArray::waits() const {
  std::vector<FabricWait> waits;
  for (const FabricUnit& unit : layout_.units) describe_waits(unit, waits);
  return waits;
}

void FabricArray::describe_waits(const FabricUnit& unit, std::vector<FabricWait>& waits) const {
  std::uint64_t any = 0;
  for (std::uint32_t p = 0; p < unit.ports; ++p) any |= unit.port[p].present;
  for (; any != 0; any &= any - 1) {
    const auto place = static_cast<std::uint32_t>(std::countr_zero(any));
    const std::uint64_t bit = std::uint64_t{1} << place;
    const TokenPort& first = *unit.port;
    const bool has_tag = unit.tags != nullptr && (first.present & bit) != 0;
    const ThreadWindow& window = unit.role == UnitRole::kMemory ? unit.sends : unit.fires;
    const std::uint32_t thread = has_tag ? unit.tags[place] : window.thread_of(place);
    FabricWait wait{unit.replica, unit.node, thread, FabricWait::For::kRoom, 0, 0};
    bool is_complete = true;
    for (std::uint32_t p = unit.ports; p-- > 0;) {
      const bool is_there = (unit.port[p].present & bit) != 0;
      const bool is_needed = unit.role != UnitRole::kElevator || p == 1 || (unit.alone & bit) == 0;
      if (is_there || !is_needed) continue;
      is_complete = false;
      wait.input = p;
    }
    if (!is_complete) {
      wait.what = FabricWait::For::kInput;
      wait.other =
          wait.thread - static_cast<std::uint32_t>(std::int32_t{unit.port[wait.input].shift});
    } else if (unit.loads_or_receives && ((unit.alone | unit.loads) & bit) == 0 &&
               (unit.port[unit.ports].present & bit) == 0) {
      wait.what = FabricWait::For::kLoop;
      wait.other = wait.thread - static_cast<std::uint32_t>(std::int32_t{unit.loop_shift});
    }
    waits.push_back(wait);
  }
}

}  // namespace raddle::machine::cgra
