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
                       ShortBytes shared_bytes, const CoreParameters& core) {
  constexpr std::uint32_t kLanes = kernel::exec::kLanes;
  const std::uint32_t warp = core.warp_lanes;
  const std::uint32_t warps = round_up(threads, warp) / warp;
  // Registers are given out warp by warp, to whole warps. Those of a wide warp lie at the same
  // place of two register files, 32 lanes in each.
  return {.threads = warps * warp,
          .warps = warps,
          .registers = warps * round_up(std::max(1u, registers_per_thread) * std::uint64_t{kLanes},
                                        core.register_unit),
          .shared_bytes = ShortBytes(round_up(shared_bytes.count(), core.shared_unit.count()))};
}

std::optional<std::uint32_t> CoreUse::lent_warps(const BlockNeeds& needs,
                                                 const CoreParameters& core) const {
  const bool own_registers = core.lent.register_banks > 0;
  if (!own_registers) {
    const bool room = taken_.warps + needs.warps <= core.warps &&
                      taken_.registers + needs.registers <= core.registers;
    return room ? std::optional(0u) : std::nullopt;
  }
  const std::uint32_t each = needs.registers / std::max(1u, needs.warps);
  const auto room = [&](std::uint32_t warps, std::uint32_t registers) {
    return std::min({needs.warps, warps, registers / std::max(1u, each)});
  };
  const std::uint32_t local =
      room(core.local_warps() - taken_.warps, core.registers - taken_.registers);
  const std::uint32_t lent =
      room(core.lent.warps - lent_warps_, core.lent.registers - lent_registers_);
  if (local == needs.warps) return 0;
  if (!core.blocks_straddle) return lent == needs.warps ? std::optional(needs.warps) : std::nullopt;
  return local + lent >= needs.warps ? std::optional(needs.warps - local) : std::nullopt;
}

std::optional<ShortBytes> CoreUse::shared_gap(const BlockNeeds& needs,
                                              const CoreParameters& core) const {
  ShortBytes base;
  if (core.lent.shared_bytes == ShortBytes(0)) {
    if (taken_.shared_bytes + needs.shared_bytes > core.shared_bytes) return std::nullopt;
    return base;
  }
  for (const BlockPlace& place : places_) {
    if (place.shared_base - base >= needs.shared_bytes) break;
    base = place.shared_base + place.needs.shared_bytes;
  }
  if (base + needs.shared_bytes > core.shared_bytes) return std::nullopt;
  return base;
}

bool CoreUse::has_room(const BlockNeeds& needs, const CoreParameters& core) const {
  return blocks_ < core.blocks && taken_.threads + needs.threads <= core.threads &&
         lent_warps(needs, core).has_value() && shared_gap(needs, core).has_value();
}

BlockPlace CoreUse::add(const BlockNeeds& needs, const CoreParameters& core) {
  const BlockPlace place{needs, *lent_warps(needs, core), *shared_gap(needs, core)};
  const std::uint32_t each = needs.registers / std::max(1u, needs.warps);
  ++blocks_;
  taken_.threads += needs.threads;
  taken_.warps += place.local_warps();
  taken_.registers += place.local_warps() * each;
  taken_.shared_bytes += needs.shared_bytes;
  lent_warps_ += place.lent_warps;
  lent_registers_ += place.lent_warps * each;
  if (core.lent.shared_bytes > ShortBytes(0)) {
    const auto next = std::ranges::find_if(
        places_, [&](const BlockPlace& other) { return other.shared_base > place.shared_base; });
    places_.insert(next, place);
  }
  return place;
}

void CoreUse::remove(const BlockPlace& place) {
  const std::uint32_t each = place.needs.registers / std::max(1u, place.needs.warps);
  --blocks_;
  taken_.threads -= place.needs.threads;
  taken_.warps -= place.local_warps();
  taken_.registers -= place.local_warps() * each;
  taken_.shared_bytes -= place.needs.shared_bytes;
  lent_warps_ -= place.lent_warps;
  lent_registers_ -= place.lent_warps * each;
  const auto here = std::ranges::find_if(places_, [&](const BlockPlace& other) {
    return other.shared_base == place.shared_base &&
           other.needs.shared_bytes == place.needs.shared_bytes;
  });
  if (here != places_.end()) places_.erase(here);
}

namespace {

// Blocks for which there are warps with registers: as many as fit one after the other.
std::uint32_t blocks_with_warps(const BlockNeeds& needs, CoreParameters core) {
  CoreUse use;
  core.threads = ~0u;
  BlockNeeds warps_alone = needs;
  warps_alone.threads = 0;
  warps_alone.shared_bytes = ShortBytes(0);
  std::uint32_t blocks = 0;
  for (; blocks < core.blocks && use.has_room(warps_alone, core); ++blocks)
    use.add(warps_alone, core);
  return blocks;
}

}  // namespace

OccupancyLimit occupancy_limit(const BlockNeeds& needs, const CoreParameters& core) {
  CoreParameters many_registers = core;
  many_registers.registers = many_registers.lent.registers = 1u << 31;
  const std::array<OccupancyLimit, 5> limits{{
      {core.blocks, "blocks"},
      {core.threads / std::max(1u, needs.threads), "threads"},
      {blocks_with_warps(needs, many_registers), "warps"},
      {blocks_with_warps(needs, core), "registers"},
      {needs.shared_bytes == ShortBytes(0) ? core.blocks : core.shared_bytes / needs.shared_bytes,
       "shared memory"},
  }};
  // The first of the least, so that what a programmer can change least comes first.
  return *std::min_element(limits.begin(), limits.end(),
                           [](const auto& a, const auto& b) { return a.blocks < b.blocks; });
}

Occupancy occupancy_of(const BlockNeeds& needs, const CoreParameters& core) {
  const OccupancyLimit limit = occupancy_limit(needs, core);
  return {.warps_limit = limit.blocks * needs.warps,
          .blocks_per_core = limit.blocks,
          .limited_by = std::string(limit.reason)};
}

}  // namespace raddle::machine::simt
