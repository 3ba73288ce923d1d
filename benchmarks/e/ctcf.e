// Divides the N fibers of a flow by a condition: the numbers of those for which it holds go to T_, the
// others to F_, as a split needs them. Two conditional multiprefixes at once.
param N = 2048;
int C_[N] = [random(6, 0, 1)], T_[N], F_[N];
int t_, f_;

#N: partition(T_, t_, F_, f_, C_[$], $);

check {
  int t = 0, f = 0;
  for (int i = 0; i < N; i += 1) {
    if (initial(C_[i])) {
      assert(T_[t] == i, "T_ holds the fibers for which it is true");
      t += 1;
    } else {
      assert(F_[f] == i, "F_ holds the others");
      f += 1;
    }
  }
  assert(t_ == t && f_ == f, "t_ and f_ count them");
}
