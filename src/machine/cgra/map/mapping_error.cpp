#include "machine/cgra/map/mapping_error.h"

#include <fmt/format.h>

#include <algorithm>

namespace raddle::machine::cgra {

namespace {

constexpr std::size_t kMaxNamed = 6;

std::string plural(std::size_t count, std::string_view thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

// "scale.cu:3 (2), scale.cu:4": where the nodes of a class come from, most frequent first.
std::string lines_of(const DataflowGraph& graph, UnitClass unit, const LocationText& text) {
  struct Line {
    std::string name;
    std::size_t nodes = 0;
  };
  std::vector<Line> lines;
  for (const Node& node : graph.nodes) {
    if (node.unit != unit) continue;
    std::string name = text ? text(node.location) : std::string();
    if (name.empty()) name = node.label.empty() ? std::string(name_of(node.kind)) : node.label;
    const auto known = std::find_if(lines.begin(), lines.end(),
                                    [&](const Line& line) { return line.name == name; });
    if (known == lines.end())
      lines.push_back({std::move(name), 1});
    else
      ++known->nodes;
  }
  std::stable_sort(lines.begin(), lines.end(),
                   [](const Line& a, const Line& b) { return a.nodes > b.nodes; });
  std::string list;
  for (std::size_t i = 0; i < std::min(lines.size(), kMaxNamed); ++i) {
    list += list.empty() ? "" : ", ";
    list += lines[i].name;
    if (lines[i].nodes > 1) list += fmt::format(" ({})", lines[i].nodes);
  }
  if (lines.size() > kMaxNamed)
    list += fmt::format(" and {}", plural(lines.size() - kMaxNamed, "more line"));
  return list;
}

}  // namespace

Error too_few_units(const DataflowGraph& graph, const Grid& grid,
                    const LocationText& location_text) {
  const UnitCounts needed = graph.units_needed();
  std::string what;
  std::string enough;
  for (std::size_t c = 0; c < kUnitClasses; ++c) {
    const auto unit = static_cast<UnitClass>(c);
    if (needed[c] <= grid.unit_count(unit)) continue;
    const std::string units = plural(needed[c], fmt::format("{} unit", name_of(unit)));
    what += fmt::format("{}{} (the grid has {}) for {}", what.empty() ? "" : "; ", units,
                        grid.unit_count(unit), lines_of(graph, unit, location_text));
    enough += (enough.empty() ? "" : " and ") + units;
  }
  return Error(fmt::format("{} does not fit on the grid: it needs {}", graph.name, what), {},
               fmt::format("a grid with {} holds it", enough));
}

Error too_few_tracks(const DataflowGraph& graph, const Grid& grid,
                     std::span<const CongestedLink> congested, std::uint32_t tracks_that_do) {
  std::vector<CongestedLink> worst(congested.begin(), congested.end());
  std::stable_sort(worst.begin(), worst.end(),
                   [](const CongestedLink& a, const CongestedLink& b) { return a.nets > b.nets; });
  std::string list;
  for (std::size_t i = 0; i < std::min(worst.size(), kMaxNamed); ++i) {
    const Link& link = grid.links()[worst[i].link];
    list +=
        fmt::format("{}{} to {} ({})", list.empty() ? "" : ", ", grid.describe_vertex(link.from),
                    grid.describe_vertex(link.to), worst[i].nets);
  }
  if (worst.size() > kMaxNamed)
    list += fmt::format(" and {}", plural(worst.size() - kMaxNamed, "more link"));
  const std::uint32_t tracks = grid.parameters().tracks;
  return Error(fmt::format("{} cannot be routed on the grid: links have {}; congested: {}",
                           graph.name, plural(tracks, "track"), list),
               {},
               tracks_that_do > 0
                   ? fmt::format("links with {} would suffice", plural(tracks_that_do, "track"))
                   : "try another topology or a smaller kernel");
}

}  // namespace raddle::machine::cgra
