// The whole GPU: multiprocessors and memory partitions, each in an engine of its own, joined by two
// crossbars, and run in quanta on one or several host threads. Its caches and clocks live on from
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
#include "memory/crossbar_port.h"
#include "memory/dram.h"
#include "memory/memory_partition.h"
#include "sim/parallel_run.h"

namespace raddle::machine::simt {

class Gpu {
 public:
  explicit Gpu(const GpuParameters& parameters);
  ~Gpu();

  std::vector<std::unique_ptr<Multiprocessor>>& cores() { return cores_; }
  // The present cycle of the core clock: nothing has happened in it yet.
  std::uint64_t now() const { return now_; }
  sim::Instant instant() const { return instant_; }

  // Runs quantum after quantum; behind each, `between` is told the core cycle that comes next and
  // returns true to stop. False: it did not stop, but nothing is left to do.
  bool run(unsigned host_threads, const std::function<bool(std::uint64_t)>& between);

  // The host copied these bytes to device memory.
  void host_wrote(std::uint64_t address, std::uint64_t bytes);
  void flush_core_caches();
  // What all parts have counted until now.
  GpuCounts counts();
  std::uint64_t dram_cycles() const;
  std::uint64_t network_cycles() const;
  std::uint64_t l2_cycles() const;
  // Requests in the queue of a DRAM channel.
  std::size_t dram_waiting(std::size_t channel) const;
  // Null: no trace.
  void trace_with(GpuTrace* trace);
  // The length of a quantum, in whole core cycles.
  std::uint64_t quantum_cycles() const { return core_clock_.first_from(quantum_).count(); }

 private:
  struct CorePorts;
  struct Partition;

  GpuParameters parameters_;
  sim::Clock core_clock_, network_clock_, l2_clock_, dram_clock_;
  memory::SliceMap map_;
  memory::CrossbarWires<memory::Access> requests_, replies_;
  std::vector<std::unique_ptr<sim::Engine>> engines_;
  std::vector<std::unique_ptr<CorePorts>> ports_;
  std::vector<std::unique_ptr<Multiprocessor>> cores_;
  std::vector<std::unique_ptr<Partition>> partitions_;
  sim::Instant quantum_;
  sim::Instant instant_{0};
  std::uint64_t now_ = 0;
};

}  // namespace raddle::machine::simt
