// What happens between quanta, on one thread: stores become visible to all multiprocessors, ordered
// accesses are executed, blocks are given to multiprocessors that have room (round robin, one each
// in turn), and whoever watches the run has a look.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "machine/machine.h"
#include "machine/simt/gpu.h"
#include "machine/simt/kernel_run.h"
#include "machine/simt/sampler.h"

namespace raddle::machine::simt {

class GridDispatcher {
 public:
  GridDispatcher(Gpu& gpu, const GpuParameters& parameters, const LaunchOptions& options)
      : gpu_(gpu), parameters_(parameters), options_(options) {}

  // Has figures over time taken between quanta; must live as long as this.
  void sample_with(Sampler* sampler) { sampler_ = sampler; }
  void trace_with(GpuTrace* trace) { trace_ = trace; }

  // Runs the kernels to their ends, in the order of the list as far as room goes. Throws
  // LaunchStopped when a fault, a watchdog or a deadlock ends the run.
  void run(std::vector<KernelRun*> kernels);

 private:
  // True: all is done.
  bool between_quanta(std::uint64_t cycle);
  void take_finished();
  void give_out_blocks(std::uint64_t cycle);
  bool give_one(Multiprocessor& core, std::uint64_t cycle);
  void watch(std::uint64_t cycle);
  void look_for_deadlock();
  [[noreturn]] void give_up(FaultKind kind, std::string message);
  [[noreturn]] void report_barrier_deadlock();
  KernelRun& first_unfinished();

  Gpu& gpu_;
  const GpuParameters& parameters_;
  const LaunchOptions& options_;
  Sampler* sampler_ = nullptr;  // null: not asked for
  GpuTrace* trace_ = nullptr;   // likewise
  std::vector<KernelRun*> kernels_;
  std::uint32_t next_core_ = 0;
  std::uint64_t quanta_ = 0;
  std::uint64_t start_ = 0;
  bool freed_ = true;            // a block has ended since blocks were given out
  bool memory_changed_ = false;  // since the last look for deadlocks
  bool blocks_moved_ = false;    // likewise: begun or ended
  std::uint64_t next_deadlock_look_ = 0;
};

}  // namespace raddle::machine::simt
