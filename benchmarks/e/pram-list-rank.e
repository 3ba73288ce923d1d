// Ranks a list of N elements, a power of two, that jumps through the whole array.
#include <list.e>
param N = 1024;
int next_[N] = [$ == N - 77 % N ? $ : ($ + 77) & (N - 1)], rank_[N];

rank_list(next_, rank_, N);

check {
  int at = 0, ranks = N - 1;
  for (int i = 0; i < N; i += 1) {
    assert(rank_[at] == ranks, "rank_ counts the elements after each");
    ranks -= 1;
    at = initial(next_[at]);
  }
  assert(ranks == -1, "the list has all elements");
}
