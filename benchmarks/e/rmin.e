// The minimum of N values that fibers have in registers: what a multioperation costs by itself.
param N = 2048;
int min_ = 0x7fffffffffffffff;

#N: multi(MIN, &min_, ($ * 40503 + 17) & 0xffff);

check {
  int least = 0x7fffffffffffffff;
  for (int i = 0; i < N; i += 1) least = min(least, (i * 40503 + 17) & 0xffff);
  assert(min_ == least, "min_ is the least of all values");
}
