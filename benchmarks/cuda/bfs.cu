// Breadth-first search over a sparse graph, level by level: threads of a warp walk lists of
// different lengths and load from scattered places. Usage: bfs [VERTICES]
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void expand(const int* first_edge, const int* edges, int* level, int* changed,
                       int current, int vertices) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices || level[v] != current) return;
  for (int e = first_edge[v]; e < first_edge[v + 1]; ++e) {
    int neighbour = edges[e];
    if (level[neighbour] >= 0) continue;
    level[neighbour] = current + 1;  // whoever writes, writes the same
    *changed = 1;
  }
}

int main(int argc, char** argv) {
  const int vertices = argc > 1 ? std::atoi(argv[1]) : 1 << 16;
  if (vertices <= 0) {
    std::fprintf(stderr, "bfs: the number of vertices must be positive\n");
    return 2;
  }
  // Few vertices have many edges, as in networks of people.
  std::vector<int> first_edge(1, 0), edges;
  unsigned state = 7;
  for (int v = 0; v < vertices; ++v) {
    state = state * 1664525u + 1013904223u;
    const int degree = 1 + (state >> 28) * ((state >> 24 & 15) == 0 ? 4 : 1) / 3;
    for (int e = 0; e < degree; ++e) {
      state = state * 1664525u + 1013904223u;
      edges.push_back(static_cast<int>((state >> 8) % static_cast<unsigned>(vertices)));
    }
    first_edge.push_back(static_cast<int>(edges.size()));
  }

  std::vector<int> expected(vertices, -1), frontier(1, 0), level(vertices, -1);
  expected[0] = level[0] = 0;
  for (size_t head = 0; head < frontier.size(); ++head) {
    const int v = frontier[head];
    for (int e = first_edge[v]; e < first_edge[v + 1]; ++e) {
      if (expected[edges[e]] >= 0) continue;
      expected[edges[e]] = expected[v] + 1;
      frontier.push_back(edges[e]);
    }
  }

  int *device_first, *device_edges, *device_level, *device_changed, changed = 1, current = 0;
  cudaMalloc(&device_first, first_edge.size() * sizeof(int));
  cudaMalloc(&device_edges, edges.size() * sizeof(int));
  cudaMalloc(&device_level, vertices * sizeof(int));
  cudaMalloc(&device_changed, sizeof(int));
  cudaMemcpy(device_first, first_edge.data(), first_edge.size() * sizeof(int),
             cudaMemcpyHostToDevice);
  cudaMemcpy(device_edges, edges.data(), edges.size() * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(device_level, level.data(), vertices * sizeof(int), cudaMemcpyHostToDevice);
  for (; changed != 0; ++current) {
    cudaMemset(device_changed, 0, sizeof(int));
    expand<<<(vertices + 255) / 256, 256>>>(device_first, device_edges, device_level,
                                            device_changed, current, vertices);
    cudaMemcpy(&changed, device_changed, sizeof(int), cudaMemcpyDeviceToHost);
    if (cudaError_t error = cudaGetLastError()) {
      std::fprintf(stderr, "bfs: %s\n", cudaGetErrorString(error));
      return 1;
    }
  }
  cudaMemcpy(level.data(), device_level, vertices * sizeof(int), cudaMemcpyDeviceToHost);

  int wrong = 0;
  for (int v = 0; v < vertices; ++v) wrong += level[v] != expected[v];
  std::printf("bfs: %d vertices, %zu edges, %d levels, %zu reached, %d wrong\n", vertices,
              edges.size(), current, frontier.size(), wrong);
  cudaFree(device_first);
  cudaFree(device_edges);
  cudaFree(device_level);
  cudaFree(device_changed);
  return wrong != 0;
}
