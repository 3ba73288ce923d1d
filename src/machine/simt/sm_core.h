// What works in a streaming multiprocessor as it is configured at present: resident blocks, fetch,
// schedulers, scoreboard, units and the load/store unit. It executes an instruction when it is
// issued; what it stores others see at the end of the quantum, and what must be ordered between
// multiprocessors (atomics, accesses that wait for other threads) is executed there as well. Every
// slot of every scheduler is counted once.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "machine/simt/core_trace.h"
#include "machine/simt/execution_pipeline.h"
#include "machine/simt/gpu_counts.h"
#include "machine/simt/gpu_parameters.h"
#include "machine/simt/instruction_fetch.h"
#include "machine/simt/lent_warp_table.h"
#include "machine/simt/load_store_unit.h"
#include "machine/simt/occupancy.h"
#include "machine/simt/resident_block.h"
#include "machine/simt/warp_scheduler.h"
#include "machine/simt/warp_table.h"
#include "machine/simt/wide_warp.h"
#include "sim/component.h"

namespace raddle::machine::simt {

struct FinishedBlock {
  std::uint32_t kernel = 0;
  Cycle cycle;
};

// Where a multiprocessor is connected.
struct CorePorts {
  sim::Component& component;  // to be woken
  std::uint32_t index;
  const memory::SliceMap& map;
  LoadStoreUnit::RequestChannel& requests;
  sim::Channel<memory::Access>& replies;
};

class SmCore {
 public:
  virtual ~SmCore() = default;
  SmCore(const SmCore&) = delete;
  SmCore& operator=(const SmCore&) = delete;

  virtual Cycle tick(Cycle now) = 0;

  // --- between quanta, on one thread
  kernel::exec::StoreLog& stores() { return stores_; }
  const GpuParameters& parameters() const { return gpu_; }
  // Room for one more block of the kernel, beside those that are there.
  bool has_room(const BlockNeeds& needs) const { return use_.has_room(needs, gpu_.core); }
  virtual void begin_block(KernelOnCore& kernel, const BlockNeeds& needs, std::uint64_t number,
                           Cycle cycle) = 0;
  // Executes what waited for the end of the quantum. True: memory may have changed.
  virtual bool execute_ordered(Cycle cycle) = 0;
  bool has_ordered() const { return !ordered_.empty(); }
  std::vector<FinishedBlock>& finished() { return finished_; }
  // Counts the time up to, not including, that cycle.
  virtual void settle(Cycle cycle) = 0;
  virtual void flush_caches() = 0;
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
  virtual bool only_polls() = 0;
  // Says who waits where in the first block that is resident, if there is one, and throws
  // LaunchStopped.
  void report_deadlock();
  void describe_warps(std::vector<std::string>& lines, std::size_t most,
                      std::string_view doing) const;

  const CoreCounts& counts() const { return counts_; }
  LoadStoreUnit& load_store() { return load_store_; }
  const LoadStoreUnit& load_store() const { return load_store_; }
  const ExecutionPipeline& pipeline() const { return pipeline_; }
  virtual const memory::CacheStats& fetch_stats() const = 0;

 protected:
  SmCore(const GpuParameters& gpu, const CorePorts& ports);
  // When a warp wakes that asks for nanosleep: by the first of the lanes, which mostly agree.
  Cycle end_of_sleep(const IssueInfo& info, const kernel::exec::WarpState& warp,
                     kernel::exec::LaneMask lanes, Cycle now) const;

  const GpuParameters& gpu_;
  CorePorts ports_;
  ExecutionPipeline pipeline_;
  LoadStoreUnit load_store_;
  kernel::exec::StoreLog stores_;
  CoreUse use_;
  std::vector<std::unique_ptr<ResidentBlock>> blocks_;
  std::uint32_t resident_ = 0;  // blocks
  std::uint32_t resident_warps_ = 0;
  std::uint64_t next_age_ = 0;
  std::vector<std::uint32_t> ordered_;  // warps, in the order of issue
  std::vector<FinishedBlock> finished_;
  std::vector<SlotUse> idle_cause_;  // by scheduler: of the cycles slept through
  Cycle counted_until_;
  bool count_waits_ = false;
  bool watched_ = false;  // somebody wants to know what each warp waits for
  CoreTrace* trace_ = nullptr;
  SlotUse issued_as_ = SlotUse::kIssued;
  CoreCounts counts_;
  std::vector<MemoryResult> results_;
  std::vector<std::uint32_t> stores_sent_;
  std::vector<memory::Access> misses_;
};

// Made for the table that holds its warps: WarpTable, or LentWarpTable where a neighbour lends
// contexts or lanes, so that what sharing needs costs nothing where nothing is shared. Blocks and
// cycles are in sm_core.cpp, issue in sm_core_issue.cpp, warps of 64 lanes in sm_core_wide.cpp;
// each instantiates what it defines.
template <class Warps>
class SmCoreFor final : public SmCore {
 public:
  // Time begins in cycle `now`.
  SmCoreFor(const GpuParameters& gpu, const CorePorts& ports, Cycle now);

  Cycle tick(Cycle now) override;
  void begin_block(KernelOnCore& kernel, const BlockNeeds& needs, std::uint64_t number,
                   Cycle cycle) override;
  bool execute_ordered(Cycle cycle) override;
  void settle(Cycle cycle) override;
  void flush_caches() override;
  bool only_polls() override;
  const memory::CacheStats& fetch_stats() const override { return fetch_.stats(); }

 private:
  using Slots = typename Warps::Slots;

  void count_time(Cycle now);
  void take_reply(Cycle now);
  void take_results(Cycle now);
  // These warps may have got what they waited for.
  void look_at_due(Slots due, Cycle now);
  void issue_slot(std::size_t scheduler, Cycle now);
  SlotUse why_idle(const WarpTable& warps, WarpSet ready, WarpSet mine, Cycle now) const;
  // The scheduler's warps in contexts of a neighbour, whose operands its collectors gather.
  WarpSet lent_warps(std::size_t scheduler) const;
  void issue(std::uint32_t warp, Cycle now);
  void execute(std::uint32_t warp, Cycle now);
  void execute_control(std::uint32_t warp, Cycle now);
  void count_instruction(WarpContext& warp, kernel::exec::LaneMask lanes);
  void count_threads(WarpContext& warp, std::uint64_t threads) {
    InstructionCounts& counts = warp.block->kernel->counts[warp.place];
    ++counts.warps;
    counts.threads += threads;
    ++counts_.instructions;
    counts_.thread_instructions += threads;
    if constexpr (Warps::kLent) {
      if (warp.lent) ++counts_.lent_instructions;
    }
  }
  // What the instruction takes of units and registers; `accessed_memory`: it has something for the
  // load/store unit.
  void send_on(std::uint32_t warp, bool accessed_memory, Cycle now);
  // The same for one that is not a memory instruction.
  void send_to_unit(std::uint32_t slot, Cycle now) {
    WarpContext& warp = warps_[slot];
    const IssueInfo& info = *warp.next;
    const Cycle usable = Warps::kLent && warp.lent_registers ? pipeline_.issue_lent(info, slot, now)
                                                             : pipeline_.issue(info, slot, now);
    const auto source = info.unit == Unit::kSfu ? PendingResult::kSfu : PendingResult::kAlu;
    for (std::uint32_t i = 0; i < info.write_count; ++i)
      warp.registers[info.writes[i]] = {usable, source};
  }
  // The load/store unit will say when the instruction's results are there.
  static void await_memory(WarpContext& warp, const IssueInfo& info) {
    ++warp.loads;
    const auto source =
        info.path == MemoryPath::kShared ? PendingResult::kShared : PendingResult::kMemory;
    for (std::uint32_t i = 0; i < info.write_count; ++i)
      warp.registers[info.writes[i]] = PendingResult::unknown(source);
  }
  void count_divergence(const WarpContext& warp);
  // Finds out what the warp does next: at its start, after a barrier, after an instruction.
  void advance(std::uint32_t warp, Cycle now);
  void go_on(std::uint32_t warp, const kernel::exec::DecodedFunction* function,
             const kernel::exec::DecodedInstruction* next, Cycle now);
  void go_on_at(std::uint32_t warp, std::uint32_t place, const IssueInfo& next, Cycle now);
  // Finds out what it waits for.
  void look_at(std::uint32_t warp, Cycle now);
  void wait_for(std::uint32_t warp, SlotUse cause, Cycle now) {
    // Nothing is left to do after that call, so that the common case saves no registers for it.
    if (watched_) [[unlikely]]
      return watch_wait(warp, cause, now);
    warps_.set_cause(warp, cause);
  }
  void watch_wait(std::uint32_t warp, SlotUse cause, Cycle now);
  void count_wait(WarpContext& warp, Cycle now);
  void release_barriers(ResidentBlock& block, Cycle now);
  void retire_if_done(std::uint32_t slot, Cycle now) {
    const WarpContext& warp = warps_[slot];
    if (warp.ended && warp.stores == 0 && warp.loads == 0) retire(slot, now);
  }
  void retire(std::uint32_t warp, Cycle now);
  Cycle next_tick(Cycle now) const;
  // A free slot from `first` on.
  std::uint32_t free_slot(std::uint32_t first) const;
  void take_slot(ResidentBlock& block, std::uint32_t slot, kernel::exec::WarpState& state,
                 Cycle cycle);

  // --- wide warps: both halves of 32 lanes, or the one whose turn it is
  void execute_wide(std::uint32_t slot, Cycle now);
  void execute_half(WarpContext& warp, std::uint32_t half);
  void send_on_wide(std::uint32_t slot, Cycle now);
  // Which halves go on, and where.
  void choose_path(std::uint32_t slot, Cycle now);

  Warps warps_;
  InstructionFetchFor<Warps> fetch_;
  std::vector<WarpScheduler> schedulers_;
};

std::unique_ptr<SmCore> make_core(const GpuParameters& gpu, const CorePorts& ports, Cycle now);

}  // namespace raddle::machine::simt
