// csort for keys that may be equal: of two equal keys the one that stands first counts as smaller.
param log_n = 7;
const N = 1 << log_n;
int A_[N] = [random(5, 0, N / 4)];
int tmp_[N];

#N*N: fast_multi(ADD, &tmp_[$ & (N - 1)],
                 (A_[$ >> log_n] * N + ($ >> log_n) < A_[$ & (N - 1)] * N + ($ & (N - 1))) & 1);
#N: A_[tmp_[$]] = A_[$];

check {
  int count[N / 4 + 1];
  for (int i = 0; i < N; i += 1) {
    if (i > 0) assert(A_[i - 1] <= A_[i], "A_ is sorted");
    count[A_[i]] += 1;
    count[initial(A_[i])] -= 1;
  }
  for (int k = 0; k <= N / 4; k += 1) assert(count[k] == 0, "no key was lost");
}
