// The product of two N x N matrices in three steps of N*N*N fibers: N*N multioperations of N
// products each. N is 1 << log_n.
param log_n = 4;
const N = 1 << log_n, M = N * N;
int A_[M] = [random(3, -9, 9)], B_[M] = [random(4, -9, 9)], C_[M];

// Neighbouring fibers work for neighbouring elements of C_: $ = (k, row, column).
#M*N: fast_multi(ADD, &C_[$ & (M - 1)],
                 A_[($ & (M - N)) + ($ >> (2 * log_n))] *
                 B_[($ >> (2 * log_n) << log_n) + ($ & (N - 1))]);

check {
  for (int i = 0; i < N; i += 1) {
    for (int j = 0; j < N; j += 1) {
      int sum = 0;
      for (int k = 0; k < N; k += 1) sum += initial(A_[i * N + k]) * initial(B_[k * N + j]);
      assert(C_[i * N + j] == sum, "C_ is the product");
    }
  }
}
