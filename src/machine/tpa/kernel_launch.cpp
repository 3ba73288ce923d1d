// Launches of kernels: lowered for their grid, with device memory copied in and out.
#include <cstring>

#include "base/error.h"
#include "kernel/exec/grid_state.h"
#include "machine/grid_result.h"
#include "machine/launch_check.h"
#include "machine/tpa/kernel_lowering.h"
#include "machine/tpa/tpa_machine.h"

namespace raddle::machine::tpa {

namespace {

constexpr std::uint64_t kGranule = 4;

template <class Use>
void for_each_allocation(const kernel::DeviceMemory& device, Use&& use) {
  std::uint64_t below = kernel::kGlobalBase + device.capacity();
  while (const kernel::Allocation* allocation = device.nearest_below(below - 1)) {
    use(*allocation);
    below = allocation->address;
    if (below <= kernel::kGlobalBase) return;
  }
}

Word address_of(const kernel::Allocation& allocation, const KernelMemory& memory) {
  return memory.global + (allocation.address - kernel::kGlobalBase) * (kWordBytes / kGranule);
}

void copy_in(const kernel::DeviceMemory& device, LoweredKernel& lowered) {
  for_each_allocation(device, [&](const kernel::Allocation& allocation) {
    Symbol symbol;
    symbol.name = "at " + std::to_string(allocation.address);
    symbol.address = address_of(allocation, lowered.memory);
    symbol.words = (allocation.bytes + kGranule - 1) / kGranule;
    symbol.initial.resize(symbol.words);
    for (std::uint64_t i = 0; i < symbol.words; ++i) {
      std::uint32_t word = 0;
      std::memcpy(&word, device.view(allocation.address) + i * kGranule,
                  std::min(kGranule, allocation.bytes - i * kGranule));
      symbol.initial[i] = word;
    }
    lowered.program.symbols.push_back(std::move(symbol));
  });
}

void copy_out(kernel::DeviceMemory& device, const KernelMemory& memory, Processor& processor) {
  for_each_allocation(device, [&](const kernel::Allocation& allocation) {
    const Word address = address_of(allocation, memory);
    for (std::uint64_t at = 0; at < allocation.bytes; at += kGranule) {
      const auto word =
          static_cast<std::uint32_t>(processor.shared().at(address + at * (kWordBytes / kGranule)));
      std::memcpy(device.view(allocation.address) + at, &word,
                  std::min(kGranule, allocation.bytes - at));
    }
  });
}

}  // namespace

void TpaMachine::check(kernel::Program& program, const Launch& launch) {
  program.link();
  lower_kernel(program, launch, parameters_);
}

LaunchResult TpaMachine::launch(kernel::Program& program, const kernel::TextureTable& textures,
                                const Launch& launch, const LaunchOptions& options) {
  program.link();
  const auto decoded = kernel::exec::decode(program, launch.kernel);
  check_launch(*decoded, launch, device_, traits(table()));
  const kernel::exec::GridState state(program, textures, *decoded, launch, {});
  LaunchResult shape = start_launch_result(state);
  LoweredKernel lowered = lower_kernel(program, launch, parameters_);
  copy_in(program.memory(), lowered);
  TpaRun done = run(lowered.program, options);
  copy_out(program.memory(), lowered.memory, *done.memory.processor);
  LaunchResult result = std::move(done.result);
  result.kernel = shape.kernel;
  result.kernel_launch = std::move(shape.kernel_launch);
  for (Fault& fault : result.faults) fault.kernel = result.kernel;
  return result;
}

}  // namespace raddle::machine::tpa
