// Graphs for the breadth-first searches: seeded, directed, of ten vertices or a million alike, and
// the textbook search with one queue that the kernels are checked against.
#ifndef RADDLE_BENCHMARKS_CUDA_COMMON_GRAPH_H
#define RADDLE_BENCHMARKS_CUDA_COMMON_GRAPH_H

#include <cstddef>
#include <vector>

#include "random.h"

namespace benchmark {

struct Vertex {
  int first_edge;
  int edges;
};

// The edges of a vertex are neighbours in `targets`.
struct Graph {
  std::vector<Vertex> vertices;
  std::vector<int> targets;
};

// One to `most` edges a vertex; one vertex in 16 has up to four times as many, as networks of
// people do, so that lanes of a warp walk lists of different lengths.
inline Graph random_graph(int vertices, int most, Random& random) {
  Graph graph;
  for (int v = 0; v < vertices; ++v) {
    const bool hub = random.below(16) == 0;
    const Vertex vertex{static_cast<int>(graph.targets.size()),
                        1 + random.below(hub ? 4 * most : most)};
    for (int e = 0; e < vertex.edges; ++e) graph.targets.push_back(random.below(vertices));
    graph.vertices.push_back(vertex);
  }
  return graph;
}

struct Levels {
  std::vector<int> of_vertex;  // edges from the source, -1 where no path leads
  std::size_t reached = 0;
  int count = 0;
};

inline Levels breadth_first_levels(const Graph& graph, int source) {
  Levels levels;
  levels.of_vertex.assign(graph.vertices.size(), -1);
  levels.of_vertex[source] = 0;
  std::vector<int> queue(1, source);
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const int from = queue[head];
    const Vertex vertex = graph.vertices[from];
    for (int e = vertex.first_edge; e < vertex.first_edge + vertex.edges; ++e) {
      const int to = graph.targets[e];
      if (levels.of_vertex[to] >= 0) continue;
      levels.of_vertex[to] = levels.of_vertex[from] + 1;
      queue.push_back(to);
    }
  }
  levels.reached = queue.size();
  levels.count = levels.of_vertex[queue.back()] + 1;
  return levels;
}

}  // namespace benchmark

#endif
