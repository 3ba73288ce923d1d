// raddle run examples/e/blocks.e -v
//
// Four flows at once, each with a part of the work of its own; one splits its fibers by a condition.
param N = 64;
int A_[4][N], total_[4], large_, small_;

par (row : 4) {
  #N: {
    A_[row][$] = (row + 1) * $;
    multi(ADD, total_[row], A_[row][$]);
  }
}

#N: {
  int v$ = A_[3][$];
  split (v$ > 100) {
    large_ = #;
    v$ = 100;
  } else {
    small_ = #;
    v$ += $$;
  }
  A_[0][$] = v$;
}

check {
  for (int row = 0; row < 4; row += 1) {
    assert(total_[row] == (row + 1) * N * (N - 1) / 2, "each flow's sum");
  }
  for (int i = 0; i < N; i += 1) {
    assert(A_[0][i] == (4 * i > 100 ? 100 : 4 * i + i), "each fiber took its branch");
  }
  assert(large_ + small_ == N, "no fiber was lost");
}
