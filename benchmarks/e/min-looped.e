// min inside of a loop that is run once, as a machine with a fixed number of threads needs it when
// there are more elements than threads: what its header costs.
param N = 2048, rounds = 1;
int A_[N] = [random(1, -1000000000, 1000000000)];
int min_ = 0x7fffffffffffffff;
int i;

do {
  #N: multi(MIN, &min_, A_[$]);
  i += 1;
} while (i < rounds);

check {
  int least = initial(A_[0]);
  for (int i = 1; i < N; i += 1) least = min(least, initial(A_[i]));
  assert(min_ == least, "min_ is the least of A_");
}
