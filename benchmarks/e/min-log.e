// The minimum by the logarithmic loop of Section 1, for machines without multioperations: the
// thickness falls as N - 2^I, three instructions an iteration. It leaves all prefix minima.
param N = 2048;
int A_[N] = [random(1, -1000000000, 1000000000)];

int i;
for (i = 1, # = N - 1; i < N; # -= i, i <<= 1) A_[$ + i] = min(A_[$ + i], A_[$]);

check {
  int least = initial(A_[0]);
  for (int i = 0; i < N; i += 1) {
    least = min(least, initial(A_[i]));
    assert(A_[i] == least, "each element is the least so far");
  }
}
