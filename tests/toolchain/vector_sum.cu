// The program that the tool chain tests compile and run: c = a + b, checked on the host.
#include <cstdio>

__global__ void vector_sum(const int* a, const int* b, int* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

int main() {
  constexpr int n = 1000;
  int a[n], b[n], c[n];
  for (int i = 0; i < n; ++i) {
    a[i] = i;
    b[i] = 3 * i + 1;
  }
  int *da, *db, *dc;
  cudaMalloc(&da, sizeof a);
  cudaMalloc(&db, sizeof b);
  cudaMalloc(&dc, sizeof c);
  cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice);
  cudaMemcpy(db, b, sizeof b, cudaMemcpyHostToDevice);
  vector_sum<<<(n + 127) / 128, 128>>>(da, db, dc, n);
  cudaMemcpy(c, dc, sizeof c, cudaMemcpyDeviceToHost);
  long sum = 0;
  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    sum += c[i];
    wrong += c[i] != 4 * i + 1;
  }
  std::printf("sum %ld, wrong %d\n", sum, wrong);
  return wrong != 0;
}
