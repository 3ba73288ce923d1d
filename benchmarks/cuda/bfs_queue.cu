// Breadth-first search with a thread for every vertex of the frontier: whoever is first to reach a
// vertex, decided by an atomic, puts it into one of eight queues in shared memory, which the block
// then appends to the next frontier as one piece. Stands for Parboil's bfs of the gpu-sharing
// paper: bfs_level is BFSP.
// Usage: bfs_queue [VERTICES] [EDGES, the most of an ordinary vertex] [SEED]
#include <cstdio>

#include "common/benchmark.h"
#include "common/graph.h"

using namespace benchmark;

constexpr int kBlock = 512;
constexpr int kQueues =
    8;  // a thread uses the queue of its number modulo 8: fewer meet at one counter
constexpr int kCapacity = 400;  // entries a queue; 12.5 KiB a block
constexpr int kSource = 0;
constexpr int kUnseen = 0x7fffffff;

// A queue that is full sends its vertices straight to the next frontier, one atomic each.
__global__ void bfs_level(const Vertex* vertices, const int* targets, const int* frontier,
                          int frontier_size, int* next, int* next_size, int* level, int depth) {
  __shared__ int queue[kQueues][kCapacity];
  __shared__ int size[kQueues], begin[kQueues], place;
  const int tid = threadIdx.x, mine = tid % kQueues;
  if (tid < kQueues) size[tid] = 0;
  __syncthreads();

  const int i = blockIdx.x * kBlock + tid;
  if (i < frontier_size) {
    const Vertex vertex = vertices[frontier[i]];
    for (int e = vertex.first_edge; e < vertex.first_edge + vertex.edges; ++e) {
      const int neighbour = targets[e];
      // Most edges lead to vertices that have been seen: a load says so without an atomic.
      if (level[neighbour] != kUnseen || atomicCAS(&level[neighbour], kUnseen, depth) != kUnseen)
        continue;
      const int slot = atomicAdd(&size[mine], 1);
      if (slot < kCapacity)
        queue[mine][slot] = neighbour;
      else
        next[atomicAdd(next_size, 1)] = neighbour;
    }
  }
  __syncthreads();

  if (tid == 0) {
    int total = 0;
    for (int q = 0; q < kQueues; ++q) {
      begin[q] = total;
      size[q] = min(size[q], kCapacity);
      total += size[q];
    }
    place = atomicAdd(next_size, total);
  }
  __syncthreads();
  for (int slot = tid / kQueues; slot < size[mine]; slot += kBlock / kQueues)
    next[place + begin[mine] + slot] = queue[mine][slot];
}

int main(int argc, char** argv) {
  Arguments arguments(argc, argv, "bfs_queue [VERTICES] [EDGES] [SEED]");
  const int count = arguments.number("VERTICES", 1 << 16, 1, 1 << 24);
  const int most_edges = arguments.number("EDGES", 6, 1, 64);
  Random random(arguments.seed());
  arguments.end();
  const Graph graph = random_graph(count, most_edges, random);

  std::vector<int> start(count, kUnseen);
  start[kSource] = 0;
  DeviceArray<Vertex> vertices(graph.vertices);
  DeviceArray<int> targets(graph.targets), level(start), frontier(count), next(count), next_size(1);
  check(cudaMemcpy(frontier, &kSource, sizeof kSource, cudaMemcpyHostToDevice));
  int size = 1, depth = 0;
  std::size_t reached = 0;
  while (size > 0) {
    reached += size;
    check(cudaMemset(next_size, 0, sizeof size));
    bfs_level<<<blocks_for(size, kBlock), kBlock>>>(vertices, targets, frontier, size, next,
                                                    next_size, level, ++depth);
    check(cudaGetLastError());
    check(cudaMemcpy(&size, next_size, sizeof size, cudaMemcpyDeviceToHost));
    std::swap(frontier, next);
  }

  Levels expected = breadth_first_levels(graph, kSource);
  for (int& of_vertex : expected.of_vertex)
    if (of_vertex < 0) of_vertex = kUnseen;
  char what[120];
  std::snprintf(what, sizeof what, "bfs_queue: %d vertices, %zu edges, %d levels, %zu reached",
                count, graph.targets.size(), depth, reached);
  // A vertex that is queued twice has the right level all the same: the numbers queued must agree
  // too.
  return report(what, compare(level.to_host(), expected.of_vertex) +
                          compare(std::vector<std::size_t>{reached},
                                  std::vector<std::size_t>{expected.reached}));
}
