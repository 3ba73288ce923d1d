// Prefix sums. In e's library all functions are called with one fiber and set the thickness themselves.

// P_[i] := A_[0] + … + A_[i - 1], and total_[0] grows by the sum of all. One multiprefix: O(1) steps.
void scan(int A_[], int P_[], int total_[], int n) {
  #n: prefix(P_[$], ADD, total_[0], A_[$]);
}

// A_[i] := A_[0] + … + A_[i], without multiprefixes: O(log n) steps. Also for doubles, whose sums depend on the order.
void scan_log(int A_[], int n) {
  for (int i = 1; i < n; i += i) #n - i: A_[$ + i] += A_[$];
}
void scan_log_double(double A_[], int n) {
  for (int i = 1; i < n; i += i) #n - i: A_[$ + i] += A_[$];
}

// The sum of n doubles, in A_[0]: O(log n) steps, each half as thick.
void sum_double(double A_[], int n) {
  while (n > 1) {
    int half = (n + 1) / 2;
    #n - half: A_[$] += A_[$ + half];
    n = half;
  }
}
