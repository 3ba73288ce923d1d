// K multiprefixes over T integers, K a power of two: fiber i takes part in prefix i mod K.
param T = 65536, K = 16;
int A_[T] = [random(2, 0, 1000)], P_[T];
int sum_[K];

#T: prefix(P_[$], ADD, sum_[$ & (K - 1)], A_[$]);

check {
  int total[K];
  for (int i = 0; i < T; i += 1) {
    assert(P_[i] == total[i & (K - 1)], "each prefix is the sum before it");
    total[i & (K - 1)] += initial(A_[i]);
  }
  for (int k = 0; k < K; k += 1) assert(sum_[k] == total[k], "each sum is that of its integers");
}
