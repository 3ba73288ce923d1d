#include "report/fabric/route_lanes.h"

#include <algorithm>
#include <tuple>

#include "base/error.h"

namespace raddle::report {

namespace {

using machine::cgra::Grid;

struct Place {
  std::int32_t column = 0;
  std::int32_t row = 0;
};

Place place_of(const Grid& grid, std::uint32_t vertex) {
  const bool port = grid.is_port(vertex);
  const std::uint32_t tile = port ? grid.ports()[vertex - grid.tiles()].tile : vertex;
  Place place{static_cast<std::int32_t>(grid.column_of(tile)),
              static_cast<std::int32_t>(grid.row_of(tile))};
  if (!port) return place;
  if (grid.ports()[vertex - grid.tiles()].edge == machine::cgra::Edge::kLeft)
    place.column = -1;
  else
    place.row = -1;
  return place;
}

void append(std::vector<RouteRun>& runs, const RouteRun& run) {
  if (run.from == run.to) return;
  if (!runs.empty() && !runs.back().jump) {
    RouteRun& last = runs.back();
    const bool same_way = last.across == run.across && (last.from < last.to) == (run.from < run.to);
    if (same_way && last.to == run.from) {
      last.to = run.to;
      last.jump = run.jump;
      return;
    }
  }
  runs.push_back(run);
}

// A step along a row or column; one that goes round a torus leaves at one border and comes back at
// the other.
void append_step(std::vector<RouteRun>& runs, const Grid& grid, bool across, std::int32_t channel,
                 std::int32_t from, std::int32_t to) {
  const auto size = static_cast<std::int32_t>(across ? grid.columns() : grid.rows());
  const bool round = grid.parameters().topology == machine::cgra::Topology::kTorus && from >= 0 &&
                     to >= 0 && std::abs(from - to) == size - 1 && size > 2;
  if (!round) {
    append(runs, {across, channel, from, to, false});
    return;
  }
  const bool forwards = from > to;
  append(runs, {across, channel, from, forwards ? size : -1, true});
  append(runs, {across, channel, forwards ? -1 : size, to, false});
}

}  // namespace

std::vector<RouteRun> runs_of(const Grid& grid, const std::vector<std::uint32_t>& path) {
  std::vector<RouteRun> runs;
  for (const std::uint32_t link : path) {
    const Place from = place_of(grid, grid.links()[link].from);
    const Place to = place_of(grid, grid.links()[link].to);
    if (from.column != to.column) append_step(runs, grid, true, from.row, from.column, to.column);
    if (from.row != to.row) append_step(runs, grid, false, to.column, from.row, to.row);
  }
  return runs;
}

RouteLanes::RouteLanes(const machine::cgra::DataflowGraph& graph, const Grid& grid,
                       const machine::cgra::Mapping& mapping) {
  const std::size_t nodes = graph.nodes.size();
  for (std::size_t replica = 0; replica < mapping.replicas.size(); ++replica) {
    for (std::size_t node = 0; node < nodes; ++node) {
      for (std::size_t input = 0; input < graph.nodes[node].inputs.size(); ++input) {
        const auto net =
            static_cast<std::uint32_t>(replica * nodes + graph.nodes[node].inputs[input].from);
        for (const RouteRun& run : runs_of(grid, mapping.replicas[replica].paths[node][input])) {
          channels_[{run.across, run.channel}].push_back(
              {std::min(run.from, run.to), std::max(run.from, run.to), net, 0});
        }
      }
    }
  }
  for (auto& [key, channel] : channels_) {
    merge(channel);
    lanes_[key] = assign(channel);
  }
}

// Overlapping parts of one net become one.
void RouteLanes::merge(Channel& channel) {
  std::sort(channel.begin(), channel.end(), [](const Interval& a, const Interval& b) {
    return std::tuple(a.net, a.first, a.last) < std::tuple(b.net, b.first, b.last);
  });
  Channel merged;
  for (const Interval& part : channel) {
    if (!merged.empty() && merged.back().net == part.net && part.first <= merged.back().last)
      merged.back().last = std::max(merged.back().last, part.last);
    else
      merged.push_back(part);
  }
  channel = std::move(merged);
}

// The left-edge algorithm of channel routers: from left to right, each in the first free lane.
std::uint32_t RouteLanes::assign(Channel& channel) {
  std::sort(channel.begin(), channel.end(), [](const Interval& a, const Interval& b) {
    return std::tuple(a.first, a.last, a.net) < std::tuple(b.first, b.last, b.net);
  });
  std::vector<std::int32_t> ends;  // by lane
  for (Interval& part : channel) {
    const auto free =
        std::find_if(ends.begin(), ends.end(), [&](std::int32_t end) { return end < part.first; });
    part.lane = static_cast<std::uint32_t>(free - ends.begin());
    if (free == ends.end())
      ends.push_back(part.last);
    else
      *free = part.last;
  }
  return static_cast<std::uint32_t>(ends.size());
}

std::uint32_t RouteLanes::lanes(bool across, std::int32_t channel) const {
  const auto known = lanes_.find({across, channel});
  return known == lanes_.end() ? 0 : known->second;
}

std::uint32_t RouteLanes::lane(std::uint32_t net, const RouteRun& run) const {
  const Channel& channel = channels_.at({run.across, run.channel});
  const auto part = std::find_if(channel.begin(), channel.end(), [&](const Interval& interval) {
    return interval.net == net && interval.first <= std::min(run.from, run.to) &&
           std::max(run.from, run.to) <= interval.last;
  });
  RADDLE_ASSERT(part != channel.end());
  return part->lane;
}

}  // namespace raddle::report
