#include "machine/machine.h"

#include <utility>

namespace raddle::machine {

std::vector<std::optional<LaunchResult>> Machine::launch_together(
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

}  // namespace raddle::machine
