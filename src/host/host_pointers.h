// Kernels that were given a pointer of the host: the mistake that everybody makes first. A fault at
// such an address is told as what it is, with the allocation that was probably meant.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "kernel/device_memory.h"
#include "machine/kernel_machine.h"

namespace raddle::host {

// Between which host and device memory the program has copied.
class HostCopies {
 public:
  void note(std::uint64_t host, std::uint64_t bytes, std::uint64_t device);
  // Where the device's copy of this byte is.
  std::optional<std::uint64_t> device_of(std::uint64_t host) const;

 private:
  struct Copy {
    std::uint64_t bytes = 0;
    std::uint64_t device = 0;
  };
  std::map<std::uint64_t, Copy> by_host_;
};

// Adds to a fault at an address of the host's memory what it is and what may have been meant;
// leaves other faults as they are.
void explain_host_pointer(machine::Fault& fault, const machine::Launch& launch,
                          const kernel::Function& kernel, const kernel::DeviceMemory& memory,
                          const HostCopies& copies);

// The name of the pointer that a line of the program gives to an allocating function,
// "cudaMalloc(&d_a, n)"; empty if the line has none, or several.
std::string allocated_name(std::string_view line);

}  // namespace raddle::host
