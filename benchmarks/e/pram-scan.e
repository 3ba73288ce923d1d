// Prefix sums by one multiprefix.
#include <scan.e>
param N = 1024;
int A_[N] = [random(3, -50, 50)], P_[N], total_[1];

scan(A_, P_, total_, N);

check {
  int sum = 0;
  for (int i = 0; i < N; i += 1) {
    assert(P_[i] == sum, "P_ holds the sums before each element");
    sum += initial(A_[i]);
  }
  assert(total_[0] == sum, "total_ is the sum");
}
