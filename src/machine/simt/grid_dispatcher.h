// What happens between quanta, on one thread: stores become visible to all multiprocessors, ordered
// accesses are executed, kernels begin and end, blocks are given to multiprocessors that have room
// (round robin, one each in turn, from launch to launch), and whoever watches the run has a look.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "machine/kernel_machine.h"
#include "machine/run/sampler.h"
#include "machine/simt/gpu.h"
#include "machine/simt/kernel_run.h"

namespace raddle::machine::simt {

// Where kernels come from, and who hears of their ends.
class KernelFeed {
 public:
  virtual ~KernelFeed() = default;
  // Adds the kernels that begin now to those in flight, which it keeps in the order of their turn.
  virtual void begin_kernels(Cycle cycle, std::vector<KernelRun*>& in_flight) = 0;
  // These have ended since the last call, before that cycle; they are not used afterwards.
  virtual void end_kernels(std::span<KernelRun* const> ended, Cycle cycle) = 0;
};

class GridDispatcher {
 public:
  GridDispatcher(Gpu& gpu, const LaunchOptions& options)
      : gpu_(gpu), control_(options.control), host_threads_(options.host_threads) {}

  // Has figures over time taken between quanta; must live as long as this.
  void sample_with(Sampler* sampler) { sampler_ = sampler; }
  void trace_with(GpuTrace* trace) { trace_ = trace; }

  // Runs kernels until none is left. Blocks of the earlier one go first, as far as room goes.
  // Throws LaunchStopped when a fault, a watchdog or a deadlock ends the run.
  void run(KernelFeed& feed);

 private:
  // True: all is done.
  bool between_quanta(Cycle cycle);
  void take_finished();
  void begin_and_end_kernels(Cycle cycle);
  // The cycle in which blocks can next be given out: this one, or later if all is empty until then.
  Cycle next_begin(Cycle cycle) const;
  void give_out_blocks(Cycle cycle);
  bool give_one(Multiprocessor& core, Cycle cycle);
  void watch(Cycle cycle);
  // The first cycle at which a kernel in flight reaches its limit.
  Cycle next_limit() const;
  void stop_at_limit();
  void look_for_deadlock();
  // `doing`: what threads do that do not wait at a barrier.
  [[noreturn]] void give_up(KernelRun& kernel, FaultKind kind, std::string message,
                            std::string_view doing = {});
  [[noreturn]] void report_barrier_deadlock();

  Gpu& gpu_;
  const RunControl& control_;
  unsigned host_threads_;
  Sampler* sampler_ = nullptr;  // null: not asked for
  GpuTrace* trace_ = nullptr;   // likewise
  KernelFeed* feed_ = nullptr;
  std::vector<KernelRun*> kernels_;  // in flight, in the order of their turn
  Cycle next_start_ = sim::kNever;   // of kernels in flight whose blocks must still wait
  std::uint64_t ended_blocks_ = 0;   // of kernels that have ended
  std::uint64_t quanta_ = 0;
  Cycle start_;
  bool freed_ = true;            // a block has ended since blocks were given out
  bool memory_changed_ = false;  // since the last look for deadlocks
  bool blocks_moved_ = false;    // likewise: begun or ended
  Cycle next_deadlock_look_;
};

}  // namespace raddle::machine::simt
