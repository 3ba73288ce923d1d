#include "machine/cgra/map/mapping.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/error.h"
#include "machine/cgra/compile/graph_paths.h"
#include "machine/cgra/map/mapping_error.h"
#include "machine/cgra/map/placement.h"
#include "machine/cgra/map/routing.h"
#include "machine/cgra/map/sub_grid.h"

namespace raddle::machine::cgra {

namespace {

UnitCounts times(UnitCounts counts, std::uint32_t factor) {
  for (std::uint32_t& count : counts) count *= factor;
  return counts;
}

Replica replica_of(std::vector<std::uint32_t> unit, std::vector<std::vector<Path>> paths) {
  Replica replica{.unit = std::move(unit), .hops = {}, .paths = std::move(paths)};
  for (const auto& inputs : replica.paths) {
    auto& hops = replica.hops.emplace_back();
    for (const Path& path : inputs)
      hops.push_back(std::max<std::uint32_t>(1, static_cast<std::uint32_t>(path.size())));
  }
  return replica;
}

Mapping mapping_of(const DataflowGraph& graph, const Grid& grid, const Placement& placement,
                   Routing routing) {
  Mapping mapping;
  mapping.links_used = routing.links_used;
  GraphPaths paths(graph);
  for (std::size_t copy = 0; copy < placement.size(); ++copy) {
    Replica replica = replica_of(placement[copy], std::move(routing.paths[copy]));
    std::vector<std::uint32_t> by_edge;
    for (const auto& inputs : replica.hops)
      by_edge.insert(by_edge.end(), inputs.begin(), inputs.end());
    for (std::size_t edge = 0; edge < by_edge.size(); ++edge) {
      mapping.total_hops += by_edge[edge];
      mapping.longest_route = std::max(mapping.longest_route, by_edge[edge]);
      mapping.cost += by_edge[edge] * (paths.edges()[edge].recurrent ? kRecurrenceWeight : 1);
    }
    const Cycle depth = paths.longest(by_edge, grid.parameters().hop_cycles);
    mapping.depth = std::max(mapping.depth, depth);
    for (std::size_t edge = 0; edge < by_edge.size(); ++edge)
      mapping.longest_wait = std::max(mapping.longest_wait, paths.wait(edge));
    mapping.cost += depth.count();
    mapping.replicas.push_back(std::move(replica));
  }
  return mapping;
}

// The attempts of one number of copies.
class Attempts {
 public:
  Attempts(const DataflowGraph& graph, const Grid& grid) : graph_(graph), grid_(grid) {}

  std::optional<Mapping> best_with(std::uint32_t copies) {
    best_.reset();
    placed_.clear();
    congested_.clear();
    for (SubGrid& part : sub_grids_for(grid_, times(graph_.units_needed(), copies))) {
      Distances distances(grid_, part);
      Placement placement = place(graph_, copies, grid_, part, distances);
      placed_.push_back({std::move(part), std::move(distances), std::move(placement)});
      try_tracks(placed_.back());
    }
    return std::move(best_);
  }

  // Of the last number of copies, of the attempt that came nearest.
  std::vector<CongestedLink> congested() const { return congested_; }
  std::uint32_t tracks_that_do() const {
    for (std::uint32_t tracks = grid_.parameters().tracks + 1; tracks <= kMaxTracks; ++tracks) {
      for (const Placed& placed : placed_) {
        if (route_with(placed, tracks).congested.empty()) return tracks;
      }
    }
    return 0;
  }

 private:
  static constexpr std::uint32_t kMaxTracks = 64;  // that a message proposes

  struct Placed {
    SubGrid part;
    Distances distances;
    Placement placement;
  };

  Routing route_with(const Placed& placed, std::uint32_t tracks) const {
    return route(graph_, placed.placement, grid_, placed.part, placed.distances, tracks);
  }

  // Where all tokens take a shortest way no smaller number of tracks can do better. Otherwise
  // negotiation with fewer tracks may, by luck, have found shorter ways.
  void try_tracks(const Placed& placed) {
    for (std::uint32_t tracks = grid_.parameters().tracks; tracks > 0; --tracks) {
      Routing routing = route_with(placed, tracks);
      if (!routing.congested.empty()) {
        const bool nearest = congested_.empty() || routing.congested.size() < congested_.size();
        if (tracks == grid_.parameters().tracks && nearest)
          congested_ = std::move(routing.congested);
        continue;
      }
      const bool undisturbed = routing.undisturbed;
      Mapping mapping = mapping_of(graph_, grid_, placed.placement, std::move(routing));
      if (!best_ || best_->worse_than(mapping)) best_ = std::move(mapping);
      if (undisturbed) return;
    }
  }

  const DataflowGraph& graph_;
  const Grid& grid_;
  std::optional<Mapping> best_;
  std::vector<Placed> placed_;
  std::vector<CongestedLink> congested_;
};

}  // namespace

bool Mapping::worse_than(const Mapping& other) const {
  if (replicas.size() != other.replicas.size()) return replicas.size() < other.replicas.size();
  return cost > other.cost;
}

std::uint32_t copies_that_fit(const DataflowGraph& graph, const Grid& grid) {
  std::uint32_t copies = std::numeric_limits<std::uint32_t>::max();
  const UnitCounts needed = graph.units_needed();
  for (std::size_t c = 0; c < kUnitClasses; ++c) {
    if (needed[c] > 0)
      copies = std::min(copies, grid.unit_count(static_cast<UnitClass>(c)) / needed[c]);
  }
  if (sum_of(needed) == 0) return static_cast<std::uint32_t>(grid.ports().size());
  return copies;
}

bool share_links(const DataflowGraph& first_graph, const Mapping& first,
                 const DataflowGraph& second_graph, const Mapping& second, std::uint32_t tracks) {
  std::map<std::uint32_t, std::uint32_t> taken;  // by link
  const auto add = [&](const DataflowGraph& graph, const Mapping& mapping) {
    for (const Replica& replica : mapping.replicas) {
      // A value takes a link once, whoever receives it.
      std::set<std::pair<std::uint32_t, std::uint32_t>> values;
      for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
        for (std::size_t i = 0; i < graph.nodes[n].inputs.size(); ++i) {
          for (const std::uint32_t link : replica.paths[n][i])
            values.emplace(link, graph.nodes[n].inputs[i].from);
        }
      }
      for (const auto& [link, from] : values) ++taken[link];
    }
  };
  add(first_graph, first);
  add(second_graph, second);
  return std::ranges::all_of(taken, [&](const auto& entry) { return entry.second <= tracks; });
}

Mapping map_graph(const DataflowGraph& graph, const Grid& grid, const LocationText& location_text) {
  std::uint32_t copies = copies_that_fit(graph, grid);
  if (copies == 0) throw too_few_units(graph, grid, location_text);
  copies = std::min(copies, std::max(1u, graph.most_copies));
  if (grid.parameters().replicas > 0) copies = std::min(copies, grid.parameters().replicas);
  Attempts attempts(graph, grid);
  for (; copies > 0; --copies) {
    if (std::optional<Mapping> mapping = attempts.best_with(copies)) return *std::move(mapping);
  }
  throw too_few_tracks(graph, grid, attempts.congested(), attempts.tracks_that_do());
}

}  // namespace raddle::machine::cgra
