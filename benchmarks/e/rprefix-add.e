// Prefixes of N values that fibers have in registers, into registers.
param N = 2048;
int sum_;

#N: {
  int p$;
  prefix(p$, ADD, sum_, $ & 1023);
}

check {
  int sum = 0;
  for (int i = 0; i < N; i += 1) sum += i & 1023;
  assert(sum_ == sum, "sum_ is the sum of all");
}
