// Products of N x N matrices of integers by multioperations, and a transposed matrix.
#include <matrix.e>
param N = 12;
int A_[N][N] = [random(1, -9, 9)], B_[N][N] = [random(2, -9, 9)], C_[N][N], T_[N][N];

multiply(A_, B_, C_, N, N, N);
transpose(A_, T_, N, N);

check {
  for (int i = 0; i < N; i += 1) {
    for (int j = 0; j < N; j += 1) {
      int sum = 0;
      for (int k = 0; k < N; k += 1) sum += initial(A_[i][k]) * initial(B_[k][j]);
      assert(C_[i][j] == sum, "C_ is the product");
      assert(T_[j][i] == initial(A_[i][j]), "T_ is A_ transposed");
    }
  }
}
