// Cooperative groups, half precision, bfloat16, complex numbers.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <math_constants.h>

namespace cg = cooperative_groups;

__global__ void groups(int* out) {
  cg::thread_block block = cg::this_thread_block();
  cg::grid_group grid = cg::this_grid();
  auto warp = cg::tiled_partition<32>(block);
  cg::thread_block_tile<8> tile = cg::tiled_partition<8>(warp);
  int value = (int)block.thread_rank();
  for (int distance = warp.size() / 2; distance > 0; distance /= 2)
    value += warp.shfl_down(value, distance);
  value += tile.shfl_xor(value, 1) + tile.any(value > 3) + tile.ballot(value > 1) +
           (int)tile.meta_group_rank();
  value += cg::reduce(warp, value, cg::plus<int>());
  if (value > 7) {
    cg::coalesced_group active = cg::coalesced_threads();
    value +=
        cg::reduce(active, value, cg::greater<int>()) + active.shfl(value, 0) + (int)active.size();
  }
  double wide = tile.shfl(1.5 * value, 2);
  block.sync();
  cg::sync(block);
  warp.sync();
  grid.sync();
  out[grid.thread_rank()] = value + (int)wide + (int)grid.size();
}

__global__ void halves(__half* h, __half2* h2, float* f, __nv_bfloat16* b) {
  const int i = threadIdx.x;
  h[i] = h[i] * h[i + 1] + __float2half(f[i]) - h[2] / h[3];
  h[i] += __hfma(h[i], h[0], h[1]);
  h2[i] = __hfma2(h2[i], h2[i + 1], __float2half2_rn(f[i])) + __floats2half2_rn(f[0], f[1]);
  if (__hgt(h[i], h[i + 1]) || h[i] == h[i + 2]) h[i] = hsqrt(h[i]) + hexp(h[i]);
  f[i] = __half2float(h[i]) + __low2float(h2[i]) + (float)h[i] + (float)__half2int_rn(h[i]);
  b[i] = b[i] * __float2bfloat16(f[i]) + b[i + 1];
  h2[i] = __shfl_xor_sync(0xffffffffu, h2[i], 1);
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
  atomicAdd(h, h[1]);
  atomicAdd(h2, h2[1]);
#endif
}

__global__ void complexes(cuComplex* c, cuDoubleComplex* z) {
  c[0] = cuCaddf(c[0], cuCmulf(c[1], cuCdivf(c[2], make_cuComplex(1.0f, CUDART_PI_F))));
  z[0] = cuCadd(z[0], make_cuDoubleComplex(cuCabs(z[1]), CUDART_INF));
}

int main() {
  int* out = 0;
  cudaMalloc(&out, 1 << 12);
  void* arguments[] = {&out};
  cudaLaunchCooperativeKernel((void*)groups, dim3(2), dim3(64), arguments);
  __half host_half = __float2half(1.5f);
  host_half = host_half * __half(2.0f) + __half(1);
  return __half2float(host_half) == 4.0f && cuCabsf(make_cuComplex(3, 4)) == 5.0f ? 0 : 1;
}
