#include "machine/simt/launch_figures.h"

#include <algorithm>
#include <map>
#include <string>

#include "machine/memory_figures.h"
#include "machine/run/ratio.h"
#include "machine/simt/sharing_figures.h"
#include "machine/simt/split_choice.h"
#include "sim/stats.h"

namespace raddle::machine::simt {

namespace {

// Counts of all multiprocessors, instruction by instruction.
std::vector<InstructionCounts> summed_counts(const KernelRun& run) {
  std::vector<InstructionCounts> sum(run.prepared().table->size());
  for (const auto& core : run.on_cores()) {
    if (core == nullptr) continue;
    for (std::size_t i = 0; i < sum.size(); ++i) {
      sum[i].warps += core->counts[i].warps;
      sum[i].threads += core->counts[i].threads;
    }
  }
  return sum;
}

void add_lines(const KernelRun& run, const std::vector<InstructionCounts>& counts,
               LaunchResult& result) {
  const IssueTable& table = *run.prepared().table;
  struct Line {
    LineCost cost;
    SlotAccount waits;
  };
  std::map<std::string, Line> by_line;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i].warps == 0) continue;
    const kernel::exec::DecodedFunction& function =
        *run.prepared().decoded->functions[table.function_of(i)];
    Line& line = by_line[function.module->describe_location(table[i].instruction->ir->location)];
    line.cost.warp_instructions += counts[i].warps;
    line.cost.thread_instructions += counts[i].threads;
    for (const auto& core : run.on_cores()) {
      if (core != nullptr) line.waits += core->waits[i];
    }
  }
  for (auto& [location, line] : by_line) {
    line.cost.location = location;
    if (const double ready = line.waits[SlotUse::kIssued].as_double(); ready != 0) {
      line.cost.stalls.push_back(stall_of(kNotSelected, ready));
      line.cost.stall_cycles = ready;
    }
    add_line_stalls(stalls_of(line.waits), line.cost);
    result.lines.push_back(std::move(line.cost));
  }
  std::stable_sort(result.lines.begin(), result.lines.end(),
                   [](const LineCost& a, const LineCost& b) {
                     return a.warp_instructions > b.warp_instructions;
                   });
}

}  // namespace

void add_kernel_figures(const KernelRun& run, const Gpu& gpu, const GpuParameters& parameters,
                        bool lines, LaunchResult& result) {
  const IssueTable& table = *run.prepared().table;
  const std::vector<InstructionCounts> counts = summed_counts(run);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto c = static_cast<std::size_t>(kernel::class_of(*table[i].instruction->ir));
    result.warp_instructions += counts[i].warps;
    result.thread_instructions += counts[i].threads;
    result.warp_instructions_by_class[c] += counts[i].warps;
    result.thread_instructions_by_class[c] += counts[i].threads;
  }
  for (const auto& core : run.on_cores()) {
    if (core == nullptr) continue;
    result.branches += core->executed.branches;
    result.divergent_branches += core->executed.divergent_branches;
    result.barriers += core->executed.barriers;
    for (Fault& fault : core->grid.faults) result.faults.push_back(std::move(fault));
    result.fault_count += core->grid.fault_count;
  }
  // One that ends the launch comes last, as it happened last.
  std::stable_partition(result.faults.begin(), result.faults.end(),
                        [](const Fault& fault) { return !fault.ends_launch; });
  if (lines) add_lines(run, counts, result);
  KernelLaunch& launch = *result.kernel_launch;
  launch.registers_per_thread = table.registers_per_thread();
  launch.l1_split = describe_split(parameters.core, run.split(), run.launch().prefers);
  const CoreParameters& core = gpu.active_core();
  launch.occupancy = occupancy_of(run.needs(core.warp_lanes), core);
  const std::uint64_t alone =
      occupancy_limit(run.needs(), divided(parameters.core, run.split())).blocks;
  const SharingPlan& plan = gpu.sharing();
  const std::uint64_t fit =
      std::uint64_t{launch.occupancy.blocks_per_core} * plan.count(CoreRole::kActive) +
      alone * plan.count(CoreRole::kAlone);
  if (run.blocks() < fit) launch.occupancy.limited_by = "the grid's size";
}

void add_gpu_figures(const GpuCounts& counts, const ElapsedCycles& elapsed, const Gpu& configured,
                     const GpuParameters& gpu, LaunchResult& result) {
  result.stalls = stalls_of(counts.slots);
  result.kernel_launch->occupancy.warps =
      quotient(counts.warp_cycles.as_double(), counts.busy_cycles.as_double());

  MemoryTraffic shared;
  shared.level = "shared";
  shared.banked = true;
  shared.bank_conflicts = counts.load_store.shared_conflicts;
  shared.load_accesses = counts.load_store.shared_loads;
  shared.store_accesses = counts.load_store.shared_stores;
  shared.atomic_accesses = counts.load_store.shared_atomics;
  shared.bytes_read = counts.load_store.shared_bytes_read.count();
  shared.bytes_written = counts.load_store.shared_bytes_written.count();
  if (counts.load_store.shared_passes > 0) result.memory.push_back(shared);
  for (const auto& [name, stats] :
       {std::pair<const char*, const memory::CacheStats&>{"instruction", counts.instruction},
        {"constant", counts.constant},
        {"texture", counts.texture},
        {"L1", counts.l1},
        {"L2", counts.l2}}) {
    if (stats.loads + stats.stores + stats.atomics > 0)
      result.memory.push_back(cache_traffic(name, stats));
  }
  result.memory.push_back(dram_traffic(counts.dram, gpu.memory.dram));

  const double cores = configured.active_cores();
  const auto waits = [](SlotUse use) { return std::string(kSlotUses[use].name); };
  result.utilisation = {
      {"memory", counts.dram.bus_busy_cycles.as_double(),
       elapsed.dram.as_double() * gpu.memory.channels, waits(SlotUse::kMemory)},
      {"load/store unit", counts.load_store.busy_cycles.as_double(),
       elapsed.core.as_double() * cores, waits(SlotUse::kLoadStore)},
      {"SP units", counts.sp_busy.as_double(),
       elapsed.core.as_double() * cores * gpu.core.sp_units},
      {"SFU", counts.sfu_busy.as_double(), elapsed.core.as_double() * cores * gpu.core.sfu_units,
       waits(SlotUse::kSfu)},
      {"L2", counts.partitions.busy_cycles.as_double(),
       elapsed.l2.as_double() * gpu.memory.slices()},
      {"request network", of(counts.request_network.flits),
       elapsed.network.as_double() * gpu.memory.slices() * gpu.memory.request_network.eject_flits},
      {"reply network", of(counts.reply_network.flits),
       elapsed.network.as_double() * cores * gpu.memory.reply_network.eject_flits},
  };

  append_stats(result.stats, "load/store unit", counts.load_store);
  append_stats(result.stats, "L1", counts.l1);
  append_stats(result.stats, "instruction cache", counts.instruction);
  append_stats(result.stats, "constant cache", counts.constant);
  append_stats(result.stats, "texture cache", counts.texture);
  append_stats(result.stats, "request network", counts.request_network);
  append_stats(result.stats, "reply network", counts.reply_network);
  append_stats(result.stats, "L2", counts.l2);
  append_stats(result.stats, "memory partitions", counts.partitions);
  append_stats(result.stats, "DRAM", counts.dram);
  result.stats.push_back({"registers", "bank_conflicts", "cycles",
                          "cycles in which operands waited for their bank",
                          counts.register_bank_conflicts.as_double()});
  add_sharing_figures(counts, configured, gpu, result);
}

}  // namespace raddle::machine::simt
