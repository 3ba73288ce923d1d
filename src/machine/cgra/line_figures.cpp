#include "machine/cgra/line_figures.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "machine/cgra/launch_figures.h"

namespace raddle::machine::cgra {

namespace {

// Values that come from other pieces have no line of their own.
constexpr const char* kNoLine = "(no line)";

}  // namespace

std::vector<LineCost> line_figures(const std::vector<FabricNodeCounts>& nodes,
                                   const FabricKernel& kernel, const kernel::Module& module) {
  struct Line {
    std::uint64_t firings = 0;
    UnitCycles cycles{};
  };
  std::map<std::string, Line> by_line;
  for (std::size_t p = 0; p < kernel.pieces.size(); ++p) {
    const std::vector<Node>& graph = kernel.pieces[p].graph.graph.nodes;
    for (std::size_t n = 0; n < nodes[p].firings.size(); ++n) {
      if (graph[n].unit == UnitClass::kPort) continue;
      std::string place = module.describe_location(graph[n].location);
      Line& line = by_line[place.empty() ? kNoLine : std::move(place)];
      line.firings += nodes[p].firings[n];
      for (std::size_t use = 0; use < kUnitUses; ++use) line.cycles[use] += nodes[p].cycles[n][use];
    }
  }
  std::vector<LineCost> lines;
  for (const auto& [location, line] : by_line) {
    LineCost cost{.location = location, .thread_instructions = line.firings};
    for (std::size_t use = 1; use < kUnitUses; ++use) {
      if (line.cycles[use] == 0) continue;
      const auto cycles = static_cast<double>(line.cycles[use]);
      cost.stalls.push_back({stall_name(static_cast<UnitUse>(use)), cycles});
      cost.stall_cycles += cycles;
    }
    lines.push_back(std::move(cost));
  }
  std::stable_sort(lines.begin(), lines.end(), [](const LineCost& a, const LineCost& b) {
    return a.thread_instructions > b.thread_instructions;
  });
  return lines;
}

}  // namespace raddle::machine::cgra
