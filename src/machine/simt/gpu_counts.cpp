#include "machine/simt/gpu_counts.h"

#include <tuple>

#include "machine/simt/sm_core.h"

namespace raddle::machine::simt {

namespace {

// What multiprocessors count beside their slots.
constexpr std::tuple kCoreCounts{
    &GpuCounts::busy_cycles,       &GpuCounts::warp_cycles,
    &GpuCounts::instructions,      &GpuCounts::thread_instructions,
    &GpuCounts::lent_instructions, &GpuCounts::wide_instructions,
    &GpuCounts::half_instructions, &GpuCounts::register_bank_conflicts,
    &GpuCounts::sp_busy,           &GpuCounts::sfu_busy,
    &GpuCounts::load_store,        &GpuCounts::l1,
    &GpuCounts::lent_l1,           &GpuCounts::constant,
    &GpuCounts::texture,           &GpuCounts::instruction,
};

template <class Operation>
void for_each_core_count(GpuCounts& a, const GpuCounts& b, const Operation& apply) {
  std::apply([&](auto... count) { (apply(a.*count, b.*count), ...); }, kCoreCounts);
}

}  // namespace

GpuCounts& GpuCounts::operator-=(const GpuCounts& earlier) {
  MemorySystemCounts::operator-=(earlier);
  slots -= earlier.slots;
  for_each_core_count(*this, earlier, [](auto& now, const auto& before) { now = now - before; });
  return *this;
}

void add_core(GpuCounts& all, const SmCore& core) {
  GpuCounts own;
  static_cast<CoreCounts&>(own) = core.counts();
  own.register_bank_conflicts = core.pipeline().bank_conflicts();
  own.sp_busy = core.pipeline().sp_busy();
  own.sfu_busy = core.pipeline().sfu_busy();
  own.load_store = core.load_store().stats();
  own.l1 = core.load_store().l1_stats();
  own.lent_l1 = core.load_store().lent_l1_stats();
  own.constant = core.load_store().constant_stats();
  own.texture = core.load_store().texture_stats();
  own.instruction = core.fetch_stats();
  all.slots += own.slots;
  for_each_core_count(all, own, [](auto& sum, const auto& count) { sum += count; });
}

}  // namespace raddle::machine::simt
