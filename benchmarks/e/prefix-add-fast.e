// prefix_add with the fast multiprefix: prefixes come in order of arrival, so that only their sum is
// promised.
param N = 2048;
int A_[N] = [random(1, 0, 1000)], P_[N];
int sum_;

#N: fast_prefix(P_[$], ADD, sum_, A_[$]);

check {
  int sum = 0;
  for (int i = 0; i < N; i += 1) sum += initial(A_[i]);
  assert(sum_ == sum, "sum_ is the sum of all");
  // Every prefix is that of some order: none repeats, for all integers differ from 0 or are last.
  for (int i = 0; i < N; i += 1) assert(P_[i] >= 0 && P_[i] + initial(A_[i]) <= sum, "a prefix");
}
