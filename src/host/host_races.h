// Checked mode: managed memory that a kernel may still be writing and pinned memory that a copy may
// still be at work on, when the host touches it. Simulated work is done when it is asked for; what
// it changed is closed to the host until the program synchronises, and a touch before that is a
// race. Whole pages are closed, single bytes are judged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "host/host_access.h"
#include "kernel/device_memory.h"

namespace raddle::host {

class HostRaces {
 public:
  struct Found {
    HostAccess access;
    std::uint32_t site = 0;  // CallSites: of the launch or the copy
    bool by_kernel = false;
  };

  // Around kernels that the program launched from `site`.
  void before_kernels(const kernel::DeviceMemory& memory);
  void after_kernels(std::uint32_t site);
  // After an asynchronous copy into or out of pinned memory.
  void after_copy(std::uint64_t address, std::uint64_t bytes, bool into, std::uint32_t site);
  // The program waited for the device, or is about to end.
  void synchronised();
  // Those since the last time.
  std::vector<Found> take();

 private:
  // What the host could see before the kernels ran.
  struct Picture {
    std::uint64_t address = 0;
    const std::byte* now = nullptr;
    std::vector<std::byte> before;
  };
  std::vector<Picture> pictures_;  // since the program synchronised
  std::size_t latest_ = 0;         // the first one of the kernels that run now
  std::uint64_t pictured_ = 0;     // bytes
};

// For the signal handler: whether the access is such a race, or none at all; either way the program
// goes on.
bool note_host_race(const HostAccess& access);

}  // namespace raddle::host
