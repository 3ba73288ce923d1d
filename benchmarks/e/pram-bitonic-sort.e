// Sorts N = 2^log_n keys by a bitonic network, which needs no multiprefix.
#include <sort.e>
param log_n = 10;
const N = 1 << log_n, K = 1000;
int A_[N] = [random(5, 0, K - 1)];

bitonic_sort(A_, N);

check {
  int count[K];
  for (int i = 0; i < N; i += 1) {
    if (i > 0) assert(A_[i - 1] <= A_[i], "A_ is sorted");
    count[A_[i]] += 1;
    count[initial(A_[i])] -= 1;
  }
  for (int k = 0; k < K; k += 1) assert(count[k] == 0, "no key was lost");
}
