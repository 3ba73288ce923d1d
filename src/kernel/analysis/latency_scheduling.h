// The order in which a compiler for GPUs puts the instructions of a block: loads as early as their
// addresses allow, their uses as late as the rest of the work does, so that one wait covers many of
// them. The kernel IR is executed as it stands; this order says how many values would be live at
// once in what a card executes, and so how many registers a thread is given.
#pragma once

#include "kernel/module.h"

namespace raddle::kernel {

// Cycles that the scheduler believes results to take; what counts is that memory takes longest.
struct SchedulingLatencies {
  std::uint32_t arithmetic = 6;
  std::uint32_t shared = 24;
  std::uint32_t memory = 200;
};

// The same function with the instructions of each block in that order: list scheduling by the
// length of the path of latencies to the end of the block. Every result is the same: an instruction
// stays behind those whose results it reads or overwrites, accesses to memory that may be the same
// keep their order, and nothing passes a barrier, a call or an atomic.
Function schedule_for_latency(const Function& function, const SchedulingLatencies& latencies = {});

}  // namespace raddle::kernel
