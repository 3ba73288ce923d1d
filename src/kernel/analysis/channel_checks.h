// What makes a kernel's communication between threads wrong in every run, found without running it.
// Each fault is an Error with the user's line and a hint.
#pragma once

#include <cstdint>

#include "kernel/module.h"

namespace raddle::kernel {

// Whether the function passes values between threads.
bool uses_channels(const Function& function);

// Throws Error where
//   - a distance is 0 or reaches beyond its window,
//   - a channel is received from but never tagged, or carries another type,
//   - two calls tag the same channel on one path,
//   - threads of a block may pass a call while others do not,
//   - threads wait for each other in a cycle: a receive blocks its thread, so that a tag after it
//     waits for what it receives; distances around every circle of such waits must lead on and on
//     in one direction, until they leave the block.
void check_channels(const Module& module, const Function& function);

// Throws Error where a window does not divide a block of so many threads.
void check_windows(const Module& module, const Function& function, std::uint64_t threads);

}  // namespace raddle::kernel
