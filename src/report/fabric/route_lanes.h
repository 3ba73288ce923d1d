// Room for routes in a drawing of a grid: every row of tiles has a channel below it and every
// column one to its right, and in a channel each net has a lane of its own wherever nets pass the
// same tile. Places in a channel are tiles; -1 is the port or the border before the first.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "machine/cgra/map/mapping.h"

namespace raddle::report {

// A straight part of a route.
struct RouteRun {
  bool across = true;        // along a row; otherwise down a column
  std::int32_t channel = 0;  // row or column
  std::int32_t from = 0;
  std::int32_t to = 0;
  bool jump = false;  // a torus: the route goes on at the other side of the grid
};

// The way of a token as runs that follow each other, each turning into the next.
std::vector<RouteRun> runs_of(const machine::cgra::Grid& grid,
                              const std::vector<std::uint32_t>& path);

class RouteLanes {
 public:
  RouteLanes(const machine::cgra::DataflowGraph& graph, const machine::cgra::Grid& grid,
             const machine::cgra::Mapping& mapping);

  std::uint32_t lanes(bool across, std::int32_t channel) const;
  // `net` is replica and node: replica * nodes + node.
  std::uint32_t lane(std::uint32_t net, const RouteRun& run) const;

 private:
  struct Interval {
    std::int32_t first = 0;
    std::int32_t last = 0;
    std::uint32_t net = 0;
    std::uint32_t lane = 0;
  };
  using Channel = std::vector<Interval>;
  static void merge(Channel& channel);
  static std::uint32_t assign(Channel& channel);

  std::map<std::pair<bool, std::int32_t>, Channel> channels_;
  std::map<std::pair<bool, std::int32_t>, std::uint32_t> lanes_;
};

}  // namespace raddle::report
