// Tables of strings in kernels: local ones, which the compiler would like to turn into tables of distances, and those of
// __device__ and __constant__ variables.
#include <string.h>

#include "check.h"

__device__ const char* names[3] = {"alpha", "beta", "gamma"};
__constant__ const char* letters[3] = {"x", "yy", "zzz"};

__device__ int copy(char* out, const char* text) {
  int n = 0;
  while (text[n]) {
    out[n] = text[n];
    ++n;
  }
  return n;
}

__global__ void choose(char* out) {
  const char* words[] = {"one", "three", "seven"};
  char* place = out + 32 * threadIdx.x;
  place += copy(place, words[threadIdx.x]);
  place += copy(place, names[threadIdx.x]);
  place += copy(place, letters[threadIdx.x]);
  *place = 0;
}

int main() {
  char* out;
  CUDA_CHECK(cudaMallocManaged(&out, 96));
  choose<<<1, 3>>>(out);
  CHECK_LAUNCH();
  CHECK(strcmp(out, "onealphax") == 0);
  CHECK(strcmp(out + 32, "threebetayy") == 0);
  CHECK(strcmp(out + 64, "sevengammazzz") == 0);
  return all_ok();
}
