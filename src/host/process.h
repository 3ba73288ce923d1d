// The process that a session lives in: what it says to the user and to whoever waits for it, and
// how it ends.
#pragma once

#include <string_view>

#include "base/program_notice.h"

namespace raddle::host {

inline constexpr int kUsageStatus = 2;
inline constexpr int kFailureStatus = 1;

void print_error(std::string_view text);

// Tells `raddle run`, which waits for the program to end, what it cannot see from outside.
void notify(ProgramNotice notice);

// At once, without exit handlers.
[[noreturn]] void end_process(int status);

}  // namespace raddle::host
