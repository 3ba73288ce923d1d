// Lanes that wait for each other at .sync operations (votes, shuffles, matches, reductions,
// bar.warp.sync): PTX has each wait until all lanes of its member mask that have not ended have
// come.
#pragma once

#include "kernel/exec/thread_block.h"
#include "kernel/exec/warp_calls.h"

namespace raddle::kernel::exec {

class WarpSync : protected WarpCalls {
 protected:
  WarpSync(GridState& grid, ThreadBlock& block, WarpState& warp)
      : WarpCalls(grid, warp), block_(block) {}

  // At a .sync operation: takes in lanes that stand here, too, and leaves behind those whose mask
  // has live lanes elsewhere. False: none is left to go on.
  bool gather(const DecodedInstruction& d);
  // Lanes go on whose others have ended meanwhile. Those that went through another __syncwarp of
  // the same mask have come, too; after another vote or shuffle they only count where the lanes
  // that run spin, maybe for these: as a rule they come here as well, and their values are wanted.
  void release_gathered(bool spins);
  // Nothing of the warp can run. Lanes that only wait for lanes of the warp that stand at another
  // .sync or at a barrier of all threads would wait for ever: the first of them goes on with the
  // lanes that it has. False: all may be set free by other warps.
  bool release_first_stuck();

  ThreadBlock& block_;

 private:
  // Calls `visit` with each activation and split that waits at a .sync operation.
  template <class Visit>
  void for_each_waiting_for_lanes(Visit visit);
  void let_go(Split& split);
  void wait_for_lanes(LaneMask members, LaneMask lane);
  void report_missing(const Activation& activation, const Split& split, LaneMask missing);
};

}  // namespace raddle::kernel::exec
