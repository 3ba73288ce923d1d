#include "machine/simt/gpu_counts.h"

#include "machine/simt/sm_core.h"

namespace raddle::machine::simt {

GpuCounts& GpuCounts::operator-=(const GpuCounts& earlier) {
  for (std::size_t i = 0; i < slots.size(); ++i) slots[i] -= earlier.slots[i];
  busy_cycles -= earlier.busy_cycles;
  warp_cycles -= earlier.warp_cycles;
  instructions -= earlier.instructions;
  thread_instructions -= earlier.thread_instructions;
  lent_instructions -= earlier.lent_instructions;
  wide_instructions -= earlier.wide_instructions;
  half_instructions -= earlier.half_instructions;
  register_bank_conflicts -= earlier.register_bank_conflicts;
  sp_busy -= earlier.sp_busy;
  sfu_busy -= earlier.sfu_busy;
  load_store = load_store - earlier.load_store;
  l1 = l1 - earlier.l1;
  lent_l1 = lent_l1 - earlier.lent_l1;
  constant = constant - earlier.constant;
  texture = texture - earlier.texture;
  instruction = instruction - earlier.instruction;
  l2 = l2 - earlier.l2;
  partitions = partitions - earlier.partitions;
  request_network = request_network - earlier.request_network;
  reply_network = reply_network - earlier.reply_network;
  dram = dram - earlier.dram;
  return *this;
}

void add_core(GpuCounts& all, const SmCore& core) {
  const CoreCounts& c = core.counts();
  for (std::size_t i = 0; i < c.slots.size(); ++i) all.slots[i] += c.slots[i];
  all.busy_cycles += c.busy_cycles;
  all.warp_cycles += c.warp_cycles;
  all.instructions += c.instructions;
  all.thread_instructions += c.thread_instructions;
  all.lent_instructions += c.lent_instructions;
  all.wide_instructions += c.wide_instructions;
  all.half_instructions += c.half_instructions;
  all.register_bank_conflicts += core.pipeline().bank_conflicts();
  all.sp_busy += core.pipeline().sp_busy();
  all.sfu_busy += core.pipeline().sfu_busy();
  all.load_store += core.load_store().stats();
  all.l1 += core.load_store().l1_stats();
  all.lent_l1 += core.load_store().lent_l1_stats();
  all.constant += core.load_store().constant_stats();
  all.texture += core.load_store().texture_stats();
  all.instruction += core.fetch_stats();
}

}  // namespace raddle::machine::simt
