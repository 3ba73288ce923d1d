// What the runtime tells about a kernel without launching it: registers within its launch bounds,
// as the machine's description has it, shared and local memory.
#pragma once

#include <cstdint>

#include "kernel/program.h"
#include "machine/kernel_machine.h"

namespace raddle::host {

struct KernelFacts {
  std::uint32_t registers = 0;  // per thread, the most of the kernel and what it calls
  std::uint32_t static_shared_bytes = 0;
  std::uint32_t local_bytes = 0;  // per thread
  std::uint32_t max_threads = 0;  // .maxntid as a product; 0: not given
  std::uint32_t target = 0;       // 70 for sm_70
};

KernelFacts find_kernel_facts(const kernel::Program& program, kernel::FunctionRef kernel,
                              const machine::DeviceDescription& device);

}  // namespace raddle::host
