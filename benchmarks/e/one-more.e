// One instruction of 2048 fibers, or two (S=2): the first then has eight ALU operations and no access
// to memory, so that the difference is the least time of an instruction.
param S = 1;
int A_[2048];

if (S > 1) #2048: A_[$] = ((((((((((($ * 3) ^ 5) + 7) * 3) ^ 9) + 1) * 5) ^ 3) + 2) * 3) ^ 1;
else #2048: A_[$] = (($ * 3) ^ 5) + 7;

check {
  for (int i = 0; i < 2048; i += 1) {
    int x = ((i * 3) ^ 5) + 7;
    if (S > 1) x = ((((((((x * 3) ^ 9) + 1) * 5) ^ 3) + 2) * 3) ^ 1);
    assert(A_[i] == x, "A_ holds what the fibers computed");
  }
}
