// One kernel while it is in flight on a GPU: what it needs, which block comes next, what it looks
// like on each multiprocessor.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "machine/kernel_machine.h"
#include "machine/simt/multiprocessor.h"
#include "machine/simt/occupancy.h"
#include "machine/simt/resident_block.h"

namespace raddle::machine::simt {

// A kernel made ready for a GPU; kept for its next launch.
struct PreparedKernel {
  std::unique_ptr<kernel::exec::DecodedKernel> decoded;
  std::unique_ptr<IssueTable> table;
  Address code_address;
};
BlockNeeds block_needs(const PreparedKernel& kernel, const Launch& launch,
                       const CoreParameters& core);

class KernelRun {
 public:
  KernelRun(kernel::Program& program, const kernel::TextureTable& textures,
            const PreparedKernel& prepared, const Launch& launch, const LaunchOptions& options,
            const GpuParameters& gpu, std::uint32_t number);

  std::uint32_t number() const { return number_; }
  bool has_blocks_left() const { return next_block_ < blocks_; }
  bool finished() const { return done_ == blocks_; }
  // Of a block, on a multiprocessor with warps so wide.
  const BlockNeeds& needs(std::uint32_t warp_lanes = kernel::exec::kLanes) const {
    return warp_lanes == kernel::exec::kLanes ? needs_ : wide_needs_;
  }
  std::uint64_t blocks() const { return blocks_; }
  std::uint64_t blocks_done() const { return done_; }
  std::uint64_t next_block() const { return next_block_; }
  const Launch& launch() const { return launch_; }
  SplitChoice split() const { return split_; }
  const PreparedKernel& prepared() const { return prepared_; }
  // The cycle in which it was launched, and the one from which on its blocks may begin.
  Cycle begun() const { return begun_; }
  Cycle start() const { return start_; }
  // The cycle after its last one.
  Cycle end() const { return end_; }

  void start_at(Cycle cycle, Cycle launch_cycles, SplitChoice split) {
    begun_ = cycle;
    start_ = end_ = cycle + launch_cycles;
    split_ = split;
  }
  // The next block, on this multiprocessor, which has room for it.
  void begin_block(Multiprocessor& core, Cycle cycle);
  void block_finished(Cycle cycle);

  // On the multiprocessors that it has been on, in their order; the others are null.
  const std::vector<std::unique_ptr<KernelOnCore>>& on_cores() const { return on_cores_; }
  // A place to put faults and to describe the kernel that is always there.
  kernel::exec::GridState& grid() { return on(0).grid; }

 private:
  KernelOnCore& on(std::uint32_t core);

  kernel::Program& program_;
  const kernel::TextureTable& textures_;
  const PreparedKernel& prepared_;
  const Launch& launch_;
  const LaunchOptions& options_;
  const GpuParameters& gpu_;
  std::uint32_t number_;
  BlockNeeds needs_, wide_needs_;
  std::uint64_t blocks_;
  std::uint64_t next_block_ = 0;
  std::uint64_t done_ = 0;
  Cycle begun_;
  Cycle start_;
  Cycle end_;
  SplitChoice split_ = SplitChoice::kTable;
  std::uint64_t heap_used_ = 0;  // by device-side malloc, on all multiprocessors
  std::vector<std::unique_ptr<KernelOnCore>> on_cores_;
};

}  // namespace raddle::machine::simt
