// Counts what the reference machine counts, and tells the checks of every access and of what orders
// accesses. Apart from the plain observer, so that runs without checks pay nothing.
#pragma once

#include <optional>

#include "kernel/check/init_checker.h"
#include "kernel/check/race_detector.h"
#include "machine/ref/counting.h"

namespace raddle::machine::ref {

// What is looked for in a launch.
struct LaunchChecks {
  std::optional<kernel::check::RaceDetector> races;
  std::optional<kernel::check::InitChecker> init;
};

// The same for one resident block.
struct BlockChecks {
  std::optional<kernel::check::RaceDetector::Block> races;
  std::optional<kernel::check::InitChecker::Block> init;
};

class CheckingObserver : public CountingObserver {
 public:
  CheckingObserver(const CountingObserver& counting, LaunchChecks& checks, BlockChecks& block)
      : CountingObserver(counting), checks_(checks), block_(block) {}

  void access(const kernel::exec::DecodedInstruction& instruction,
              const kernel::exec::WarpState& warp) {
    CountingObserver::access(instruction, warp);
    if (checks_.races) checks_.races->access(*block_.races, instruction, warp);
    if (checks_.init) checks_.init->access(*block_.init, instruction, warp);
  }
  void fence(const kernel::exec::DecodedInstruction& instruction,
             const kernel::exec::WarpState& warp, kernel::exec::LaneMask lanes) {
    if (checks_.races) checks_.races->fence(*block_.races, instruction, warp, lanes);
  }
  void synchronise(const kernel::exec::WarpState& warp, kernel::exec::LaneMask lanes,
                   const kernel::exec::LaneMask* members) {
    if (checks_.races)
      block_.races->order.synchronise(warp.lanes.warp_index, lanes, warp.live, members);
  }

 private:
  LaunchChecks& checks_;
  BlockChecks& block_;
};

}  // namespace raddle::machine::ref
