// A streaming multiprocessor: what stays the same from launch to launch, its place on the networks,
// and what it is configured as at present (sm_core.h). In a launch that shares, it may use parts of
// a neighbour, or lend its own and sleep.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "machine/simt/sm_core.h"

namespace raddle::machine::simt {

class Multiprocessor final : public sim::Component {
 public:
  Multiprocessor(std::string name, const GpuParameters& gpu, std::uint32_t index,
                 const memory::SliceMap& map, LoadStoreUnit::RequestChannel& requests,
                 sim::Channel<memory::Access>& replies);

  Cycle tick(Cycle now) override { return core_->tick(now); }

  // Made anew from these parameters, which live as long as it is used; nothing may be resident.
  void configure(const GpuParameters& gpu, Cycle now);
  // Blocks may be given to it: it is not a lender.
  bool active() const { return active_; }
  void set_active(bool active) { active_ = active; }

  // --- between quanta, on one thread (sm_core.h)
  kernel::exec::StoreLog& stores() { return core_->stores(); }
  const GpuParameters& parameters() const { return core_->parameters(); }
  bool has_room(const BlockNeeds& needs) const { return active_ && core_->has_room(needs); }
  void begin_block(KernelOnCore& kernel, const BlockNeeds& needs, std::uint64_t number,
                   Cycle cycle) {
    core_->begin_block(kernel, needs, number, cycle);
  }
  bool execute_ordered(Cycle cycle) { return core_->execute_ordered(cycle); }
  bool has_ordered() const { return core_->has_ordered(); }
  std::vector<FinishedBlock>& finished() { return core_->finished(); }
  void settle(Cycle cycle) { core_->settle(cycle); }
  void flush_caches() { core_->flush_caches(); }
  bool idle() const { return core_->idle(); }
  void count_waits(bool on) { core_->count_waits(on); }
  std::uint32_t resident_warps() const { return core_->resident_warps(); }
  void trace_with(CoreTrace* trace);
  bool only_polls() { return core_->only_polls(); }
  void report_deadlock() { core_->report_deadlock(); }
  void describe_warps(std::vector<std::string>& lines, std::size_t most,
                      std::string_view doing) const {
    core_->describe_warps(lines, most, doing);
  }

  std::uint32_t index() const { return ports_.index; }
  const SmCore& core() const { return *core_; }

 private:
  CorePorts ports_;
  bool active_ = true;
  CoreTrace* trace_ = nullptr;
  std::unique_ptr<SmCore> core_;
};

}  // namespace raddle::machine::simt
