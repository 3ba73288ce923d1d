// The minimum by the logarithmic algorithm of Figure 1: the thickness halves. N is a power of two.
param N = 2048;
int A_[N] = [random(1, -1000000000, 1000000000)];

for (# = N >> 1; # > 0; # >>= 1) A_[$] = min(A_[$], A_[$ + #]);

check {
  int least = initial(A_[0]);
  for (int i = 1; i < N; i += 1) least = min(least, initial(A_[i]));
  assert(A_[0] == least, "A_[0] is the least of A_");
}
