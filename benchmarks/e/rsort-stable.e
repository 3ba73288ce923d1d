// rsort for keys that may be equal: a fast multiprefix counts the keys and gives each of several
// equal ones a number of its own.
param N = 2048, R = 1024;
int A_[N] = [random(8, 0, R - 1)], B_[R], D_[N];
int SUM_;

#N: {
  int rank$;
  fast_prefix(rank$, ADD, B_[A_[$]], 1);
  #R: prefix(B_[$], ADD, SUM_, B_[$]);
  D_[B_[A_[$]] + rank$] = A_[$];
}

check {
  int count[R];
  for (int i = 0; i < N; i += 1) {
    if (i > 0) assert(D_[i - 1] <= D_[i], "D_ is sorted");
    count[D_[i]] += 1;
    count[initial(A_[i])] -= 1;
  }
  for (int k = 0; k < R; k += 1) assert(count[k] == 0, "no key was lost");
}
