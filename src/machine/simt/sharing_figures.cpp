#include "machine/simt/sharing_figures.h"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace raddle::machine::simt {

void add_choice(const SharingChoice& choice, LaunchResult& result) {
  if (choice.reason.empty()) return;
  result.kernel_launch->sharing = {
      std::string(kSharingModes[static_cast<std::size_t>(choice.mode)]), choice.reason};
}

void add_sharing_figures(const GpuCounts& counts, const Gpu& gpu, const GpuParameters& parameters,
                         LaunchResult& result) {
  const SharingPlan& plan = gpu.sharing();
  if (plan.mode == SharingMode::kBaseline) return;
  const CoreParameters& core = gpu.active_core();
  const auto add = [&](std::string part, std::string name, std::string unit, std::string sentence,
                       double value) {
    result.stats.push_back(
        {std::move(part), std::move(name), std::move(unit), std::move(sentence), value});
  };
  const auto sharing = [&](std::string name, std::string unit, std::string sentence, auto value) {
    add("sharing", std::move(name), std::move(unit), std::move(sentence),
        static_cast<double>(value));
  };
  sharing("configuration", "1",
          fmt::format("configuration bits of the launch: {}",
                      kSharingModes[static_cast<std::size_t>(plan.mode)]),
          static_cast<int>(plan.mode));
  const auto cycles_of = [&](CoreRole role) { return result.added_cycles() * plan.count(role); };
  sharing("active", "SM cycles", "SMs that use parts of a neighbour, for their time",
          cycles_of(CoreRole::kActive));
  sharing("alone", "SM cycles", "SMs without a partner, as in the baseline",
          cycles_of(CoreRole::kAlone));
  sharing("inactive", "SM cycles", "SMs that sleep", cycles_of(CoreRole::kInactive));
  sharing("warp_lanes", "lanes", "lanes of a warp on an active SM", core.warp_lanes);
  sharing("lent_warps", "warps", "contexts lent to an active SM", core.lent.warps);
  sharing("lent_registers", "registers",
          "registers lent to an active SM, or mirrored for the upper lanes",
          core.warp_lanes > kernel::exec::kLanes ? core.registers : core.lent.registers);
  sharing("lent_shared_bytes", "bytes", "shared memory lent to an active SM",
          core.lent.shared_bytes.count());
  sharing("lent_l1_bytes", "bytes", "L1 lent to an active SM",
          core.lent.l1_halves == 0 ? 0 : core.lent.l1.bytes.count());
  sharing("lent_instructions", "warp instructions", "issued for warps in lent contexts",
          counts.lent_instructions);
  sharing("wide_instructions", "warp instructions", "issued for both halves of a wide warp",
          counts.wide_instructions);
  sharing("half_instructions", "warp instructions", "issued for one half of a wide warp alone",
          counts.half_instructions);
  sharing("lent_shared_passes", "cycles", "passes through lent banks of shared memory",
          counts.load_store.lent_passes);
  sharing("lent_l1_accesses", "accesses", "accesses to lent arrays of the L1",
          counts.lent_l1.hits + counts.lent_l1.misses + counts.lent_l1.merged);
  const SharingArea area = sharing_area(parameters);
  add("sharing area", "side", "mm", "length of an SM, which wires cross", area.side_mm);
  add("sharing area", "wire", "ns", "delay of a wire over that length", area.wire_ns);
  add("sharing area", "boundary_wire", "ns", "delay of a wire to the boundary buffers",
      area.boundary_wire_ns);
  add("sharing area", "stages", "cycles", "pipeline stages of such a wire",
      area.stages.as_double());
  add("sharing area", "wiring", "mm2", "wiring of a pair of SMs", area.wiring_mm2);
  add("sharing area", "wiring_share", "percent", "wiring of all pairs, of the chip",
      area.wiring_percent);
  add("sharing area", "issue_growth", "percent", "by which pipelining enlarges the issue unit",
      parameters.sharing.issue_growth_percent);
  add("sharing area", "issue", "mm2", "by which the issue unit of an SM grows", area.issue_mm2);
  add("sharing area", "buffers", "mm2", "boundary buffers and multiplexers of an SM",
      area.buffers_mm2);
  add("sharing area", "share", "percent", "wiring, issue units and buffers, of the chip",
      area.percent);
}

}  // namespace raddle::machine::simt
