// Three kernels whose counts on another simulator are known (docs/machines/ref.md): one that
// streams, one that lives in shared memory, one with neighbours and clamped borders.
// bench/reference_bench.cpp runs them.

__global__ void vecadd(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

__global__ void matmul(const float* a, const float* b, float* c, int n) {
  __shared__ float tile_a[16][16];
  __shared__ float tile_b[16][16];
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int row = blockIdx.y * 16 + ty;
  const int column = blockIdx.x * 16 + tx;
  float sum = 0;
  for (int tile = 0; tile < n / 16; ++tile) {
    tile_a[ty][tx] = a[row * n + tile * 16 + tx];
    tile_b[ty][tx] = b[(tile * 16 + ty) * n + column];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k) sum += tile_a[ty][k] * tile_b[k][tx];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

__global__ void hotspot(const float* temperature, const float* power, float* out, int n) {
  const int x = blockIdx.x * 16 + threadIdx.x;
  const int y = blockIdx.y * 16 + threadIdx.y;
  const int west = x > 0 ? x - 1 : 0;
  const int east = x < n - 1 ? x + 1 : n - 1;
  const int north = y > 0 ? y - 1 : 0;
  const int south = y < n - 1 ? y + 1 : n - 1;
  const float here = temperature[y * n + x];
  const float change =
      power[y * n + x] +
      (temperature[north * n + x] + temperature[south * n + x] - 2.0f * here) * 0.1f +
      (temperature[y * n + west] + temperature[y * n + east] - 2.0f * here) * 0.1f +
      (80.0f - here) * 0.01f;
  out[y * n + x] = here + 0.5f * change;
}
