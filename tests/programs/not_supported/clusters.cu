// Blocks that share their memory: refused where the program asks for them.
#include <cooperative_groups.h>

__global__ void k(int* out) {
  cooperative_groups::this_cluster();
  *out = 1;
}

int main() {
  k<<<1, 1>>>(nullptr);
  return 0;
}
