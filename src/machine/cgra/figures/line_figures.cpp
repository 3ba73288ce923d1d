#include "machine/cgra/figures/line_figures.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "machine/cgra/figures/launch_figures.h"

namespace raddle::machine::cgra {

namespace {

// Values that come from other pieces have no line of their own.
constexpr const char* kNoLine = "(no line)";

}  // namespace

std::vector<LineCost> line_figures(const std::vector<FabricNodeCounts>& nodes,
                                   const FabricKernel& kernel, const kernel::Module& module) {
  struct Line {
    std::uint64_t firings = 0;
    UnitAccount cycles;
  };
  std::map<std::string, Line> by_line;
  for (std::size_t p = 0; p < kernel.pieces.size(); ++p) {
    const std::vector<Node>& graph = kernel.pieces[p].graph.graph.nodes;
    for (std::size_t n = 0; n < nodes[p].firings.size(); ++n) {
      if (graph[n].unit == UnitClass::kPort) continue;
      std::string place = module.describe_location(graph[n].location);
      Line& line = by_line[place.empty() ? kNoLine : std::move(place)];
      line.firings += nodes[p].firings[n];
      line.cycles += nodes[p].cycles[n];
    }
  }
  std::vector<LineCost> lines;
  for (const auto& [location, line] : by_line) {
    LineCost cost{.location = location, .thread_instructions = line.firings};
    add_line_stalls(stalls_of(line.cycles), cost);
    lines.push_back(std::move(cost));
  }
  std::stable_sort(lines.begin(), lines.end(), [](const LineCost& a, const LineCost& b) {
    return a.thread_instructions > b.thread_instructions;
  });
  return lines;
}

}  // namespace raddle::machine::cgra
