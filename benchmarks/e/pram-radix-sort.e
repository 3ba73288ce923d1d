// Sorts N keys of a few bits, one multiprefix a bit.
#include <sort.e>
param N = 1024, bits = 12;
int A_[N] = [random(5, 0, (1 << bits) - 1)], B_[N], count_[2];

radix_sort(A_, B_, count_, N, bits);

check {
  int count[1 << bits];
  for (int i = 0; i < N; i += 1) {
    if (i > 0) assert(A_[i - 1] <= A_[i], "A_ is sorted");
    count[A_[i]] += 1;
    count[initial(A_[i])] -= 1;
  }
  for (int k = 0; k < 1 << bits; k += 1) assert(count[k] == 0, "no key was lost");
}
