// The whole GPU: multiprocessors and what lies below them. Its caches and clocks live on from
// launch to launch.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "machine/simt/gpu_counts.h"
#include "machine/simt/gpu_parameters.h"
#include "machine/simt/gpu_trace.h"
#include "machine/simt/multiprocessor.h"
#include "machine/simt/sharing.h"
#include "memory/memory_system.h"

namespace raddle::machine::simt {

// A core cycle at which a run may have to end: `at` is asked before every quantum; where the cycle
// lies within it, `reached` is called there and throws to end the run.
struct CycleLimit {
  std::function<Cycle()> at;
  std::function<void()> reached;
};

class Gpu {
 public:
  explicit Gpu(const GpuParameters& parameters);

  std::vector<std::unique_ptr<Multiprocessor>>& cores() { return cores_; }
  // The present cycle of the core clock: nothing has happened in it yet.
  Cycle now() const { return now_; }
  sim::Instant instant() const { return memory_.instant(); }

  // Runs quantum after quantum; after each, `between` is told the core cycle that comes next and
  // returns true to stop. False: it did not stop, but nothing is left to do. Where it throws, now()
  // is the time that was reached.
  bool run(unsigned host_threads, const std::function<bool(Cycle)>& between,
           const CycleLimit& limit = {});

  // The host copied these bytes to device memory.
  void host_wrote(Address address, Bytes bytes) { memory_.host_wrote(address, bytes); }
  void flush_core_caches();
  // How the L1 and shared memory are divided, and what neighbours share. A change makes what works
  // in the multiprocessors anew, but for those that it does not touch; it takes an idle GPU.
  SplitChoice split() const { return split_; }
  const SharingPlan& sharing() const { return plan_; }
  void configure(SplitChoice choice, SharingMode mode);
  // The multiprocessors that blocks go to, and what the active ones are in this configuration.
  std::uint32_t active_cores() const { return plan_.count_awake(); }
  const CoreParameters& active_core() const { return active_.core; }
  // What all parts have counted until now.
  GpuCounts counts();
  Cycle dram_cycles() const { return Cycle(memory_.dram_cycles()); }
  Cycle network_cycles() const { return Cycle(memory_.network_cycles()); }
  Cycle l2_cycles() const { return Cycle(memory_.l2_cycles()); }
  const memory::MemorySystem& memory() const { return memory_; }
  // The multiprocessor that the last block went to: the next launch goes on after it, as
  // GPGPU-Sim's does (gpgpu_sim::issue_block2core).
  std::uint32_t last_given() const { return last_given_; }
  void set_last_given(std::uint32_t core) { last_given_ = core; }
  // Null: no trace.
  void trace_with(GpuTrace* trace);
  // The length of a quantum, in whole core cycles.
  Cycle quantum_cycles() const { return core_clock_.first_from(memory_.quantum()); }

 private:
  GpuParameters parameters_;  // of the present split, without sharing
  GpuParameters active_;      // the same with what neighbours lend
  SplitChoice split_ = SplitChoice::kTable;
  SharingPlan plan_;
  sim::Clock core_clock_;
  memory::MemorySystem memory_;
  std::vector<std::unique_ptr<Multiprocessor>> cores_;
  std::uint32_t last_given_;
  GpuCounts before_;  // what multiprocessors had counted before they were made anew
  Cycle now_;
};

}  // namespace raddle::machine::simt
