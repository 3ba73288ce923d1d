// Ends a launch whose threads poll memory that nobody changes, as the SIMT machines do: mostly they
// wait for blocks that find no room.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/units.h"
#include "machine/cgra/fabric/core_work.h"

namespace raddle::machine::cgra {

class PollingWatch {
 public:
  PollingWatch(kernel::exec::GridState& grid, PieceExecutor& executor,
               const std::vector<std::unique_ptr<CoreWork>>& cores, Cycle start);

  // `started`: blocks so far. Throws LaunchStopped.
  void look(Cycle cycle, std::uint64_t started);

 private:
  [[noreturn]] void give_up(std::uint64_t started, std::uint64_t ended);

  kernel::exec::GridState& grid_;
  PieceExecutor& executor_;
  const std::vector<std::unique_ptr<CoreWork>>& cores_;
  Cycle next_;
  std::uint32_t quiet_ = 0;  // looks that found nothing but polling
  std::uint64_t started_ = 0, ended_ = 0;
};

}  // namespace raddle::machine::cgra
