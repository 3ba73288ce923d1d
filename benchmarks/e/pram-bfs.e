// Breadth-first search over a random directed graph of N vertices and M edges.
#include <graph.e>
param N = 256, M = 1024;
int from_[M] = [random(1, 0, N - 1)], to_[M] = [random(2, 0, N - 1)];
int level_[N], change_[1];

breadth_first(from_, to_, level_, change_, N, M, 0);

check {
  int distance[N];
  for (int v = 1; v < N; v += 1) distance[v] = N;
  // Bellman and Ford, edge by edge.
  int changed = 1;
  while (changed) {
    changed = 0;
    for (int e = 0; e < M; e += 1) {
      if (distance[from_[e]] + 1 < distance[to_[e]]) {
        distance[to_[e]] = distance[from_[e]] + 1;
        changed = 1;
      }
    }
  }
  int depth = 0;
  for (int v = 0; v < N; v += 1) {
    assert(level_[v] == (distance[v] == N ? -1 : distance[v]), "level_ is the distance");
    depth = max(depth, level_[v]);
  }
  print("depth ", depth);
}
