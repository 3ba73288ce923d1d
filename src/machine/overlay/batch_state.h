// The architectural state of a batch: four threads in lockstep. Registers are transposed, as in the
// central register file (Section 4.2): the same channel of four threads lies together.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "machine/overlay/instruction.h"

namespace raddle::machine::overlay {

inline constexpr unsigned kBatchThreads = 4;

// One channel of one register for the threads of a batch.
using Lanes = std::array<float, kBatchThreads>;
// Bit n: thread n of the batch.
using ThreadMask = std::uint8_t;
inline constexpr ThreadMask kAllThreads = 15;

// Why a thread does not execute, and until when.
enum class ThreadStatus : std::uint8_t { kActive, kBranch, kBreak, kContinue, kUncovered };

struct LoopFrame {
  std::int32_t left = 0;      // passes, this one included
  std::int32_t outer_al = 0;  // aL of the loop around
  std::int8_t step = 0;
  bool has_al = false;
};

struct FlowState {
  std::array<ThreadStatus, kBatchThreads> status{};
  // kBranch: how many more branches end before its own; kBreak and kContinue: depth of the loop.
  std::array<std::uint8_t, kBatchThreads> counter{};
  ThreadMask active = kAllThreads;
  std::int32_t al = 0;
  std::vector<LoopFrame> loops;
  std::vector<std::uint16_t> calls;
};

struct BatchState {
  Lanes* registers = nullptr;  // [register * 4 + channel]
  unsigned register_count = 0;
  std::array<ThreadMask, 4> predicates{};
  ThreadMask alu_result = 0;
  ThreadMask killed = 0;
  std::array<Lanes, kOutputs * 4> outputs{};
  Lanes depth{};
  FlowState flow;
};

}  // namespace raddle::machine::overlay
