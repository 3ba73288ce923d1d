// Sorting in ascending order.

// By the lower `bits` bits of keys that are not negative, stable: one multiprefix a bit, O(bits) steps. B_ and count_[2] are
// working space.
void radix_sort(int A_[], int B_[], int count_[], int n, int bits) {
  for (int bit = 0; bit < bits; bit += 1) {
    #2: count_[$] = 0;
    #n: {
      int key$ = A_[$], place$;
      prefix(place$, ADD, count_[(key$ >> bit) & 1], 1);
      B_[place$ + ((key$ >> bit) & 1 ? count_[0] : 0)] = key$;
      A_[$] = B_[$];
    }
  }
}

// By comparing, for machines without multiprefixes: Batcher's bitonic network, O(log² n) steps. n is a power of two.
void bitonic_sort(int A_[], int n) {
  for (int k = 2; k <= n; k += k) {
    for (int j = k >> 1; j > 0; j >>= 1) {
      #n / 2: {
        int low$ = (($ & ~(j - 1)) << 1) | ($ & (j - 1));
        int a$ = A_[low$], b$ = A_[low$ + j];
        int up$ = (low$ & k) == 0;
        A_[low$] = up$ ? min(a$, b$) : max(a$, b$);
        A_[low$ + j] = up$ ? max(a$, b$) : min(a$, b$);
      }
    }
  }
}
