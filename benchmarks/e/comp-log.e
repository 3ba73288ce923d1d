// Compaction for machines without multiprefixes: the loop of Section 1 over a mask, then a store.
param N = 2048;
int A_[N] = [random(6, 0, 1) * random(7, 1, 1000)], M_[N] = [random(6, 0, 1)], D_[N];
int i;

for (i = 1, # = N - 1; i < N; # -= i, i <<= 1) M_[$ + i] += M_[$];
#N: if (A_[$]) D_[M_[$] - 1] = A_[$];

check {
  int count = 0;
  for (int i = 0; i < N; i += 1) {
    if (initial(A_[i])) {
      assert(D_[count] == initial(A_[i]), "D_ holds the elements in order");
      count += 1;
    }
  }
}
