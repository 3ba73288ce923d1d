// csort with the technique left to the compiler or the command line: for comparing FS, S2 and O2.
param log_n = 7;
const N = 1 << log_n;
int A_[N] = [($ * 40503 + 7919) & (65535)];
int tmp_[N];

#N*N: multi(ADD, &tmp_[$ & (N - 1)], (A_[$ >> log_n] < A_[$ & (N - 1)]) & 1);
#N: A_[tmp_[$]] = A_[$];

check {
  for (int i = 1; i < N; i += 1) assert(A_[i - 1] < A_[i], "A_ is sorted");
}
