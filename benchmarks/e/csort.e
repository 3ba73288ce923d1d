// Sorts N integers by comparing each with each (Figure 19, as printed): N multioperations count how
// many are smaller. Keys must differ: equal ones get the same place. N is 1 << log_n.
param log_n = 7;
const N = 1 << log_n;
int A_[N] = [($ * 40503 + 7919) & (65535)];
int tmp_[N];

#N*N: fast_multi(ADD, &tmp_[$ & (N - 1)], (A_[$ >> log_n] < A_[$ & (N - 1)]) & 1);
#N: A_[tmp_[$]] = A_[$];

check {
  for (int i = 1; i < N; i += 1) assert(A_[i - 1] < A_[i], "A_ is sorted");
}
