// The convex hull of n points in O(1) steps: n³ fibers test every point against every directed line between two.

// on_[i] := whether point i is a corner; follower_[i] is then the next corner counterclockwise. outside_[n * n] is working space.
// Not all points may lie on one line.
void convex_hull(int x_[], int y_[], int on_[], int follower_[], int outside_[], int n) {
  #n: on_[$] = 0;
  #n * n: outside_[$] = 0;
  #n * n * n: {
    int line$ = $ / n, k$ = $ % n;
    int i$ = line$ / n, j$ = line$ % n;
    int ax$ = x_[k$] - x_[i$], ay$ = y_[k$] - y_[i$];
    int bx$ = x_[k$] - x_[j$], by$ = y_[k$] - y_[j$];
    // Positive where k lies to the left of the line from i to j.
    int cross$ = ax$ * by$ - ay$ * bx$;
    int beyond$ = cross$ == 0 && ax$ * bx$ + ay$ * by$ > 0;
    multi(OR, outside_[line$], (cross$ < 0 || beyond$) & 1);
  }
  #n * n: {
    int i$ = $ / n, j$ = $ % n;
    if (i$ != j$ && outside_[$] == 0) {
      on_[i$] = 1;
      follower_[i$] = j$;
    }
  }
}
