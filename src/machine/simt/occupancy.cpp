#include "machine/simt/occupancy.h"

#include <algorithm>
#include <array>

#include "kernel/exec/decoded.h"

namespace raddle::machine::simt {

namespace {

constexpr std::uint32_t round_up(std::uint64_t value, std::uint32_t unit) {
  return static_cast<std::uint32_t>((value + unit - 1) / unit * unit);
}

}  // namespace

BlockNeeds block_needs(std::uint64_t threads, std::uint32_t registers_per_thread,
                       std::uint32_t shared_bytes, const CoreParameters& core) {
  constexpr std::uint32_t kWarp = kernel::exec::kLanes;
  const std::uint32_t warps = round_up(threads, kWarp) / kWarp;
  // Registers are given out warp by warp, to whole warps.
  return {.threads = warps * kWarp,
          .warps = warps,
          .registers = warps * round_up(std::max(1u, registers_per_thread) * std::uint64_t{kWarp},
                                        core.register_unit),
          .shared_bytes = round_up(shared_bytes, core.shared_unit)};
}

bool CoreUse::has_room(const BlockNeeds& needs, const CoreParameters& core) const {
  return blocks < core.blocks && taken.threads + needs.threads <= core.threads &&
         taken.warps + needs.warps <= core.warps &&
         taken.registers + needs.registers <= core.registers &&
         taken.shared_bytes + needs.shared_bytes <= core.shared_bytes;
}

void CoreUse::add(const BlockNeeds& needs) {
  ++blocks;
  taken.threads += needs.threads;
  taken.warps += needs.warps;
  taken.registers += needs.registers;
  taken.shared_bytes += needs.shared_bytes;
}

void CoreUse::remove(const BlockNeeds& needs) {
  --blocks;
  taken.threads -= needs.threads;
  taken.warps -= needs.warps;
  taken.registers -= needs.registers;
  taken.shared_bytes -= needs.shared_bytes;
}

OccupancyLimit occupancy_limit(const BlockNeeds& needs, const CoreParameters& core) {
  const std::array<OccupancyLimit, 5> limits{{
      {core.blocks, "blocks"},
      {core.threads / std::max(1u, needs.threads), "threads"},
      {core.warps / std::max(1u, needs.warps), "warps"},
      {core.registers / std::max(1u, needs.registers), "registers"},
      {needs.shared_bytes == 0 ? core.blocks : core.shared_bytes / needs.shared_bytes,
       "shared memory"},
  }};
  // The first of the least, so that what a programmer can change least comes first.
  return *std::min_element(limits.begin(), limits.end(),
                           [](const auto& a, const auto& b) { return a.blocks < b.blocks; });
}

}  // namespace raddle::machine::simt
