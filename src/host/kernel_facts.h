// What the runtime tells about a kernel: registers, shared and local memory, how many of its blocks
// fit a multiprocessor.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernel/program.h"
#include "machine/machine.h"

namespace raddle::host {

struct KernelFacts {
  std::uint32_t registers = 0;  // per thread, the most of the kernel and what it calls
  std::uint32_t static_shared_bytes = 0;
  std::uint32_t local_bytes = 0;  // per thread
  std::uint32_t max_threads = 0;  // .maxntid as a product; 0: not given
  std::uint32_t target = 0;       // 70 for sm_70
};

KernelFacts find_kernel_facts(const kernel::Program& program, kernel::FunctionRef kernel);

// The most threads a block of this kernel can have.
int max_threads_per_block(const KernelFacts& facts, const machine::DeviceDescription& device);

// Blocks that are resident on one multiprocessor together; 0 if not even one fits.
int resident_blocks(const KernelFacts& facts, const machine::DeviceDescription& device,
                    int threads_per_block, std::size_t dynamic_shared_bytes);

}  // namespace raddle::host
