#include "machine/simt/sharing_parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <vector>

#include "base/error.h"
#include "base/nearest_name.h"

namespace raddle::machine::simt {

namespace {

constexpr std::string_view kKernels = "sharing.kernel";
constexpr std::string_view kAutomatic = "auto";

SharingMode mode_named(const std::string& key, const std::string& name) {
  const auto found = std::ranges::find(kSharingModes, name);
  if (found != kSharingModes.end()) return static_cast<SharingMode>(found - kSharingModes.begin());
  const std::vector<std::string> known(kSharingModes.begin(), kSharingModes.end());
  const std::string near = suggestion(name, known);
  throw Error(fmt::format("parameter '{}' is '{}', which is not a sharing mode", key, name), {},
              fmt::format("{}{}known: {}", near, near.empty() ? "" : " ", fmt::join(known, ", ")));
}

using Parts = std::array<bool, kCoreParts.size()>;

// A list of parts, separated by blanks.
void bind_parts(const ParameterBinder& p, std::string_view key, Parts& parts,
                std::string_view sentence) {
  std::string words;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i]) words += fmt::format("{}{}", words.empty() ? "" : " ", kCoreParts[i]);
  }
  p.text(key, words, "parts", sentence);
  parts = {};
  std::istringstream list(words);
  for (std::string word; list >> word;) {
    const auto found = std::ranges::find(kCoreParts, word);
    if (found == kCoreParts.end()) {
      const std::vector<std::string> known(kCoreParts.begin(), kCoreParts.end());
      throw Error(
          fmt::format("parameter '{}' names '{}', which is not a part of an SM", p.path(key), word),
          {}, fmt::format("known: {}", fmt::join(known, ", ")));
    }
    parts[static_cast<std::size_t>(found - kCoreParts.begin())] = true;
  }
}

void bind_area(const ParameterBinder& p, SharingParameters& sharing) {
  p.number("sm_mm2", sharing.sm_mm2, "mm2", "of an SM", {0.01, 1e4});
  p.number("chip_mm2", sharing.chip_mm2, "mm2", "of the chip", {0.01, 1e4});
  p.number("wire_ns_per_mm", sharing.wire_ns_per_mm, "ns/mm",
           "delay of a wire, the part that grows with its length", {0, 1e3});
  p.number("wire_ns_per_mm2", sharing.wire_ns_per_mm2, "ns/mm2",
           "delay of a wire, the part that grows with its length squared", {0, 1e3});
  p.integer("wires", sharing.wires, "wires", "between the SMs of a pair", {0, 10'000'000});
  p.number("wire_pitch_um", sharing.wire_pitch_um, "um", "from one wire to the next", {0, 1e3});
  p.number("issue_unit_mm2", sharing.issue_unit_mm2, "mm2", "of an SM's issue unit", {0, 1e4});
  p.number("issue_growth_percent", sharing.issue_growth_percent, "percent",
           "by which pipelining enlarges the issue unit", {0, 1e4});
  p.number("buffers_mm2", sharing.buffers_mm2, "mm2",
           "of the boundary buffers and multiplexers of an SM", {0, 1e4});
}

void bind_lending(const ParameterBinder& lends, SharingParameters& sharing) {
  lends.boolean("contexts", sharing.lends_contexts,
                "an inactive SM lends warp contexts: instruction buffers and stacks");
  lends.boolean("registers", sharing.lends_registers,
                "it lends register banks with their collectors");
  lends.boolean("shared", sharing.lends_shared, "it lends banks of shared memory");
  lends.boolean("l1", sharing.lends_l1, "it lends tag and data arrays of its L1");
  lends.boolean("mshrs", sharing.lends_mshrs, "the MSHRs come with a lent L1");
}

void bind_stages(const ParameterBinder& stages, SharingParameters& sharing) {
  stages.cycles("decode", sharing.decode_stages, "that decoding takes longer on an active SM", 0);
  stages.cycles("issue", sharing.issue_stages, "that issue takes longer on an active SM", 0);
  stages.cycles("dispatch", sharing.dispatch_stages,
                "that operands take longer to the unit, under occ and bal only", 0);
  stages.cycles("shared", sharing.shared_stages, "that shared memory takes longer on an active SM",
                0);
  stages.cycles("l1", sharing.l1_stages, "that the L1 takes longer on an active SM", 0);
}

}  // namespace

void bind_sharing(const ParameterBinder& p, SharingParameters& sharing) {
  const std::optional<ParameterBinder> part = p.part_with("sharing.mode");
  if (!part) return;
  sharing.offered = true;
  std::string mode(kSharingModes[static_cast<std::size_t>(sharing.mode)]);
  part->text(
      "sharing.mode", mode, "mode",
      "sharing mode of neighbouring SMs: baseline, half, occ, bal, bigsm, bigsm_occ, or auto: "
      "chosen before each launch");
  sharing.automatic = mode == kAutomatic;
  if (!sharing.automatic) sharing.mode = mode_named("sharing.mode", mode);
  std::string any;
  part->text(fmt::format("{}.any", kKernels), any, "mode", "of one kernel, instead of `any`");
  for (const auto& [kernel, own] : part->entries(kKernels))
    sharing.by_kernel.emplace(kernel, mode_named(fmt::format("{}.{}", kKernels, kernel), own));
  part->boolean("sharing.blocks_straddle", sharing.blocks_straddle,
                "a block may have own and lent warps");
  part->boolean("sharing.baseline_wires", sharing.baseline_wires,
                "the wires leak in the baseline as well");
  bind_lending(part->section("sharing.lends"), sharing);
  bind_stages(part->section("sharing.stages"), sharing);
  for (std::size_t m = 1; m < kSharingModes.size(); ++m)
    bind_parts(part->section("sharing.off"), kSharingModes[m], sharing.off[m],
               fmt::format("that are power-gated in an inactive SM under {}", kSharingModes[m]));
  bind_area(part->section("area"), sharing);
}

}  // namespace raddle::machine::simt
