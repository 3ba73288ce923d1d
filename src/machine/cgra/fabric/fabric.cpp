#include "machine/cgra/fabric/fabric.h"

#include <fmt/format.h>

#include <algorithm>

#include "machine/cgra/fabric/fabric_trace.h"

namespace raddle::machine::cgra {

namespace {

FabricParameters checked(const FabricParameters& parameters) {
  parameters.check();
  return parameters;
}

}  // namespace

Fabric::Fabric(const FabricParameters& parameters)
    : parameters_(checked(parameters)),
      core_clock_("core", parameters.core_clock),
      memory_(parameters.memory, "fabric") {
  for (std::uint32_t i = 0; i < parameters_.cores; ++i) {
    cores_.push_back(std::make_unique<FabricCore>(fmt::format("fabric.{}", i), parameters_, i,
                                                  memory_.map(), memory_.requests(i),
                                                  memory_.replies(i)));
    memory_.connect(i, *cores_.back(), core_clock_);
  }
}

bool Fabric::is_idle() const {
  return std::all_of(cores_.begin(), cores_.end(),
                     [](const auto& core) { return core->is_idle(); });
}

Cycle Fabric::worked_until() const {
  if (!is_idle()) return now_;
  Cycle until;
  for (const auto& core : cores_) until = std::max(until, core->idle_since());
  return until;
}

bool Fabric::run(const std::function<bool(Cycle)>& between) {
  return run(between, sim::kNever, {});
}

bool Fabric::run(const std::function<bool(Cycle)>& between, Cycle limit,
                 const std::function<void()>& at_limit) {
  bool is_ahead = limit != sim::kNever;
  sim::ParallelRun::Limit limit_in_time;
  if (is_ahead) {
    limit_in_time.at = [&, instant = core_clock_.time_of(limit)] {
      return is_ahead ? instant : sim::kEndOfTime;
    };
    limit_in_time.reached = [&](sim::Instant) {
      is_ahead = false;
      at_limit();
    };
  }
  const auto look = [&](sim::Instant end) {
    now_ = core_clock_.first_from(end);
    for (const auto& core : cores_) {
      if (core->is_stuck()) core->report_deadlock();
    }
    return between && between(now_);
  };
  try {
    return memory_.run(1, look, limit_in_time);
  } catch (...) {
    now_ = core_clock_.first_from(memory_.instant());
    throw;
  }
}

void Fabric::trace_with(FabricTrace* trace) {
  for (std::size_t i = 0; i < cores_.size(); ++i)
    cores_[i]->trace_with(trace == nullptr ? nullptr : &trace->core(i));
  for (std::size_t i = 0; i < parameters_.memory.channels; ++i)
    memory_.observe_with(i, trace == nullptr ? nullptr : &trace->partition(i));
}

void Fabric::flush_core_caches() {
  for (const auto& core : cores_) core->flush_l1(now_);
}

FabricCounts Fabric::counts() {
  FabricCounts all;
  for (const auto& core : cores_) all += core->counts(now_);
  all.memory = memory_.counts();
  return all;
}

}  // namespace raddle::machine::cgra
