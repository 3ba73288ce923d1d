#include "machine/cgra/fabric/fabric_core.h"

#include <fmt/format.h>

#include <algorithm>

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
  work_ = &work;
  next_configuration(cycle);
  if (!is_idle()) wake(start_);
}

void FabricCore::next_configuration(Cycle cycle) {
  if (array_ != nullptr && trace_ != nullptr) trace_->end_configuration(cycle);
  if (array_ != nullptr) records_kept_ = std::max(records_kept_, array_->records_kept());
  array_.reset();
  configuration_ = {};
  // The feed throws where the launch cannot go on.
  state_ = State::kIdle;
  idle_since_ = cycle;
  if (!work_->next_configuration(configuration_, cycle)) return;
  state_ = State::kConfiguring;
  start_ = cycle;
  if (!configuration_.is_loaded) {
    start_ += parameters_.reconfigure_cycles;
    ++counts_.tokens.configurations;
  }
  if (trace_ != nullptr) trace_->begin_configuration(configuration_, cycle, start_);
}

void FabricCore::start(Cycle cycle) {
  settle(cycle);
  array_ = std::make_unique<FabricArray>(configuration_, parameters_,
                                         FabricMemories{data_, scratchpad_, live_values_}, cycle);
  array_->trace_with(trace_);
  state_ = State::kRunning;
}

void FabricCore::trace_with(FabricCoreTrace* trace) {
  trace_ = trace;
  data_.trace_with(trace);
}

Cycle FabricCore::tick(Cycle now) {
  for (const std::uint32_t token : data_.answers(now)) array_->answer(token);
  if (state_ == State::kConfiguring && now >= start_) start(start_);
  if (state_ == State::kRunning && !is_stuck_) run_cycle(now);
  data_.send(now);

  Cycle next = data_.next_work();
  if (state_ == State::kConfiguring) next = std::min(next, start_);
  if (state_ == State::kRunning && !is_stuck_) {
    if (data_.has_changed()) array_->retry_refused();
    const Cycle moves = array_->next_work(now);
    is_stuck_ = moves == sim::kNever && !data_.is_waiting();
    next = std::min(next, moves);
  }
  return std::max(next, now + Cycle(1));
}

void FabricCore::run_cycle(Cycle now) {
  if (data_.has_changed()) array_->retry_refused();
  array_->tick(now);
  if (!array_->is_drained()) return;
  settle(now + Cycle(1));
  next_configuration(now + Cycle(1));
}

void FabricCore::report_deadlock() const {
  const DataflowGraph& graph = *configuration_.graph;
  const std::vector<FabricWait> waits = array_->waits();
  RADDLE_ASSERT(!waits.empty());  // else a feed says `later` although no group is inside
  throw Error(
      fmt::format("{}: threads wait for each other: {}", graph.name, describe(waits, graph)), {},
      "each waits for a value that another sends only after its own wait");
}

void FabricCore::flush_l1(Cycle cycle) {
  data_.flush();
  wake(cycle);
}

void FabricCore::settle(Cycle cycle) {
  const Cycle passed = cycle - settled_until_;
  settled_until_ = cycle;
  const auto add = [this, passed](UnitUse use, const auto& units) {
    for (std::size_t unit = 0; unit < kUnitClasses; ++unit)
      counts_.cycles[unit].add(use, passed * units[unit]);
  };
  switch (state_) {
    case State::kIdle: return add(UnitUse::kNoThread, parameters_.units);
    case State::kConfiguring: return add(UnitUse::kReconfiguring, parameters_.units);
    case State::kRunning: break;
  }
  std::array<std::uint32_t, kUnitClasses> free = parameters_.units;
  const std::array<std::uint32_t, kUnitClasses> needed = configuration_.graph->units_needed();
  for (std::size_t unit = 0; unit < kUnitClasses; ++unit) {
    const auto used =
        needed[unit] * static_cast<std::uint32_t>(configuration_.mapping->replicas.size());
    RADDLE_ASSERT(used <= free[unit]);
    free[unit] -= used;
  }
  add(UnitUse::kNotMapped, free);
  array_->settle(cycle, counts_);
}

const FabricCounts& FabricCore::counts(Cycle cycle) {
  settle(cycle);
  counts_.l1 = data_.stats();
  counts_.l1_banks = data_.bank_stats();
  counts_.l1_refused = data_.refused();
  counts_.scratchpad = scratchpad_.stats();
  counts_.live_values = live_values_.stats();
  return counts_;
}

}  // namespace raddle::machine::cgra
