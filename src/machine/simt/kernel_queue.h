// Which of several launches may begin: one whose stream has nothing before it that has not ended,
// as long as no more are in flight than the GPU can hold. The earlier one goes first.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "machine/machine.h"

namespace raddle::machine::simt {

class KernelQueue {
 public:
  KernelQueue(std::span<const QueuedLaunch> launches, std::uint32_t most_in_flight);

  // The next launch to begin, by its number, which is in flight from now on; nothing if none may.
  std::optional<std::uint32_t> begin_next();
  void end(std::uint32_t launch);
  std::uint32_t in_flight() const { return in_flight_; }

 private:
  std::span<const QueuedLaunch> launches_;
  std::uint32_t most_in_flight_;
  std::uint32_t in_flight_ = 0;
  std::vector<std::uint32_t> waiting_;       // numbers, in order
  std::vector<std::uint32_t> busy_streams_;  // of those in flight
};

}  // namespace raddle::machine::simt
