// Allocations in sentences: which one an address belongs to, or has missed, and where in the
// program it was made.
#pragma once

#include <cstdint>
#include <string>

#include "kernel/device_memory.h"

namespace raddle::kernel {

// "the 4,096-byte allocation at 0x200000100000, made at matmul.cu:31", "the variable table of 64
// bytes at …".
std::string allocation_text(const DeviceMemory& memory, const Allocation& allocation);

// "16 bytes past the end of the 4,096-byte allocation …", "8 bytes into …", "in memory that was
// freed: …"; empty for what is not the device's.
std::string whereabouts(const DeviceMemory& memory, std::uint64_t address);

}  // namespace raddle::kernel
