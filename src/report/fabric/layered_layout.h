// Places boxes of a graph without cycles in layers, so that edges go downwards, seldom cross and
// are nearly straight (Sugiyama's method). Edges of one bundle run together until they part.
// Same graph, same picture.
#pragma once

#include <cstdint>
#include <vector>

#include "report/charts/svg_path.h"

namespace raddle::report {

struct LayeredNode {
  double width = 0;
  double height = 0;
};

struct LayeredEdge {
  std::uint32_t from = 0;  // the upper one
  std::uint32_t to = 0;
  std::uint32_t bundle = 0;  // edges of one bundle start at the same node
};

struct LayeredGraph {
  std::vector<LayeredNode> nodes;
  std::vector<LayeredEdge> edges;
  std::uint32_t most_in_layer = 12;
  double layer_gap = 38;
  double node_gap = 18;
};

struct LayeredLayout {
  double width = 0;
  double height = 0;
  std::vector<Point> centres;             // by node
  std::vector<std::vector<Point>> lines;  // by edge: from the lower end of a box to the upper end
  std::vector<std::size_t> shared;        // by edge: leading points that an earlier edge has too
};

// The edges must make no cycle.
LayeredLayout lay_out(const LayeredGraph& graph);

}  // namespace raddle::report
