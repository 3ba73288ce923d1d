#include "machine/simt/gpu.h"

#include <fmt/format.h>

namespace raddle::machine::simt {

Gpu::Gpu(const GpuParameters& parameters)
    : parameters_(parameters),
      core_clock_("core", parameters.core_clock),
      memory_(parameters.memory, "SM") {
  for (std::uint32_t i = 0; i < parameters_.cores; ++i) {
    cores_.push_back(std::make_unique<Multiprocessor>(fmt::format("SM.{}", i), parameters_, i,
                                                      memory_.map(), memory_.requests(i),
                                                      memory_.replies(i)));
    memory_.connect(i, *cores_.back(), core_clock_);
  }
}

bool Gpu::run(unsigned host_threads, const std::function<bool(std::uint64_t)>& between) {
  return memory_.run(host_threads, [&](sim::Instant end) {
    now_ = core_clock_.first_from(end).count();
    return between(now_);
  });
}

void Gpu::flush_core_caches() {
  for (const auto& core : cores_) core->flush_caches();
}

void Gpu::use_split(SplitChoice choice) {
  if (choice == split_) return;
  split_ = choice;
  parameters_.core.use(choice);
  for (const auto& core : cores_) core->resize_l1();
}

void Gpu::trace_with(GpuTrace* trace) {
  for (std::size_t i = 0; i < cores_.size(); ++i)
    cores_[i]->trace_with(trace == nullptr ? nullptr : &trace->core(i));
  for (std::size_t i = 0; i < parameters_.memory.channels; ++i)
    memory_.observe_with(i, trace == nullptr ? nullptr : &trace->partition(i));
}

GpuCounts Gpu::counts() {
  GpuCounts all;
  for (const auto& core : cores_) {
    core->settle(now_);
    const CoreCounts& c = core->counts();
    for (std::size_t i = 0; i < c.slots.size(); ++i) all.slots[i] += c.slots[i];
    all.busy_cycles += c.busy_cycles;
    all.warp_cycles += c.warp_cycles;
    all.instructions += c.instructions;
    all.thread_instructions += c.thread_instructions;
    all.register_bank_conflicts += core->pipeline().bank_conflicts();
    all.sp_busy += core->pipeline().sp_busy();
    all.sfu_busy += core->pipeline().sfu_busy();
    all.load_store += core->load_store().stats();
    all.l1 += core->load_store().l1_stats();
    all.constant += core->load_store().constant_stats();
    all.texture += core->load_store().texture_stats();
    all.instruction += core->fetch().stats();
  }
  const memory::MemorySystemCounts behind = memory_.counts();
  all.request_network = behind.request_network;
  all.reply_network = behind.reply_network;
  all.l2 = behind.l2;
  all.partitions = behind.partitions;
  all.dram = behind.dram;
  return all;
}

}  // namespace raddle::machine::simt
