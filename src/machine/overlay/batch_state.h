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

// By a table: std::popcount is a call where the compiler may not assume the instruction.
constexpr unsigned thread_count(ThreadMask threads) {
  constexpr std::array<std::uint8_t, 16> kCounts = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
  return kCounts[threads & kAllThreads];
}

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

// What the depth of a thread is in its buffer: a grey texel, so that it can be looked at.
inline std::array<float, 4> depth_texel(float depth) { return {depth, depth, depth, 1}; }

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
