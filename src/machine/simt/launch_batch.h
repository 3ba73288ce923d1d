// Launches that go to the GPU together, and what each is told to have done. Instructions, lines and
// faults are a kernel's own; what the parts of the GPU did cannot be told apart by kernel, so the
// time is split at kernel ends, and what was counted between two ends belongs to the kernel that
// ended at the later one. Nothing is counted twice.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "energy/energy.h"
#include "machine/kernel_machine.h"
#include "machine/simt/gpu.h"
#include "machine/simt/gpu_sampler.h"
#include "machine/simt/grid_dispatcher.h"
#include "machine/simt/kernel_queue.h"
#include "machine/simt/kernel_run.h"
#include "machine/simt/launch_figures.h"
#include "machine/simt/sharing_choice.h"

namespace raddle::machine::simt {

class LaunchBatch : private KernelFeed {
 public:
  struct Work {
    kernel::Program& program;
    const kernel::TextureTable& textures;
    std::span<const QueuedLaunch> launches;
    std::span<const PreparedKernel* const> kernels;  // by launch
    const LaunchOptions& options;
    GpuTrace* trace;                         // null: not asked for
    std::span<const SharingChoice> choices;  // by launch
  };
  LaunchBatch(Gpu& gpu, const GpuParameters& parameters, const energy::CoefficientSet& coefficients,
              const Work& work);

  // One result for each launch that was begun.
  std::vector<std::optional<LaunchResult>> run();
  // A fault, a watchdog or a deadlock ended it.
  bool stopped() const { return stopped_; }

 private:
  // A point in time, and all that had been counted until then.
  struct Split {
    ElapsedCycles at;
    GpuCounts counts;
  };

  void begin_kernels(Cycle cycle, std::vector<KernelRun*>& in_flight) override;
  void end_kernels(std::span<KernelRun* const> ended, Cycle cycle) override;
  Split split() const;
  // The results of kernels that end in this cycle.
  void close(std::span<KernelRun* const> ended, Cycle cycle);
  // Slots between a kernel's end and the time at which somebody noticed it.
  Cycle slots_behind(Cycle end, Cycle noticed) const;
  void stop();

  Gpu& gpu_;
  const GpuParameters& parameters_;
  const energy::CoefficientSet& coefficients_;
  Work work_;
  KernelQueue queue_;
  std::vector<std::unique_ptr<KernelRun>> runs_;  // by launch; null: not in flight
  std::vector<std::optional<LaunchResult>> results_;
  std::size_t ended_ = 0;
  Split last_;  // the batch's start, or the last kernel end
  Cycle start_;
  bool stopped_ = false;
  std::optional<Sampler> sampler_;  // of the time since the last kernel end, if asked for
};

}  // namespace raddle::machine::simt
