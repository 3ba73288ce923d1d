// A streaming multiprocessor: resident blocks, fetch, schedulers, scoreboard, units and the
// load/store unit. It executes an instruction when it is issued; what it stores others see at the
// end of the quantum, and what must be ordered between multiprocessors (atomics, accesses that wait
// for other threads) is executed there as well. Every slot of every scheduler is counted once.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "machine/simt/core_trace.h"
#include "machine/simt/execution_pipeline.h"
#include "machine/simt/gpu_parameters.h"
#include "machine/simt/instruction_fetch.h"
#include "machine/simt/load_store_unit.h"
#include "machine/simt/occupancy.h"
#include "machine/simt/resident_block.h"
#include "machine/simt/warp_scheduler.h"
#include "machine/simt/warp_table.h"
#include "sim/component.h"

namespace raddle::machine::simt {

struct CoreCounts {
  SlotUses slots{};
  std::uint64_t busy_cycles = 0;   // with a block resident
  std::uint64_t warp_cycles = 0;   // resident warps, summed over cycles
  std::uint64_t instructions = 0;  // warp instructions
  std::uint64_t thread_instructions = 0;
};

struct FinishedBlock {
  std::uint32_t kernel = 0;
  std::uint64_t cycle = 0;
};

class Multiprocessor : public sim::Component {
 public:
  Multiprocessor(std::string name, const GpuParameters& gpu, std::uint32_t index,
                 const memory::SliceMap& map, LoadStoreUnit::RequestChannel& requests,
                 sim::Channel<memory::Access>& replies);
  ~Multiprocessor() override;

  Cycle tick(Cycle now) override;

  // --- between quanta, on one thread
  kernel::exec::StoreLog& stores() { return stores_; }
  // Room for one more block of the kernel, beside those that are there.
  bool has_room(const BlockNeeds& needs) const { return use_.has_room(needs, gpu_.core); }
  void begin_block(KernelOnCore& kernel, const BlockNeeds& needs, std::uint64_t number,
                   std::uint64_t cycle);
  // Executes what waited for the end of the quantum. True: memory may have changed.
  bool execute_ordered(std::uint64_t cycle);
  bool has_ordered() const { return !ordered_.empty(); }
  std::vector<FinishedBlock>& finished() { return finished_; }
  // Counts the time up to, not including, that cycle.
  void settle(std::uint64_t cycle);
  void flush_caches();
  // The parameters have another L1 than before; nothing may be on its way.
  void resize_l1() { load_store_.resize_l1(); }
  bool idle() const { return resident_ == 0; }
  void count_waits(bool on) {
    count_waits_ = on;
    watched_ = count_waits_ || trace_ != nullptr;
  }
  std::uint32_t resident_warps() const { return resident_warps_; }
  // Null: no trace.
  void trace_with(CoreTrace* trace) {
    trace_ = trace;
    watched_ = count_waits_ || trace_ != nullptr;
    load_store_.trace_with(trace);
  }

  // Every live warp waits at a barrier or has polled memory; starts counting polls anew.
  bool only_polls();
  // Says who waits where in the first block that is resident, if there is one, and throws
  // LaunchStopped.
  void report_deadlock();
  void describe_warps(std::vector<std::string>& lines, std::size_t most) const;

  std::uint32_t index() const { return index_; }
  const CoreCounts& counts() const { return counts_; }
  const LoadStoreUnit& load_store() const { return load_store_; }
  const ExecutionPipeline& pipeline() const { return pipeline_; }
  const InstructionFetch& fetch() const { return fetch_; }

 private:
  void count_time(std::uint64_t now);
  void take_reply(std::uint64_t now);
  void take_results(std::uint64_t now);
  // These warps may have got what they waited for.
  void look_at_due(WarpSet due, std::uint64_t now);
  void issue_slot(std::size_t scheduler, std::uint64_t now);
  SlotUse why_idle(WarpSet ready, WarpSet mine, std::uint64_t now) const;
  void issue(std::uint32_t warp, std::uint64_t now);
  void execute(std::uint32_t warp, std::uint64_t now);
  void execute_control(std::uint32_t warp, std::uint64_t now);
  void count_instruction(WarpContext& warp, kernel::exec::LaneMask lanes);
  // What the instruction takes of units and registers; `accessed_memory`: it has something for the
  // load/store unit.
  void send_on(std::uint32_t warp, bool accessed_memory, std::uint64_t now);
  void count_divergence(const WarpContext& warp);
  // Finds out what the warp does next: at its start, after a barrier, after an instruction.
  void advance(std::uint32_t warp, std::uint64_t now);
  void go_on(std::uint32_t warp, const kernel::exec::DecodedFunction* function,
             const kernel::exec::DecodedInstruction* next, std::uint64_t now);
  void go_on_at(std::uint32_t warp, std::uint32_t place, const IssueInfo& next, std::uint64_t now);
  // Finds out what it waits for.
  void look_at(std::uint32_t warp, std::uint64_t now);
  void wait_for(std::uint32_t warp, SlotUse cause, std::uint64_t now) {
    if (watched_) [[unlikely]]
      watch_wait(warp, cause, now);
    warps_.set_cause(warp, cause);
  }
  void watch_wait(std::uint32_t warp, SlotUse cause, std::uint64_t now);
  void count_wait(WarpContext& warp, std::uint64_t now);
  void release_barriers(ResidentBlock& block, std::uint64_t now);
  void retire_if_done(std::uint32_t slot, std::uint64_t now) {
    const WarpContext& warp = warps_[slot];
    if (warp.ended && warp.stores == 0 && warp.loads == 0) retire(slot, now);
  }
  void retire(std::uint32_t warp, std::uint64_t now);
  std::uint64_t next_tick(std::uint64_t now) const;
  std::uint32_t free_slot() const;

  const GpuParameters& gpu_;
  std::uint32_t index_;
  sim::Channel<memory::Access>& replies_;
  WarpTable warps_;
  InstructionFetch fetch_;
  ExecutionPipeline pipeline_;
  LoadStoreUnit load_store_;
  std::vector<WarpScheduler> schedulers_;
  kernel::exec::StoreLog stores_;
  CoreUse use_;
  std::vector<std::unique_ptr<ResidentBlock>> blocks_;
  std::uint32_t resident_ = 0;  // blocks
  std::uint32_t resident_warps_ = 0;
  std::uint64_t next_age_ = 0;
  std::vector<std::uint32_t> ordered_;  // warps, in the order of issue
  std::vector<FinishedBlock> finished_;
  std::vector<SlotUse> idle_cause_;  // by scheduler: of the cycles slept through
  std::uint64_t counted_until_ = 0;
  bool count_waits_ = false;
  bool watched_ = false;  // somebody wants to know what each warp waits for
  CoreTrace* trace_ = nullptr;
  SlotUse issued_as_ = SlotUse::kIssued;
  CoreCounts counts_;
  std::vector<MemoryResult> results_;
  std::vector<std::uint32_t> stores_sent_;
  std::vector<memory::Access> misses_;
};

}  // namespace raddle::machine::simt
