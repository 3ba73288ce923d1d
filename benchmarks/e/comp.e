// Compacts the non-zero elements of an array of N integers, in order: one conditional multiprefix.
param N = 2048;
int A_[N] = [random(6, 0, 1) * random(7, 1, 1000)], D_[N];
int n_;

#N: compact(D_, n_, A_[$], A_[$]);

check {
  int count = 0;
  for (int i = 0; i < N; i += 1) {
    if (initial(A_[i])) {
      assert(D_[count] == initial(A_[i]), "D_ holds the elements in order");
      count += 1;
    }
  }
  assert(n_ == count, "n_ counts them");
}
