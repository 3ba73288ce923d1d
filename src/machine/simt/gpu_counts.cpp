#include "machine/simt/gpu_counts.h"

namespace raddle::machine::simt {

GpuCounts& GpuCounts::operator-=(const GpuCounts& earlier) {
  for (std::size_t i = 0; i < slots.size(); ++i) slots[i] -= earlier.slots[i];
  busy_cycles -= earlier.busy_cycles;
  warp_cycles -= earlier.warp_cycles;
  instructions -= earlier.instructions;
  thread_instructions -= earlier.thread_instructions;
  register_bank_conflicts -= earlier.register_bank_conflicts;
  sp_busy -= earlier.sp_busy;
  sfu_busy -= earlier.sfu_busy;
  load_store = load_store - earlier.load_store;
  l1 = l1 - earlier.l1;
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

}  // namespace raddle::machine::simt
