// mprefix_add with the fast multiprefix, the only one for more prefixes than the step cache holds.
param T = 65536, K = 16;
int A_[T] = [random(2, 0, 1000)], P_[T];
int sum_[K];

#T: fast_prefix(P_[$], ADD, sum_[$ & (K - 1)], A_[$]);

check {
  int total[K];
  for (int i = 0; i < T; i += 1) total[i & (K - 1)] += initial(A_[i]);
  for (int k = 0; k < K; k += 1) assert(sum_[k] == total[k], "each sum is that of its integers");
}
