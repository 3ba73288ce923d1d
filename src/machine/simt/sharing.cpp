#include "machine/simt/sharing.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "base/demangle.h"
#include "base/error.h"
#include "kernel/exec/decoded.h"
#include "machine/simt/lent_warp_table.h"

namespace raddle::machine::simt {

namespace {

constexpr std::uint32_t kBanks = 2;  // that a multiprocessor's parts are cut into

bool is_wide(SharingMode mode) {
  return mode == SharingMode::kBigSm || mode == SharingMode::kBigSmOcc;
}

// Multiprocessors of a group; 1: there are none.
std::uint32_t group_of(SharingMode mode) {
  if (mode == SharingMode::kBaseline) return 1;
  return mode == SharingMode::kBal ? 3 : 2;
}

}  // namespace

std::uint32_t SharingPlan::count(CoreRole role) const {
  return static_cast<std::uint32_t>(std::ranges::count(roles, role));
}

std::uint32_t SharingPlan::banks_of(std::uint32_t borrower) const {
  return static_cast<std::uint32_t>(std::ranges::count(lent, borrower, &LentBank::borrower));
}

SharingPlan plan_sharing(SharingMode mode, std::uint32_t cores) {
  SharingPlan plan{mode, std::vector<CoreRole>(cores, CoreRole::kAlone), {}};
  const std::uint32_t group = group_of(mode);
  if (group == 1) return plan;
  for (std::uint32_t first = 0; first + group <= cores; first += group) {
    // The one in the middle of three lends a bank to each of its neighbours, the second of two both
    // to the first.
    const std::uint32_t lender = first + 1;
    for (std::uint32_t core = first; core < first + group; ++core)
      plan.roles[core] = core == lender ? CoreRole::kInactive : CoreRole::kActive;
    if (mode == SharingMode::kHalf) continue;
    plan.lent.push_back({lender, 0, first});
    plan.lent.push_back({lender, 1, group == 3 ? lender + 1 : first});
  }
  return plan;
}

bool banks_are_exclusive(const SharingPlan& plan) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> given;
  return std::ranges::all_of(plan.lent, [&](const LentBank& lent) {
    return lent.bank < kBanks && plan.roles[lent.lender] == CoreRole::kInactive &&
           plan.roles[lent.borrower] == CoreRole::kActive &&
           given.emplace(lent.lender, lent.bank).second;
  });
}

CoreParameters borrowing(const CoreParameters& core, SharingMode mode,
                         const SharingParameters& sharing) {
  CoreParameters active = core;
  if (mode == SharingMode::kBaseline || mode == SharingMode::kHalf) return active;
  const std::uint32_t banks = mode == SharingMode::kBal ? 1 : kBanks;
  active.lent.banks = banks;
  const auto share = [&](std::uint32_t whole) { return whole * banks / kBanks; };
  const bool wide = is_wide(mode);
  // Section V-A: stages that make local and remote accesses take as long. Operands of wide warps
  // go to units beside them, so dispatch has none.
  active.fetch_to_issue += sharing.decode_stages;
  // The stage before the collectors counts after them: no collector is held meanwhile. Each holds
  // an instruction on its way.
  const Cycle stages = sharing.issue_stages + (wide ? Cycle(0) : sharing.dispatch_stages);
  active.read_to_execute += stages;
  active.memory_stages += static_cast<std::uint32_t>(stages.count());
  active.shared_latency += sharing.shared_stages;
  active.l1_latency += sharing.l1_stages;
  active.blocks_straddle = sharing.blocks_straddle;

  if (wide) {
    active.warp_lanes = 2 * core.warp_lanes;
    active.threads *= 2;
  }
  const bool more_contexts = sharing.lends_contexts && mode != SharingMode::kBigSm;
  if (more_contexts) {
    active.lent.warps = share(core.warps);
    active.warps += active.lent.warps;
    active.threads += wide ? 2 * core.threads : share(core.threads);
  }
  if (more_contexts && !wide && sharing.lends_registers) {
    active.lent.registers = share(core.registers);
    active.lent.register_banks = std::max(1u, share(core.register_banks));
    active.lent.sp_collectors = std::max(1u, share(core.sp_collectors));
    active.lent.sfu_collectors = std::max(1u, share(core.sfu_collectors));
    active.memory_collectors += share(core.memory_collectors);
  }
  if (sharing.lends_shared) {
    active.lent.shared_bytes = ShortBytes(share(core.shared_bytes.count()));
    active.shared_bytes += active.lent.shared_bytes;
  }
  if (sharing.lends_l1) {
    active.lent.l1_halves = banks;
    active.lent.l1 = core.l1;
    active.lent.l1.bytes = Bytes(core.l1.bytes.count() * banks / kBanks);
    // Fermi's own is known for whole arrays alone.
    if (banks < kBanks && core.l1.index == memory::SetIndex::kFermi)
      active.lent.l1.index = memory::SetIndex::kXorHash;
    if (sharing.lends_mshrs) {
      active.lent.l1.mshrs = std::max(1u, share(core.l1.mshrs));
    } else {
      active.l1.mshrs = active.lent.l1.mshrs = std::max(1u, core.l1.mshrs / 2);
    }
  }
  return active;
}

namespace {

// Parts of an inactive multiprocessor that the active one uses, and the setting that lends them;
// none for lanes, which these modes are about.
struct UsedPart {
  CorePart part;
  bool used;
  std::string_view lent_by;
};
std::array<UsedPart, 5> used_parts(const CoreParameters& active) {
  const bool wide = active.warp_lanes > kernel::exec::kLanes;
  return {
      {{CorePart::kFrontEnd, active.lent.warps > 0, "contexts"},
       {CorePart::kRegisters, active.lent.registers > 0, "registers"},
       {CorePart::kRegisters, wide, ""},
       {CorePart::kSimd, wide, ""},
       {CorePart::kL1Shared, active.lent.shared_bytes > ShortBytes(0) || active.lent.l1_halves > 0,
        active.lent.shared_bytes > ShortBytes(0) ? "shared" : "l1"}}};
}

void check_gating(const CoreParameters& active, const SharingParameters& sharing,
                  SharingMode mode) {
  const std::string_view name = kSharingModes[static_cast<std::size_t>(mode)];
  for (const UsedPart& part : used_parts(active)) {
    const auto number = static_cast<std::size_t>(part.part);
    if (!part.used || !sharing.off[static_cast<std::size_t>(mode)][number]) continue;
    throw Error(fmt::format("'{}' is switched off in SMs that lend it", kCoreParts[number]),
                fmt::format("sharing.off.{}", name),
                part.lent_by.empty()
                    ? fmt::format("leave it out: '{}' needs it", name)
                    : fmt::format("leave it out, or --set sharing.lends.{}=false", part.lent_by));
  }
}

}  // namespace

void check_sharing(const GpuParameters& gpu, SharingMode mode, std::string_view key) {
  const std::uint32_t group = group_of(mode);
  const std::string_view name = kSharingModes[static_cast<std::size_t>(mode)];
  if (gpu.cores < group)
    throw Error(fmt::format("'{}' takes groups of {} neighbouring SMs, and {} has {}", name, group,
                            gpu.name, gpu.cores),
                std::string(key),
                fmt::format("--set device.cores={} or more, or --set sharing=baseline", group));
  if (group == 1) return;
  const CoreParameters active = borrowing(gpu.core, mode, gpu.sharing);
  const std::uint32_t of_scheduler = (active.warps + active.schedulers - 1) / active.schedulers;
  if (active.warps > kMaxSlots || of_scheduler > kMaxWarps)
    throw Error(
        fmt::format("'{}' makes {} warps on an SM, {} of a scheduler; at most {} and {} are "
                    "possible",
                    name, active.warps, of_scheduler, kMaxSlots, kMaxWarps),
        std::string(key), "make core.warps smaller");
  if (active.register_banks + active.lent.register_banks > 64)
    throw Error(fmt::format("'{}' makes {} register banks; at most 64 are possible", name,
                            active.register_banks + active.lent.register_banks),
                std::string(key), "make operands.banks smaller");
  if (active.lent.l1_halves > 0) active.lent.l1.check();
  check_gating(active, gpu.sharing, mode);
}

std::string plain_name(const std::string& demangled) {
  const std::string name = function_name(demangled);
  const std::string without_arguments = name.substr(0, name.find('<'));
  return without_arguments.substr(without_arguments.rfind(':') + 1);
}

SharingMode mode_of(const SharingParameters& sharing, const std::string& kernel) {
  if (sharing.by_kernel.empty()) return sharing.mode;
  const auto found = sharing.by_kernel.find(plain_name(kernel));
  return found == sharing.by_kernel.end() ? sharing.mode : found->second;
}

SharingArea sharing_area(const GpuParameters& gpu) {
  const SharingParameters& s = gpu.sharing;
  const auto delay = [&](double mm) { return s.wire_ns_per_mm * mm + s.wire_ns_per_mm2 * mm * mm; };
  SharingArea area;
  area.side_mm = std::sqrt(s.sm_mm2);
  area.wire_ns = delay(area.side_mm);
  area.boundary_wire_ns = delay(area.side_mm / 2);
  const double cycle_ns = 1e9 / gpu.core_clock.count();
  area.stages = Cycle(static_cast<std::uint64_t>(std::ceil(area.boundary_wire_ns / cycle_ns)));
  area.wiring_mm2 = s.wires * s.wire_pitch_um * 1e-3 * area.side_mm;
  const std::uint32_t pairs = gpu.cores / 2;
  area.wiring_percent = 100 * area.wiring_mm2 * pairs / s.chip_mm2;
  area.issue_mm2 = s.issue_unit_mm2 * s.issue_growth_percent / 100;
  area.buffers_mm2 = s.buffers_mm2;
  area.percent =
      area.wiring_percent + 100 * (area.issue_mm2 + area.buffers_mm2) * gpu.cores / s.chip_mm2;
  return area;
}

}  // namespace raddle::machine::simt
