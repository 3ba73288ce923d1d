// Graphs as lists of m edges from_[e] to to_[e].

// level_[v] := the least number of edges from the source to v, or -1. A step's flow is as thick as there are edges, and all that reach
// v write the same level: O(d) steps for a graph in which d edges reach everything. change_[1] is working space.
void breadth_first(int from_[], int to_[], int level_[], int change_[], int n, int m, int source) {
  #n: level_[$] = $ == source ? 0 : -1;
  int depth = 0;
  change_[0] = 1;
  while (change_[0]) {
    change_[0] = 0;
    #m: {
      int v$ = to_[$];
      if (level_[from_[$]] == depth && level_[v$] < 0) {
        level_[v$] = depth + 1;
        change_[0] = 1;
      }
    }
    depth += 1;
  }
}

// label_[v] := the least vertex that v is connected with, whatever the direction of edges. Roots are hooked to the least neighbouring root by a multioperation, then
// paths are halved: O(log n) rounds for most graphs. change_[1] is working space.
void connected_components(int from_[], int to_[], int label_[], int change_[], int n, int m) {
  #n: label_[$] = $;
  change_[0] = 1;
  while (change_[0]) {
    change_[0] = 0;
    #m: {
      int a$ = label_[from_[$]], b$ = label_[to_[$]];
      if (a$ != b$) {
        fast_multi(MIN, label_[max(a$, b$)], min(a$, b$));
        change_[0] = 1;
      }
    }
    #n: {
      label_[$] = label_[label_[$]];
      label_[$] = label_[label_[$]];
    }
  }
}
