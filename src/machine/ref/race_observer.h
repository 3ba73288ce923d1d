// Counts what the reference machine counts, and tells the race detector of every access and of what
// orders accesses. Apart from the plain observer, so that runs without checks pay nothing.
#pragma once

#include "kernel/check/race_detector.h"
#include "machine/ref/counting.h"

namespace raddle::machine::ref {

class RaceObserver : public CountingObserver {
 public:
  RaceObserver(const CountingObserver& counting, kernel::check::RaceDetector& detector,
               kernel::check::RaceDetector::Block& block)
      : CountingObserver(counting), detector_(detector), block_(block) {}

  void access(const kernel::exec::DecodedInstruction& instruction,
              const kernel::exec::WarpState& warp) {
    CountingObserver::access(instruction, warp);
    detector_.access(block_, instruction, warp);
  }
  void fence(const kernel::exec::DecodedInstruction& instruction,
             const kernel::exec::WarpState& warp, kernel::exec::LaneMask lanes) {
    detector_.fence(block_, instruction, warp, lanes);
  }
  void synchronise(const kernel::exec::WarpState& warp, kernel::exec::LaneMask lanes,
                   const kernel::exec::LaneMask* members) {
    block_.order.synchronise(warp.lanes.warp_index, lanes, warp.live, members);
  }

 private:
  kernel::check::RaceDetector& detector_;
  kernel::check::RaceDetector::Block& block_;
};

}  // namespace raddle::machine::ref
