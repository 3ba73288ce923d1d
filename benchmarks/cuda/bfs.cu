// Breadth-first search with a thread for every vertex, whether it is on the frontier or not: one
// kernel marks the unseen neighbours of the frontier, a second makes the marked vertices the next
// frontier. Stands for Rodinia's bfs of the gpu-sharing paper: bfs_expand is BFSR1, bfs_commit
// BFSR2 (mostly writes to global memory).
// Usage: bfs [VERTICES] [EDGES, the most of an ordinary vertex] [SEED]
#include <cstdio>

#include "common/benchmark.h"
#include "common/graph.h"

using namespace benchmark;

constexpr int kBlock = 512;
constexpr int kSource = 0;

__global__ void bfs_expand(const Vertex* vertices, const int* targets, bool* frontier, bool* next,
                           const bool* visited, int* level, int count) {
  int v = blockIdx.x * kBlock + threadIdx.x;
  if (v >= count || !frontier[v]) return;
  frontier[v] = false;
  for (int e = vertices[v].first_edge; e < vertices[v].first_edge + vertices[v].edges; ++e) {
    int neighbour = targets[e];
    if (visited[neighbour]) continue;
    level[neighbour] = level[v] + 1;  // all who write this vertex now write the same
    next[neighbour] = true;
  }
}

__global__ void bfs_commit(bool* frontier, bool* next, bool* visited, bool* go_on, int count) {
  int v = blockIdx.x * kBlock + threadIdx.x;
  if (v >= count || !next[v]) return;
  frontier[v] = true;
  visited[v] = true;
  *go_on = true;
  next[v] = false;
}

int main(int argc, char** argv) {
  Arguments arguments(argc, argv, "bfs [VERTICES] [EDGES] [SEED]");
  const int count = arguments.number("VERTICES", 1 << 16, 1, 1 << 24);
  const int most_edges = arguments.number("EDGES", 6, 1, 64);
  Random random(arguments.seed());
  arguments.end();
  const Graph graph = random_graph(count, most_edges, random);

  std::vector<int> start(count, -1);
  start[kSource] = 0;
  const bool yes = true;
  DeviceArray<Vertex> vertices(graph.vertices);
  DeviceArray<int> targets(graph.targets), level(start);
  DeviceArray<bool> frontier(count), next(count), visited(count), go_on(1);
  for (bool* marks : {static_cast<bool*>(frontier), static_cast<bool*>(visited)}) {
    check(cudaMemset(marks, 0, count));
    check(cudaMemcpy(marks + kSource, &yes, sizeof yes, cudaMemcpyHostToDevice));
  }
  check(cudaMemset(next, 0, count));

  const int blocks = blocks_for(count, kBlock);
  for (bool more = true; more;) {
    check(cudaMemset(go_on, 0, sizeof more));
    bfs_expand<<<blocks, kBlock>>>(vertices, targets, frontier, next, visited, level, count);
    check(cudaGetLastError());
    bfs_commit<<<blocks, kBlock>>>(frontier, next, visited, go_on, count);
    check(cudaGetLastError());
    check(cudaMemcpy(&more, go_on, sizeof more, cudaMemcpyDeviceToHost));
  }

  const Levels expected = breadth_first_levels(graph, kSource);
  char what[120];
  std::snprintf(what, sizeof what, "bfs: %d vertices, %zu edges, %d levels, %zu reached", count,
                graph.targets.size(), expected.count, expected.reached);
  return report(what, compare(level.to_host(), expected.of_vertex));
}
