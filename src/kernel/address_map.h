// Where each address space lies within the generic 64-bit address space of the simulated device.
// Global and constant memory share one arena; shared, local and parameter memory are windows, so
// that a generic pointer says by its value what it points to. The numbers are the same in every
// run, which keeps cache behaviour repeatable.
#pragma once

#include <cstdint>

namespace raddle::kernel {

// Above AddressSanitizer's shadow memory and below the host's libraries, because managed memory
// must have the same address on the host.
inline constexpr std::uint64_t kGlobalBase = 0x2000'0000'0000;
inline constexpr std::uint64_t kSharedWindow = 0x1000'0000'0000;
inline constexpr std::uint64_t kLocalWindow = 0x1100'0000'0000;
inline constexpr std::uint64_t kParamWindow = 0x1200'0000'0000;
inline constexpr std::uint64_t kCodeBase =
    0x1300'0000'0000;  // function pointers: kCodeBase + 16 * index
inline constexpr std::uint64_t kTextureBase =
    0x1400'0000'0000;  // texture and surface objects: kTextureBase + index
inline constexpr std::uint64_t kWindowBytes = 0x0010'0000'0000;

constexpr bool in_window(std::uint64_t address, std::uint64_t window) {
  return address - window < kWindowBytes;
}

}  // namespace raddle::kernel
