// Who waits for whom between the channels of a kernel, and whether every wait can be served. A
// receive blocks its thread, so whatever a thread tags after it needs what it receives: thread T's
// value on one channel needs thread T+Δ's value on another. Around a circle of such needs the
// distances add up; as long as all circles lead in one direction they leave the block in the end (a
// recurrence, like a prefix sum). Where circles cancel each other out, nobody is ever served.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernel/analysis/cfg.h"
#include "kernel/analysis/loops.h"

namespace raddle::kernel {

// By block: blocks that it can be followed by within one turn of every loop.
std::vector<std::vector<bool>> forward_reach(const ControlFlowGraph& graph,
                                             const LoopForest& loops);

struct ChannelWait {
  std::uint32_t channel = 0;            // whose value at T …
  std::uint32_t needs = 0;              // … needs this channel's …
  std::array<std::int32_t, 3> delta{};  // … at T + delta
  const Instruction* receive = nullptr;
};

// Whether two instructions come from the same place in the source: a loop was unrolled or peeled,
// or a function inlined twice. Instructions of unknown places come from different ones.
bool same_place(const Module& module, const Instruction& a, const Instruction& b);

// All needs of the function within one turn, each pair of channels and distance once: of several
// instructions of one place, the n-th belongs to the n-th turn.
std::vector<ChannelWait> channel_waits(const Module& module, const Function& function,
                                       const ControlFlowGraph& graph, const LoopForest& loops);

// The receives of a circle that is never served; empty if there is none.
std::vector<const Instruction*> unserved_circle(const std::vector<ChannelWait>& waits);

// Whether some of the vectors, taken any number of times, add up to zero.
bool can_cancel(const std::vector<std::array<std::int64_t, 3>>& vectors);

}  // namespace raddle::kernel
