#include "kernel/allocation_text.h"

#include <fmt/format.h>

#include "base/number_format.h"

namespace raddle::kernel {
namespace {

std::string at_line(const DeviceMemory& memory, const char* what, std::uint32_t site) {
  const std::string line = memory.site_text(site);
  return line.empty() ? std::string() : fmt::format("{} at {}", what, line);
}

std::string bytes_text(std::uint64_t bytes) {
  return fmt::format("{} byte{}", with_thousands(bytes), bytes == 1 ? "" : "s");
}

}  // namespace

std::string allocation_text(const DeviceMemory& memory, const Allocation& allocation) {
  if (!allocation.name.empty()) {
    return fmt::format("the variable {} of {} at {:#x}", allocation.name,
                       bytes_text(allocation.bytes), allocation.address);
  }
  return fmt::format("the {}-byte allocation at {:#x}{}{}", with_thousands(allocation.bytes),
                     allocation.address, at_line(memory, ", made", allocation.made_at),
                     at_line(memory, ", freed", allocation.freed_at));
}

std::string whereabouts(const DeviceMemory& memory, std::uint64_t address) {
  if (!memory.in_arena(address, 1)) return {};
  if (const Allocation* holder = memory.find(address); holder != nullptr) {
    return fmt::format("{} into {}", bytes_text(address - holder->address),
                       allocation_text(memory, *holder));
  }
  if (const Allocation* freed = memory.find_released(address); freed != nullptr)
    return fmt::format("in memory that was freed: {}", allocation_text(memory, *freed));
  const Allocation* below = memory.nearest_below(address);
  if (below == nullptr) return {};
  return fmt::format("{} past the end of {}", bytes_text(address - below->address - below->bytes),
                     allocation_text(memory, *below));
}

}  // namespace raddle::kernel
