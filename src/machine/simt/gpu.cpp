#include "machine/simt/gpu.h"

#include <fmt/format.h>

#include "base/error.h"

namespace raddle::machine::simt {

Gpu::Gpu(const GpuParameters& parameters)
    : parameters_(parameters),
      active_(parameters),
      plan_(plan_sharing(SharingMode::kBaseline, parameters.cores)),
      core_clock_("core", parameters.core_clock),
      memory_(parameters.memory, "SM"),
      last_given_(parameters.cores - 1) {
  for (std::uint32_t i = 0; i < parameters_.cores; ++i) {
    cores_.push_back(std::make_unique<Multiprocessor>(fmt::format("SM.{}", i), parameters_, i,
                                                      memory_.map(), memory_.requests(i),
                                                      memory_.replies(i)));
    memory_.connect(i, *cores_.back(), core_clock_);
  }
}

bool Gpu::run(unsigned host_threads, const std::function<bool(Cycle)>& between,
              const CycleLimit& limit) {
  sim::ParallelRun::Limit instant_limit;
  if (limit.at) {
    instant_limit = {[&] { return core_clock_.time_of(limit.at()); },
                     [&](sim::Instant) { limit.reached(); }};
  }
  const auto look = [&](sim::Instant end) {
    now_ = core_clock_.first_from(end);
    return between(now_);
  };
  try {
    return memory_.run(host_threads, look, instant_limit);
  } catch (...) {
    now_ = core_clock_.first_from(memory_.instant());
    throw;
  }
}

void Gpu::flush_core_caches() {
  for (const auto& core : cores_) core->flush_caches();
}

void Gpu::configure(SplitChoice choice, SharingMode mode) {
  if (choice == split_ && mode == plan_.mode) return;
  const SharingPlan next = plan_sharing(mode, parameters_.cores);
  RADDLE_ASSERT(banks_are_exclusive(next));
  // One that stays awake and uses nothing but its own, before and after, is left as it is.
  const auto stays = [&](std::uint32_t core) {
    const auto is_plain = [core](const SharingPlan& plan) {
      return plan.roles[core] != CoreRole::kInactive && !plan.lends();
    };
    return choice == split_ && is_plain(plan_) && is_plain(next);
  };
  std::vector<std::uint32_t> changed;
  for (std::uint32_t i = 0; i < parameters_.cores; ++i) {
    if (stays(i)) continue;
    changed.push_back(i);
    if (!cores_[i]->active()) continue;
    cores_[i]->settle(now_);
    add_core(before_, cores_[i]->core());
  }
  split_ = choice;
  plan_ = next;
  parameters_.core.use(choice);
  active_.core = borrowing(parameters_.core, mode, parameters_.sharing);
  for (const std::uint32_t i : changed) {
    const CoreRole role = plan_.roles[i];
    const GpuParameters& has = role == CoreRole::kActive && plan_.lends() ? active_ : parameters_;
    // It uses the banks that it was given, and no others.
    RADDLE_ASSERT(plan_.banks_of(i) == has.core.lent.banks);
    cores_[i]->configure(has, now_);
    cores_[i]->set_active(role != CoreRole::kInactive);
  }
}

void Gpu::trace_with(GpuTrace* trace) {
  for (std::size_t i = 0; i < cores_.size(); ++i)
    cores_[i]->trace_with(trace == nullptr ? nullptr : &trace->core(i));
  for (std::size_t i = 0; i < parameters_.memory.channels; ++i)
    memory_.observe_with(i, trace == nullptr ? nullptr : &trace->partition(i));
}

GpuCounts Gpu::counts() {
  GpuCounts all = before_;
  for (const auto& core : cores_) {
    // One that sleeps has no slots.
    if (!core->active()) continue;
    core->settle(now_);
    add_core(all, core->core());
  }
  static_cast<memory::MemorySystemCounts&>(all) = memory_.counts();
  return all;
}

}  // namespace raddle::machine::simt
