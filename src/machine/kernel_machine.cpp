#include "machine/kernel_machine.h"

#include <utility>

#include "machine/block_occupancy.h"

namespace raddle::machine {

std::vector<std::optional<LaunchResult>> KernelMachine::launch_together(
    kernel::Program& program, const kernel::TextureTable& textures,
    std::span<const QueuedLaunch> launches, const LaunchOptions& options) {
  std::vector<std::optional<LaunchResult>> results(launches.size());
  std::uint64_t start = 0;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    LaunchResult result = launch(program, textures, launches[i].launch, options);
    result.start_cycle = start;
    start += result.cycles;
    const bool complete = result.complete;
    results[i] = std::move(result);
    if (!complete) break;
  }
  return results;
}

Occupancy KernelMachine::occupancy(kernel::Program& program, const Launch& launch) {
  program.link();
  const auto kernel = kernel::exec::decode(program, launch.kernel);
  return block_occupancy(*kernel, registers_per_thread(*kernel, description()), launch,
                         description());
}

}  // namespace raddle::machine
