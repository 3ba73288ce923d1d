#include "machine/simt/sharing_parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <vector>

#include "base/error.h"
#include "base/nearest_name.h"
#include "machine/memory_parameters.h"

namespace raddle::machine::simt {

namespace {

constexpr std::string_view kKernels = "sharing.kernel.";
constexpr std::string_view kAnyKernel = "any";  // the place that says what others look like

SharingMode mode_named(const ParameterTable& p, const std::string& key) {
  const std::string& name = p.text(key);
  const auto found = std::ranges::find(kSharingModes, name);
  if (found != kSharingModes.end()) return static_cast<SharingMode>(found - kSharingModes.begin());
  const std::vector<std::string> known(kSharingModes.begin(), kSharingModes.end());
  const std::string near = suggestion(name, known);
  throw Error(fmt::format("parameter '{}' is '{}', which is no way of sharing", key, name), {},
              fmt::format("{}{}known: {}", near, near.empty() ? "" : " ", fmt::join(known, ", ")));
}

// A list of parts, separated by blanks.
std::array<bool, kCoreParts.size()> parts_off(const ParameterTable& p, const std::string& key) {
  std::array<bool, kCoreParts.size()> off{};
  std::istringstream words(p.text(key));
  for (std::string word; words >> word;) {
    const auto found = std::ranges::find(kCoreParts, word);
    if (found == kCoreParts.end()) {
      const std::vector<std::string> known(kCoreParts.begin(), kCoreParts.end());
      throw Error(fmt::format("parameter '{}' names '{}', which is no part of an SM", key, word),
                  {}, fmt::format("known: {}", fmt::join(known, ", ")));
    }
    off[static_cast<std::size_t>(found - kCoreParts.begin())] = true;
  }
  return off;
}

void read_area(const ParameterTable& p, SharingParameters& sharing) {
  sharing.sm_mm2 = p.number_in("area.sm_mm2", 0.01, 1e4);
  sharing.chip_mm2 = p.number_in("area.chip_mm2", 0.01, 1e4);
  sharing.wire_ns_per_mm = p.number_in("area.wire_ns_per_mm", 0, 1e3);
  sharing.wire_ns_per_mm2 = p.number_in("area.wire_ns_per_mm2", 0, 1e3);
  sharing.wires = static_cast<std::uint32_t>(p.integer_in("area.wires", 0, 10'000'000));
  sharing.wire_pitch_um = p.number_in("area.wire_pitch_um", 0, 1e3);
  sharing.issue_unit_mm2 = p.number_in("area.issue_unit_mm2", 0, 1e4);
  sharing.issue_growth_percent = p.number_in("area.issue_growth_percent", 0, 1e4);
  sharing.buffers_mm2 = p.number_in("area.buffers_mm2", 0, 1e4);
}

}  // namespace

SharingParameters read_sharing(const ParameterTable& p) {
  SharingParameters sharing;
  if (!p.has("sharing.mode")) return sharing;
  sharing.offered = true;
  sharing.mode = mode_named(p, "sharing.mode");
  for (const Parameter& parameter : p.all()) {
    if (!parameter.key.starts_with(kKernels)) continue;
    const std::string kernel = parameter.key.substr(kKernels.size());
    if (kernel == kAnyKernel) continue;
    sharing.by_kernel.emplace(kernel, mode_named(p, parameter.key));
  }
  sharing.blocks_straddle = p.boolean("sharing.blocks_straddle");
  sharing.baseline_wires = p.boolean("sharing.baseline_wires");
  const Section lends(p, "sharing.lends");
  sharing.lends_contexts = lends.boolean("contexts");
  sharing.lends_registers = lends.boolean("registers");
  sharing.lends_shared = lends.boolean("shared");
  sharing.lends_l1 = lends.boolean("l1");
  sharing.lends_mshrs = lends.boolean("mshrs");
  const Section stages(p, "sharing.stages");
  sharing.decode_stages = stages.cycles("decode", 0);
  sharing.issue_stages = stages.cycles("issue", 0);
  sharing.dispatch_stages = stages.cycles("dispatch", 0);
  sharing.shared_stages = stages.cycles("shared", 0);
  sharing.l1_stages = stages.cycles("l1", 0);
  for (std::size_t m = 1; m < kSharingModes.size(); ++m)
    sharing.off[m] = parts_off(p, fmt::format("sharing.off.{}", kSharingModes[m]));
  read_area(p, sharing);
  return sharing;
}

}  // namespace raddle::machine::simt
