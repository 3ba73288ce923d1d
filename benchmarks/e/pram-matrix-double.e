// The product of N x N matrices of doubles.
#include <matrix.e>
param N = 12;
double A_[N][N] = [random(1, -900, 900) / 8.0], B_[N][N] = [random(2, -900, 900) / 8.0], C_[N][N];

multiply_double(A_, B_, C_, N, N, N);

check {
  for (int i = 0; i < N; i += 1) {
    for (int j = 0; j < N; j += 1) {
      double sum = 0;
      for (int k = 0; k < N; k += 1) sum += initial(A_[i][k]) * initial(B_[k][j]);
      assert(C_[i][j] == sum, "C_ is the product: these sums are exact");
    }
  }
}
