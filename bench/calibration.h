// The three kernels of bench/calibration_kernels.cu, compiled as any program is, with the launches
// and the counts of GPGPU-Sim 4.2 (GTX 480 configuration) that they are measured against.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string>

#include "bench/compiled_kernels.h"
#include "machine/kernel_machine.h"

namespace raddle::bench {

// A kernel of the table: three float arrays and a size.
struct Calibration {
  const char* name;
  int size;                           // vecadd: elements; else the side of a square
  std::uint64_t thread_instructions;  // on GPGPU-Sim 4.2
  std::uint64_t cycles;
};
inline constexpr Calibration kVecadd{"vecadd", 1 << 20, 22'020'096, 85'737};
inline constexpr Calibration kMatmul{"matmul", 256, 68'681'728, 137'919};
inline constexpr Calibration kHotspot{"hotspot", 512, 16'252'928, 41'355};

// Compiled once.
inline const std::string& kernels_ptx() {
  static const std::string text = compiled("bench/calibration_kernels.cu");
  return text;
}

struct PreparedLaunch {
  machine::Launch launch;
  std::array<std::uint64_t, 3> arrays{};
  std::uint64_t array_bytes = 0;
};

// Allocates and fills the arrays.
inline PreparedLaunch prepare(const kernel::Program& program, const Calibration& which,
                              kernel::DeviceMemory& memory) {
  const bool linear = std::strcmp(which.name, "vecadd") == 0;
  const auto side = static_cast<std::uint32_t>(which.size);
  const std::uint64_t elements = linear ? side : std::uint64_t{side} * side;
  PreparedLaunch prepared;
  prepared.array_bytes = elements * sizeof(float);
  machine::Launch& launch = prepared.launch;
  const kernel::Module& module = program.module(0);
  for (std::uint32_t f = 0; f < module.functions.size(); ++f) {
    if (module.functions[f].name.find(which.name) != std::string::npos) launch.kernel = {0, f};
  }
  launch.parameters.resize(28);
  for (std::uint64_t array = 0; array < 3; ++array) {
    const std::uint64_t address = *memory.allocate(prepared.array_bytes);
    auto* values = reinterpret_cast<float*>(memory.view(address));
    for (std::uint64_t i = 0; i < elements; ++i)
      values[i] = static_cast<float>(i * (7 + array) % 13) - 6.0f;
    std::memcpy(launch.parameters.data() + 8 * array, &address, sizeof(address));
    prepared.arrays[array] = address;
  }
  std::memcpy(launch.parameters.data() + 24, &which.size, sizeof(which.size));
  launch.grid = linear ? machine::Dim3{side / 256, 1, 1} : machine::Dim3{side / 16, side / 16, 1};
  launch.block = linear ? machine::Dim3{256, 1, 1} : machine::Dim3{16, 16, 1};
  return prepared;
}

}  // namespace raddle::bench
