// The division of a flow's fibers for machines without multiprefixes.
param N = 2048;
int C_[N + 1] = [$ > 0 ? random(6, 0, 1) : 0], T_[N], F_[N];
int i;

for (i = 1, # = N - 1; i < N; # -= i, i <<= 1) C_[$ + i + 1] += C_[$ + 1];
#N: {
  int before$ = C_[$], here$ = C_[$ + 1];
  if (here$ != before$) T_[before$] = $; else F_[$ - here$] = $;
}

check {
  int t = 0, f = 0;
  for (int i = 0; i < N; i += 1) {
    if (initial(C_[i + 1])) {
      assert(T_[t] == i, "T_ holds the fibers for which it is true");
      t += 1;
    } else {
      assert(F_[f] == i, "F_ holds the others");
      f += 1;
    }
  }
}
