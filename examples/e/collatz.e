// raddle run examples/e/collatz.e -v
//
// How many steps each number takes to reach 1: fibers decide apart and leave the loop one by one.
param N = 64;
int steps_[N], longest_;

#N: {
  int x$ = $ + 1, n$;
  while (x$ != 1) {
    if (x$ & 1) x$ = 3 * x$ + 1; else x$ >>= 1;
    n$ += 1;
  }
  steps_[$] = n$;
  multi(MAX, longest_, n$);
}

output steps_ to "collatz-steps.txt";

check {
  int longest = 0;
  for (int i = 0; i < N; i += 1) {
    int x = i + 1, n = 0;
    while (x != 1) {
      if (x & 1) x = 3 * x + 1; else x >>= 1;
      n += 1;
    }
    assert(steps_[i] == n, "each number's steps");
    longest = max(longest, n);
  }
  assert(longest_ == longest, "the longest way");
}
