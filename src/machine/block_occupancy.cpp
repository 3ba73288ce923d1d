#include "machine/block_occupancy.h"

#include <algorithm>
#include <array>

namespace raddle::machine {

namespace {

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

struct Limit {
  std::uint64_t blocks = 0;
  const char* reason = "";
};

}  // namespace

kernel::RegisterLimits register_limits(const kernel::Function& kernel,
                                       const DeviceDescription& device) {
  const auto size = [](auto value) { return static_cast<std::uint64_t>(value); };
  return kernel::launch_bounds_limits(
      kernel, {.registers = std::min(size(device.registers_per_block),
                                     size(device.registers_per_multiprocessor)),
               .unit = size(device.register_unit),
               .warp_size = size(device.warp_size)});
}

std::uint32_t registers_per_thread(const kernel::exec::DecodedKernel& kernel,
                                   const DeviceDescription& device) {
  const kernel::RegisterLimits limits = register_limits(*kernel.entry().ir, device);
  std::uint32_t most = 0;
  for (const auto& function : kernel.functions)
    most = std::max(most, kernel::allocate_registers(*function->ir, limits).registers_per_thread);
  return most;
}

Occupancy block_occupancy(const kernel::exec::DecodedKernel& kernel, std::uint32_t registers,
                          const Launch& launch, const DeviceDescription& device) {
  const auto size = [](auto value) { return static_cast<std::uint64_t>(value); };
  const std::uint64_t warp = size(device.warp_size);
  const std::uint64_t warps = round_up(launch.block.count(), warp) / warp;
  // Registers are given out warp by warp, shared memory block by block, both in units.
  const std::uint64_t block_registers =
      warps * round_up(std::max(1u, registers) * warp, size(device.register_unit));
  const std::uint64_t shared = round_up(
      size(kernel.static_shared_bytes) + launch.dynamic_shared_bytes, size(device.shared_unit));
  const std::uint64_t most = size(device.max_blocks_per_multiprocessor);
  const bool fits_block = block_registers <= size(device.registers_per_block);
  const std::array limits{
      Limit{most, "blocks"},
      Limit{size(device.max_threads_per_multiprocessor) / (warps * warp), "threads"},
      Limit{fits_block ? size(device.registers_per_multiprocessor) / block_registers : 0,
            "registers"},
      Limit{shared == 0 ? most : size(device.shared_bytes_per_multiprocessor) / shared,
            "shared memory"}};
  const Limit& least =
      *std::min_element(limits.begin(), limits.end(),
                        [](const auto& a, const auto& b) { return a.blocks < b.blocks; });
  const auto blocks = static_cast<std::uint32_t>(least.blocks);
  return {.warps_limit = blocks * static_cast<std::uint32_t>(warps),
          .blocks_per_core = blocks,
          .limited_by = least.reason};
}

}  // namespace raddle::machine
