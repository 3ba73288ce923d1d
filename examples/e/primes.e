// raddle run examples/e/primes.e -v
//
// The primes below N: a sieve whose thickness follows the work, then a compaction in order.
param N = 1000;
int composite_[N], primes_[N], n_;
int p;

for (p = 2; p * p < N; p += 1) {
  if (!composite_[p]) #(N - 1) / p - p + 1: composite_[($ + p) * p] = 1;
}
#N - 2: compact(primes_, n_, !composite_[$ + 2], $ + 2);

output primes_ to "primes.txt";

check {
  int found = 0;
  for (int i = 2; i < N; i += 1) {
    int is_prime = 1;
    for (int d = 2; d * d <= i; d += 1) if (i % d == 0) is_prime = 0;
    if (is_prime) {
      assert(primes_[found] == i, "primes in ascending order");
      found += 1;
    }
  }
  assert(n_ == found, "n_ counts them");
}
