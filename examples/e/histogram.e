// raddle run examples/e/histogram.e -v
//
// A histogram of N values in two statements: the compiler chooses how BINS sums are added up at once.
param N = 4096, BINS = 64;
int A_[N] = [random(11, 0, BINS - 1)], count_[BINS], fullest_;

#N: multi(ADD, count_[A_[$]], 1);
#BINS: multi(MAX, fullest_, count_[$]);

check {
  int count[BINS];
  int fullest = 0;
  for (int i = 0; i < N; i += 1) count[initial(A_[i])] += 1;
  for (int b = 0; b < BINS; b += 1) {
    assert(count_[b] == count[b], "each bin is counted");
    fullest = max(fullest, count[b]);
  }
  assert(fullest_ == fullest, "the fullest bin");
}
