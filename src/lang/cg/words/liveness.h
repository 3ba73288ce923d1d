// Which numbers are still needed after each step of a program with jumps.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bit_set.h"

namespace raddle::cg {

struct FlowStep {
  std::vector<std::uint32_t> uses;
  std::vector<std::uint32_t> defines;
  bool defines_always = true;  // else what was there may stay
  std::vector<std::uint32_t> next;
};

// What is live after each step.
std::vector<BitSet> live_out(const std::vector<FlowStep>& steps, std::size_t numbers);

}  // namespace raddle::cg
