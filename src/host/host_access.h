// The program's own accesses to memory that only the device may touch, or that a kernel may still
// be writing: the processor refuses them, and a signal handler finds out which they are.
#pragma once

#include <cstdint>

#include "host/call_sites.h"

namespace raddle::host {

struct HostAccess {
  std::uint64_t address = 0;
  bool writes = false;
  CallStack stack;
};

// From now on an access to the simulated device's addresses wakes up whoever `write_to` does with
// the number of the signal, and the thread that made it waits for the end of the program. All other
// faults are as they were. Does nothing where the program handles SIGSEGV itself.
void watch_host_accesses(int write_to);
// The access that was made.
const HostAccess& refused_host_access();

}  // namespace raddle::host
