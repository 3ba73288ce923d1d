// raddle run examples/e/bfs.e -v
//
// Breadth-first search in a graph of N vertices with D edges each: the frontier is a flow as thick as
// it has edges; a conditional multiprefix gathers the vertices that were reached for the first time.
param N = 256, D = 4;
const E = N * D;
int to_[E] = [(($ / D) * 5 + ($ % D) * ($ % D) * 7 + 1) % N];
int level_[N] = [$ > 0 ? -1 : 0], owner_[N], frontier_[N], next_[E], n_, m_;
int size = 1, depth;

frontier_[0] = 0;
while (size > 0) {
  depth += 1;
  m_ = 0;
  #size * D: {
    int target$ = to_[frontier_[$ / D] * D + $ % D];
    int is_new$ = level_[target$] < 0;
    // Of several edges to one vertex the one with the lowest number speaks for it.
    if (is_new$) owner_[target$] = $;
    if (is_new$) is_new$ = owner_[target$] == $;
    if (is_new$) level_[target$] = depth;
    compact(next_, m_, is_new$, target$);
  }
  size = m_;
  #size: frontier_[$] = next_[$];
}

check {
  // Every vertex that has a level has a neighbour one level below it.
  int reached = 0;
  for (int v = 0; v < N; v += 1) {
    if (level_[v] >= 0) reached += 1;
    if (level_[v] > 0) {
      int has_parent = 0;
      for (int e = 0; e < E; e += 1) {
        if (to_[e] == v && level_[e / D] == level_[v] - 1) has_parent = 1;
      }
      assert(has_parent, "a vertex is reached from the level before");
    }
  }
  // And no edge leads more than one level down.
  for (int e = 0; e < E; e += 1) {
    if (level_[e / D] >= 0) {
      assert(level_[to_[e]] >= 0 && level_[to_[e]] <= level_[e / D] + 1, "levels are least");
    }
  }
  assert(reached > N / 2, "most of the graph was searched");
}
