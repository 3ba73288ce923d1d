// Which of several launches may begin: one whose stream has nothing before it that has not ended
// and that comes after none that has not, as long as no more are in flight than the GPU can hold.
// The earlier one goes first.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "machine/kernel_machine.h"

namespace raddle::machine::simt {

class KernelQueue {
 public:
  KernelQueue(std::span<const QueuedLaunch> launches, std::uint32_t most_in_flight);

  // The launch that may begin next, by its number; nothing if none may.
  std::optional<std::uint32_t> next() const;
  // It is in flight from now on.
  void begin(std::uint32_t launch);
  void end(std::uint32_t launch);
  std::uint32_t in_flight() const { return in_flight_; }

 private:
  enum class State : std::uint8_t { kWaiting, kInFlight, kEnded };

  std::span<const QueuedLaunch> launches_;
  std::uint32_t most_in_flight_;
  std::uint32_t in_flight_ = 0;
  std::vector<State> states_;  // by number
  std::uint32_t first_ = 0;    // all before it have ended
};

}  // namespace raddle::machine::simt
