// The minimum of N integers in shared memory (Figure 18): one multioperation of all fibers.
param N = 2048;
int A_[N] = [random(1, -1000000000, 1000000000)];
int min_ = 0x7fffffffffffffff;

#N: multi(MIN, &min_, A_[$]);

check {
  int least = initial(A_[0]);
  for (int i = 1; i < N; i += 1) least = min(least, initial(A_[i]));
  assert(min_ == least, "min_ is the least of A_");
}
