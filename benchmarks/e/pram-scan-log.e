// Prefix sums without multiprefixes, and a sum of doubles.
#include <scan.e>
param N = 1024;
int A_[N] = [random(3, -50, 50)];
double D_[N] = [random(4, 0, 1000) / 8.0];

scan_log(A_, N);
sum_double(D_, N);

check {
  int sum = 0;
  double total = 0;
  for (int i = 0; i < N; i += 1) {
    sum += initial(A_[i]);
    total += initial(D_[i]);
    assert(A_[i] == sum, "A_ holds the sums up to each element");
  }
  assert(D_[0] == total, "D_[0] is the sum: eighths are exact");
}
