// Which values are the same for all threads of a warp, of a block or of the whole grid, and at
// which branches threads can part. Conservative: what is called uniform is so in every run. A value
// is compared between the threads that execute the same instruction together; a register that is
// written where threads have parted and read where they have met again is as divergent as the
// branch that parted them (sync dependence), loops that threads leave at different times included.
#pragma once

#include <vector>

#include "kernel/analysis/cfg.h"
#include "kernel/analysis/liveness.h"

namespace raddle::kernel {

// The widest group within which a value is the same. Each includes the ones before it: what is
// uniform over the grid is uniform over every block and warp.
enum class Uniformity : std::uint8_t { kGrid, kBlock, kWarp, kDivergent };
std::string_view name_of(Uniformity uniformity);  // "grid", "block", "warp", "divergent"

class UniformityAnalysis {
 public:
  UniformityAnalysis(const Function& function, const ControlFlowGraph& graph,
                     const Liveness& liveness);

  Uniformity of_register(RegisterId id) const { return registers_[id]; }
  Uniformity of_operand(const Operand& operand) const;
  // The condition on which control leaves the block; kGrid where it goes one way only.
  Uniformity of_branch(BlockId block) const { return branches_[block]; }
  // How widely threads come to this block together: kGrid if the whole grid runs it or leaves it
  // out.
  Uniformity of_block(BlockId block) const { return blocks_[block]; }

 private:
  // Where threads run apart between a branch and their meeting again.
  struct Region {
    bool known = false;
    std::vector<BlockId> blocks;  // without the meeting point
    std::vector<BlockId> joins;   // reached in more than one way
    std::vector<RegisterId>
        written;  // in the region, and live at a join; and results of phis at joins
  };

  Uniformity of_special(SpecialRegister special) const;
  Uniformity of_result(const Instruction& instruction) const;
  Uniformity of_load(const Instruction& instruction, Uniformity operands) const;
  Uniformity condition_of(const Instruction& instruction) const;
  bool raise(Uniformity& level, Uniformity at_least);
  bool propagate_through(BlockId block);
  bool spread_divergence(BlockId branch);
  const Region& region_of(BlockId branch);
  void find_written(Region& region) const;

  const Function& function_;
  const ControlFlowGraph& graph_;
  const Liveness& liveness_;
  std::vector<BlockId> meeting_points_;
  std::vector<Uniformity> registers_;
  std::vector<Uniformity> branches_;
  std::vector<Uniformity> blocks_;
  std::vector<Region> regions_;
};

}  // namespace raddle::kernel
