#include "machine/cgra/fabric/fabric_core.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "machine/cgra/fabric/fabric_trace.h"

namespace raddle::machine::cgra {

FabricCore::FabricCore(std::string name, const FabricParameters& parameters, std::uint32_t index,
                       const memory::SliceMap& map, memory::MemorySystem::RequestChannel& requests,
                       memory::MemorySystem::ReplyChannel& replies)
    : Component(std::move(name)),
      parameters_(parameters),
      data_(parameters, index, map, requests, replies),
      scratchpad_(parameters.scratchpad),
      live_values_(parameters.live_values) {}

void FabricCore::begin(ConfigurationFeed& work, Cycle cycle) {
  RADDLE_ASSERT(is_idle());
  settle(cycle);
  turns_.forget();
  work_ = &work;
  next_configuration(cycle);
  if (!is_idle()) wake(start_);
}

void FabricCore::next_configuration(Cycle cycle) {
  idle_since_ = cycle;
  // The feed throws where the launch cannot go on.
  Configuration next;
  if (work_->next_configuration(next, cycle)) load(next, cycle);
}

void FabricCore::load(const Configuration& configuration, Cycle cycle) {
  settle(cycle);
  is_loading_ = true;
  loading_ = configuration;
  slot_ = 1 - slot_;
  start_ = cycle;
  if (!configuration.is_loaded) {
    start_ += parameters_.reconfigure_cycles;
    ++counts_.tokens.configurations;
  }
  if (trace_ != nullptr) trace_->begin_configuration(slot_, configuration, cycle, start_);
}

void FabricCore::start(Cycle cycle) {
  settle(cycle);
  is_loading_ = false;
  Running& started = current_.array == nullptr ? current_ : next_;
  started.configuration = loading_;
  started.slot = slot_;
  started.array = std::make_unique<FabricArray>(
      loading_, parameters_, FabricMemories{data_, scratchpad_, live_values_, turns_}, cycle,
      slot_);
  started.array->trace_with(trace_);
  if (&started == &next_) next_.array->wait_for(*current_.array);
}

void FabricCore::trace_with(FabricCoreTrace* trace) {
  trace_ = trace;
  data_.trace_with(trace);
}

Cycle FabricCore::tick(Cycle now) {
  for (const std::uint32_t token : data_.answers(now)) {
    Running& asked = FabricArray::slot_of(token) == current_.slot ? current_ : next_;
    asked.array->answer(token);
  }
  if (is_loading_ && now >= start_) start(start_);
  if (current_.array != nullptr && !is_stuck_) run_cycle(now);
  data_.send(now);

  Cycle next = data_.next_work();
  if (is_loading_) next = std::min(next, start_);
  if (current_.array != nullptr && !is_stuck_) {
    const bool has_changed = data_.has_changed();
    Cycle moves = sim::kNever;
    for (const Running* running : {&current_, &next_}) {
      if (running->array == nullptr) continue;
      if (has_changed) running->array->retry_refused();
      moves = std::min(moves, running->array->next_work(now));
    }
    is_stuck_ = moves == sim::kNever && !is_loading_ && !data_.is_waiting();
    next = std::min(next, moves);
  }
  return std::max(next, now + Cycle(1));
}

void FabricCore::run_cycle(Cycle now) {
  const Cycle after = now + Cycle(1);
  const bool has_changed = data_.has_changed();
  for (const Running* running : {&current_, &next_}) {
    if (running->array == nullptr) continue;
    if (has_changed) running->array->retry_refused();
    running->array->tick(now);
  }
  if (next_.array != nullptr) current_.array->hand_over(*next_.array);
  // The one that takes over may have done all its work by then.
  while (current_.array != nullptr && current_.array->is_drained()) end_current(after);
  if (current_.array != nullptr && next_.array == nullptr && !is_loading_ &&
      current_.array->is_closing()) {
    Configuration next;
    if (work_->following_configuration(next, after)) load(next, after);
  }
}

void FabricCore::end_current(Cycle cycle) {
  settle(cycle);
  records_kept_ = std::max(records_kept_, current_.array->records_kept());
  if (trace_ != nullptr) trace_->end_configuration(current_.slot, cycle);
  current_ = std::exchange(next_, {});
  if (current_.array != nullptr) {
    current_.array->take_over();
  } else if (!is_loading_) {
    next_configuration(cycle);
  }
}

void FabricCore::report_deadlock() const {
  const DataflowGraph& graph = *current_.configuration.graph;
  const std::vector<FabricWait> waits = current_.array->waits();
  RADDLE_ASSERT(!waits.empty());  // else a feed says `later` although no group is inside
  throw Error(
      fmt::format("{}: threads wait for each other: {}", graph.name, describe(waits, graph)), {},
      "each waits for a value that another sends only after its own wait");
}

void FabricCore::flush_l1(Cycle cycle) {
  data_.flush();
  wake(cycle);
}

// Arrays account for the units that they have; nobody uses the others.
void FabricCore::settle(Cycle cycle) {
  const Cycle passed = cycle - settled_until_;
  settled_until_ = cycle;
  const ClassCycles before = counts_.cycles;
  for (const Running* running : {&current_, &next_}) {
    if (running->array != nullptr) running->array->settle(cycle, counts_);
  }
  UnitUse rest = UnitUse::kNotMapped;
  if (current_.array == nullptr) rest = is_loading_ ? UnitUse::kReconfiguring : UnitUse::kNoThread;
  for (std::size_t unit = 0; unit < kUnitClasses; ++unit) {
    const Cycle all = parameters_.units[unit] * passed;
    const Cycle used = counts_.cycles[unit].sum() - before[unit].sum();
    RADDLE_ASSERT(used <= all);
    counts_.cycles[unit].add(rest, all - used);
  }
}

const FabricCounts& FabricCore::counts(Cycle cycle) {
  settle(cycle);
  counts_.l1 = data_.stats();
  counts_.prefetches = data_.prefetches();
  counts_.l1_banks = data_.bank_stats();
  counts_.l1_refused = data_.refused();
  counts_.scratchpad = scratchpad_.stats();
  counts_.live_values = live_values_.stats();
  return counts_;
}

}  // namespace raddle::machine::cgra
