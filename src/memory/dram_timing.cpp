#include "memory/dram_timing.h"

#include <fmt/format.h>

#include <bit>

#include "base/error.h"

namespace raddle::memory {

namespace {

constexpr std::uint32_t kMaxBanks = 64;  // banks with work are the bits of a word

[[noreturn]] void refuse(std::string what, std::string hint) {
  throw Error(std::move(what), {}, std::move(hint));
}

}  // namespace

void check(const DramTiming& timing) {
  if (!std::has_single_bit(timing.banks) || timing.banks > kMaxBanks)
    refuse(fmt::format("a DRAM channel cannot have {} banks", timing.banks),
           fmt::format("give it a power of two up to {}", kMaxBanks));
  if (timing.bank_groups == 0 || timing.banks % timing.bank_groups != 0)
    refuse(fmt::format("{} banks cannot form {} groups", timing.banks, timing.bank_groups),
           "the number of groups divides the number of banks");
  if (!std::has_single_bit(timing.burst_bytes().count()) || timing.beats_per_cycle == 0)
    refuse(fmt::format("a DRAM burst cannot move {} beats of {} bytes, {} a cycle",
                       timing.burst_length, timing.bus_bytes, timing.beats_per_cycle),
           "their product is a power of two, and at least one beat passes in a cycle");
  const Cycle refresh_takes = timing.t_ras + timing.t_wr + timing.t_rp + timing.t_rfc +
                              timing.t_wl + timing.t_cl + timing.burst_cycles();
  if (timing.t_refi > Cycle(0) && timing.t_refi <= refresh_takes)
    refuse(fmt::format("a DRAM refresh every {} cycles leaves no time for anything else",
                       timing.t_refi.count()),
           fmt::format("tREFI is more than {} cycles here, or 0 for none", refresh_takes.count()));
}

}  // namespace raddle::memory
