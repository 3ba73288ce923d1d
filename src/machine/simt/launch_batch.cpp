#include "machine/simt/launch_batch.h"

#include <algorithm>
#include <utility>

#include "machine/grid_result.h"
#include "machine/run/ratio.h"
#include "machine/simt/energy_events.h"
#include "machine/simt/gpu_trace.h"
#include "machine/simt/sharing_figures.h"
#include "machine/simt/split_choice.h"

namespace raddle::machine::simt {

LaunchBatch::LaunchBatch(Gpu& gpu, const GpuParameters& parameters,
                         const energy::CoefficientSet& coefficients, const Work& work)
    : gpu_(gpu),
      parameters_(parameters),
      coefficients_(coefficients),
      work_(work),
      queue_(work.launches, parameters.kernels),
      runs_(work.launches.size()),
      results_(work.launches.size()) {}

std::vector<std::optional<LaunchResult>> LaunchBatch::run() {
  start_ = gpu_.now();
  last_ = split();
  GridDispatcher dispatcher(gpu_, work_.options);
  dispatcher.trace_with(work_.trace);
  if (work_.options.sample_cycles > Cycle(0)) {
    sampler_ = gpu_sampler(gpu_, parameters_, work_.options.sample_cycles);
    dispatcher.sample_with(&*sampler_);
  }
  try {
    dispatcher.run(*this);
  } catch (const kernel::exec::LaunchStopped&) {
    stop();
  }
  return std::move(results_);
}

LaunchBatch::Split LaunchBatch::split() const {
  return {{gpu_.now(), gpu_.network_cycles(), gpu_.l2_cycles(), gpu_.dram_cycles()}, gpu_.counts()};
}

void LaunchBatch::begin_kernels(Cycle cycle, std::vector<KernelRun*>& in_flight) {
  while (const std::optional<std::uint32_t> next = queue_.next()) {
    auto made = std::make_unique<KernelRun>(work_.program, work_.textures, *work_.kernels[*next],
                                            work_.launches[*next].launch, work_.options,
                                            parameters_, *next);
    KernelRun& run = *made;
    const SplitChoice split = choose_split(run.launch(), run.needs(), gpu_.split(), parameters_);
    const SharingMode mode = work_.choices[*next].mode;
    // CUDA runtime API, cudaFuncSetCacheConfig: another split may make a launch wait for others. So
    // does another way of sharing.
    if ((split != gpu_.split() || mode != gpu_.sharing().mode) && queue_.in_flight() > 0) return;
    queue_.begin(*next);
    // Kernels that run side by side share what the caches hold.
    if (queue_.in_flight() == 1) gpu_.flush_core_caches();
    gpu_.configure(split, mode);
    runs_[*next] = std::move(made);
    run.start_at(cycle, parameters_.launch_cycles, split);
    const auto place = std::find_if(in_flight.begin(), in_flight.end(), [&](const auto* other) {
      return other->number() > run.number();
    });
    in_flight.insert(place, &run);
  }
}

void LaunchBatch::end_kernels(std::span<KernelRun* const> ended, Cycle cycle) {
  for (const KernelRun* run : ended) queue_.end(run->number());
  ended_ += ended.size();
  const bool last = ended_ == results_.size();
  Cycle end = cycle;
  if (last) {
    // Where nothing comes after it, the end is known to the cycle.
    end = Cycle(0);
    for (const KernelRun* run : ended) end = std::max(end, run->end());
    end = std::min(end, cycle);
  }
  close(ended, end);
}

void LaunchBatch::close(std::span<KernelRun* const> ended, Cycle cycle) {
  Split now = split();
  // No scheduler had a warp in these.
  const Cycle idle_slots = slots_behind(cycle, now.at.core);
  now.counts.slots.take_idle_back(idle_slots);
  now.at.core = cycle;
  // The first of those that end together is told to have done it all.
  GpuCounts counts = now.counts;
  counts -= last_.counts;
  ElapsedCycles elapsed{now.at.core - last_.at.core, now.at.network - last_.at.network,
                        now.at.l2 - last_.at.l2, now.at.dram - last_.at.dram};
  const double warps = quotient(counts.warp_cycles.as_double(), counts.busy_cycles.as_double());
  for (KernelRun* run : ended) {
    LaunchResult result = start_launch_result(run->grid());
    result.complete = !stopped_;
    const Cycle taken = cycle - run->begun();
    result.start_cycle = (run->begun() - start_).count();
    result.cycles = taken.count();
    result.overlapped_cycles = (taken - elapsed.core).count();
    result.seconds = (taken / parameters_.core_clock).count();
    add_kernel_figures(*run, gpu_, parameters_, work_.options.lines, result);
    add_gpu_figures(counts, elapsed, gpu_, parameters_, result);
    result.kernel_launch->occupancy.warps = warps;
    add_choice(work_.choices[run->number()], result);
    add_energy(energy_events(*run, counts, parameters_, gpu_.sharing(),
                             Seconds(result.added_seconds()), coefficients_),
               coefficients_, result);
    if (sampler_ && run == ended.front()) {
      sampler_->finish(result, cycle, idle_slots);
      sampler_ = gpu_sampler(gpu_, parameters_, work_.options.sample_cycles);
    }
    if (work_.trace != nullptr) work_.trace->kernel_ended(result.kernel, run->begun(), cycle);
    results_[run->number()] = std::move(result);
    runs_[run->number()].reset();
    counts = {};
    elapsed = {};
  }
  last_ = now;
}

Cycle LaunchBatch::slots_behind(Cycle end, Cycle noticed) const {
  const CoreParameters& core = parameters_.core;
  Cycle slots;
  for (std::uint32_t s = 0; s < core.schedulers; ++s)
    slots += slots_between(end, noticed, s, core.issue_interval);
  return slots * gpu_.active_cores();
}

// All that were in flight end here; the one whose fault it was is told what the GPU did.
void LaunchBatch::stop() {
  stopped_ = true;
  std::vector<KernelRun*> in_flight;
  for (const auto& run : runs_) {
    if (run != nullptr) in_flight.push_back(run.get());
  }
  const auto ended_by = [](const KernelRun* run) {
    return std::any_of(run->on_cores().begin(), run->on_cores().end(), [](const auto& core) {
      return core != nullptr && std::any_of(core->grid.faults.begin(), core->grid.faults.end(),
                                            [](const Fault& fault) { return fault.ends_launch; });
    });
  };
  std::stable_partition(in_flight.begin(), in_flight.end(), ended_by);
  close(in_flight, gpu_.now());
}

}  // namespace raddle::machine::simt
