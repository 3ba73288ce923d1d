// What a program computes for one thread on its own: instruction after instruction by the words'
// fields, with jumps where the thread itself wants to go. Written apart from the machine and its
// evaluator, without lanes, batches, branch counters or parked threads, so that it shows what
// threads that disagree within a batch must come to all the same. MDH, MDV and WRITE_INACTIVE,
// which look at other threads, are not for it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "machine/overlay/configuration.h"

namespace raddle::machine::overlay {

struct LoneResult {
  std::array<Float4, kOutputs> outputs{};
  float depth = 0;
  bool is_killed = false;
};

// Throws std::runtime_error where the program does not end or leaves its stacks.
LoneResult run_alone(const Configuration& configuration, const std::vector<Float4>& memory,
                     std::uint32_t x, std::uint32_t y, bool flush_denormals);

}  // namespace raddle::machine::overlay
