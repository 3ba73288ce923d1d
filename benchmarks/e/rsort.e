// Sorts N integers of 0 … R-1 (Figure 21, as printed but for the sizes of B_ and D_, which are
// exchanged there): multioperations count the keys, a multiprefix finds their places. Keys must
// differ: equal ones get the same place.
param N = 2048, R = 4096;
int A_[N] = [($ * 1221) & (R - 1)], B_[R], D_[N];
int SUM_;

#N: fast_multi(ADD, B_[A_[$]], 1);
#R: prefix(B_[$], ADD, SUM_, B_[$]);
#N: D_[B_[A_[$]]] = A_[$];

check {
  for (int i = 1; i < N; i += 1) assert(D_[i - 1] < D_[i], "D_ is sorted");
}
