// The sums of all integers before each of N in shared memory (Figure 18): one multiprefix.
param N = 2048;
int A_[N] = [random(1, 0, 1000)], P_[N];
int sum_;

#N: prefix(P_[$], ADD, sum_, A_[$]);

check {
  int sum = 0;
  for (int i = 0; i < N; i += 1) {
    assert(P_[i] == sum, "each prefix is the sum before it");
    sum += initial(A_[i]);
  }
  assert(sum_ == sum, "sum_ is the sum of all");
}
