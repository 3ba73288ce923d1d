// Executes the instructions of one warp in program order, with divergence, calls and barriers.
#pragma once

#include <cstdint>

#include "machine/ref/execution.h"
#include "machine/ref/thread_block.h"

namespace raddle::machine::ref {

enum class Progress : std::uint8_t { kRunning, kBlocked, kFinished };

// Runs the warp for at most about `budget` warp instructions (it stops between basic blocks), less
// if all its lanes wait.
Progress run_warp(Execution& execution, ThreadBlock& block, WarpState& warp, std::int64_t& budget);

}  // namespace raddle::machine::ref
