// The convex hull of N random points, in a constant number of steps with N³ fibers.
#include <hull.e>
param N = 24;
int x_[N] = [random(8, 0, 100)], y_[N] = [random(9, 0, 100)];
int on_[N], follower_[N], outside_[N * N];

convex_hull(x_, y_, on_, follower_, outside_, N);

check {
  // Around the hull from its lowest point, each corner found by trying all points (Jarvis).
  int start = 0, corners = 0;
  for (int i = 1; i < N; i += 1) {
    if (y_[i] < y_[start] || (y_[i] == y_[start] && x_[i] < x_[start])) start = i;
  }
  int at = start, going = 1;
  while (going) {
    int best = at == 0 ? 1 : 0;
    for (int k = 0; k < N; k += 1) {
      int cross = (x_[best] - x_[at]) * (y_[k] - y_[at]) - (y_[best] - y_[at]) * (x_[k] - x_[at]);
      int far = (x_[k] - x_[at]) * (x_[k] - x_[at]) + (y_[k] - y_[at]) * (y_[k] - y_[at]);
      int near = (x_[best] - x_[at]) * (x_[best] - x_[at]) + (y_[best] - y_[at]) * (y_[best] - y_[at]);
      if (cross < 0 || (cross == 0 && far > near)) best = k;
    }
    assert(on_[at], "on_ marks the corners");
    assert(x_[follower_[at]] == x_[best] && y_[follower_[at]] == y_[best], "follower_ is the next corner");
    corners += 1;
    at = best;
    going = at != start && corners <= N;
  }
  int marked = 0;
  for (int i = 0; i < N; i += 1) marked += on_[i];
  assert(marked == corners, "on_ marks nothing else");
  print(corners, " corners");
}
