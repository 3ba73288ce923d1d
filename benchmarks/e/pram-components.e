// Connected components of a random graph of N vertices and M edges.
#include <graph.e>
param N = 256, M = 200;
int from_[M] = [random(1, 0, N - 1)], to_[M] = [random(2, 0, N - 1)];
int label_[N], change_[1];

connected_components(from_, to_, label_, change_, N, M);

check {
  int least[N], components = 0;
  for (int v = 0; v < N; v += 1) least[v] = v;
  int changed = 1;
  while (changed) {
    changed = 0;
    for (int e = 0; e < M; e += 1) {
      int lower = min(least[from_[e]], least[to_[e]]);
      if (least[from_[e]] != least[to_[e]]) changed = 1;
      least[from_[e]] = lower;
      least[to_[e]] = lower;
    }
  }
  for (int v = 0; v < N; v += 1) {
    assert(label_[v] == least[v], "label_ is the least vertex of the component");
    components += least[v] == v ? 1 : 0;
  }
  print(components, " components");
}
