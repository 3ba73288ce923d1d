// S stores of 2048 fibers, one instruction each: the least time of an instruction.
param S = 1;
int A_[2048], B_[2048];

#2048: A_[$] = $;
if (S > 1) #2048: B_[$] = $;

check {
  for (int i = 0; i < 2048; i += 1) {
    assert(A_[i] == i, "A_ holds the fibers' numbers");
    if (S > 1) assert(B_[i] == i, "B_ holds them, too");
  }
}
