// Flow control for a batch whose threads may disagree. Threads that do not take part in what the
// others do are parked, with a counter of the branches that have to end first; BREAK and CONTINUE
// park threads until the loop or its pass is over. The r5xx documentation fixes what JUMP does;
// where it is silent about loops, what keeps every thread's own path is done:
// a break or continue jumps only when no thread of the loop is left behind it.
#pragma once

#include <cstdint>
#include <span>

#include "machine/overlay/batch_state.h"
#include "machine/overlay/shader.h"

namespace raddle::machine::overlay {

struct FlowLimits {
  unsigned calls = 8;
  unsigned loops = 8;
};

enum class FlowFault : std::uint8_t {
  kNone,
  kCallStackFull,
  kCallStackEmpty,
  kLoopStackFull,
  kLoopStackEmpty
};

struct FlowOutcome {
  std::uint16_t next = 0;
  bool divergent = false;  // active threads disagreed
  FlowFault fault = FlowFault::kNone;
};

// All threads of the mask active, the others uncovered.
void start_threads(FlowState& flow, ThreadMask covered);

// Executes the word at `address`.
FlowOutcome execute_flow(const Instruction& word, std::uint16_t address, BatchState& batch,
                         std::span<const LoopConstant, kIntegerConstants> loops,
                         std::uint32_t booleans, const FlowLimits& limits);

}  // namespace raddle::machine::overlay
