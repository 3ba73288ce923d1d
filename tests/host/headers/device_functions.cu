// Names every family of device functions once; compiled for several architectures and for the host.
#include <assert.h>
#include <stdio.h>

#include <algorithm>
#include <cmath>

__constant__ float constant_table[16];
__device__ int device_counter = 3;
static __device__ int static_counter;
__managed__ int managed_value = 5;
extern __shared__ float dynamic_shared[];

__device__ __noinline__ int not_inlined(int a) { return a * a; }
static __device__ __forceinline__ int inlined(int a) { return a + not_inlined(a); }

__global__ void __launch_bounds__(256, 2)
    integer_functions(int* out, unsigned int* uout, long long* lout) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  out[i] = min(i, 3) + max(i, 5) + abs(-i) + __clz(i) + __popc(i) + __ffs(i) + __mul24(i, 3) +
           __mulhi(i, i) + inlined(i);
  uout[i] = min(uout[i], 7u) + max(uout[i], 9) + __brev(uout[i]) +
            __byte_perm(uout[i], 5u, 0x3210u) + __funnelshift_l(uout[i], 1u, 3u) +
            __funnelshift_rc(uout[i], 1u, 3u) + __umulhi(uout[i], 3u) + __usad(1u, 2u, 3u) +
            __vadd4(uout[i], 1u) + __vabsdiffu4(uout[i], 3u) + umin(uout[i], 4u);
  lout[i] = min(lout[i], 4ll) + max(lout[i], 8ll) + llabs(lout[i]) + __clzll(lout[i]) +
            __popcll(lout[i]) + __brevll(lout[i]) + __ffsll(lout[i]) + min(1ul, (unsigned long)i) +
            min(1l, (long)i);
  const dim3 where = blockIdx;
  const uint3 which = threadIdx;
  out[i] += (int)(where.x + which.y + gridDim.z + warpSize);
}

__global__ void float_functions(float* f, double* d) {
  const int i = threadIdx.x;
  f[i] = sinf(f[i]) + cosf(f[i]) + std::sin(f[i]) + exp(f[i]) + std::exp(f[i]) + sqrt(f[i]) +
         rsqrtf(f[i]) + rsqrt(f[i]) + pow(f[i], 2.0f) + pow(f[i], 3) + powf(2.0f, f[i]) +
         __powf(2, f[i]) + __expf(f[i]) + __logf(f[i]) + __sinf(f[i]) + fabs(f[i]) + abs(f[i]) +
         fmin(f[i], 1.0f) + min(f[i], 1.0f) + max(f[i], 2.0f) + floor(f[i]) + ceilf(f[i]) +
         fmodf(f[i], 3.0f) + __fdividef(f[i], 3.0f) + __saturatef(f[i]) +
         __fmaf_rn(f[i], f[i], f[i]) + erff(f[i]) + normcdff(f[i]) + sinpif(f[i]) + cbrtf(f[i]) +
         rcbrtf(f[i]) + exp10f(f[i]) + hypotf(f[i], 2) + tgammaf(f[i]) + j0f(f[i]) +
         ldexpf(f[i], 3) + std::min(f[i], 3.0f) + std::max(f[i], 2.0f) + __frcp_rn(f[i]) +
         __fsqrt_rz(f[i]);
  float sine, cosine;
  sincosf(f[i], &sine, &cosine);
  sincos(f[i], &sine, &cosine);
  __sincosf(f[i], &sine, &cosine);
  f[i] += sine + cosine + (isnan(f[i]) ? 1 : 0) + (std::isnan(f[i]) ? 1 : 0) +
          (isinf(f[i]) ? 1 : 0) + (isfinite(f[i]) ? 1 : 0) + (signbit(f[i]) ? 1 : 0);
  d[i] = sin(d[i]) + std::cos(d[i]) + exp(d[i]) + log2(d[i]) + pow(d[i], 2.5) + pow(d[i], 3) +
         sqrt(d[i]) + fma(d[i], d[i], 1.0) + atan2(d[i], 2.0) + min(d[i], 1.0) + max(d[i], 1.0f) +
         __dadd_rn(d[i], 1.0) + lgamma(d[i]) + erfcinv(d[i]) + round(d[i]) + rint(d[i]) +
         trunc(d[i]) + fmod(d[i], 2.0) + copysign(d[i], -1.0) + abs(d[i]) + sin(1) + sqrt(i);
  f[i] += __int_as_float(__float_as_int(f[i])) + (float)__double2int_rn(d[i]) +
          __uint2float_rn(3u) + __ll2float_rn(4) + (float)__float2int_rd(f[i]) +
          (float)__hiloint2double(1, 2) + float2int(f[i]);
}

__global__ void atomics(int* a, unsigned int* u, unsigned long long* ull, long long* ll, float* f) {
  atomicAdd(a, 1), atomicSub(a, 1), atomicExch(a, 1), atomicMin(a, 1), atomicMax(a, 1),
      atomicAnd(a, 1), atomicOr(a, 1);
  atomicXor(a, 1), atomicCAS(a, 1, 2);
  atomicAdd(u, 1u), atomicSub(u, 1u), atomicExch(u, 1u), atomicMin(u, 1u), atomicMax(u, 1u),
      atomicInc(u, 9u);
  atomicDec(u, 9u), atomicAnd(u, 1u), atomicOr(u, 1u), atomicXor(u, 1u), atomicCAS(u, 1u, 2u);
  atomicAdd(ull, 1ull), atomicExch(ull, 1ull), atomicMin(ull, 1ull), atomicMax(ull, 1ull),
      atomicAnd(ull, 1ull);
  atomicOr(ull, 1ull), atomicXor(ull, 1ull), atomicCAS(ull, 1ull, 2ull);
  atomicMin(ll, 1ll), atomicMax(ll, 1ll);
  atomicAdd(f, 1.0f), atomicExch(f, 1.0f);
  atomicAdd_block(a, 1), atomicAdd_system(f, 1.0f), atomicCAS_block(u, 1u, 2u),
      atomicMax_system(ull, 1ull);
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
  atomicAdd((double*)f, 1.0);
  atomicAdd_block((double*)f, 1.0);
#endif
  __shared__ int tally[4];
  atomicAdd(&tally[threadIdx.x & 3], 1);
  __syncthreads();
  a[0] = tally[0];
}

__global__ void warps(int* out, float* f, double* d, long long* l) {
  const int lane = threadIdx.x & 31;
  out[0] = __shfl(lane, 3) + __shfl_up(lane, 1) + __shfl_down(lane, 2, 16) + __shfl_xor(lane, 1);
  out[1] = __shfl_sync(0xffffffffu, lane, 3) + __shfl_up_sync(~0u, lane, 1) +
           __shfl_down_sync(~0u, lane, 1) + __shfl_xor_sync(~0u, lane, 1);
  f[0] = __shfl_xor_sync(~0u, f[0], 1) + __shfl(f[1], 2);
  d[0] = __shfl_xor_sync(~0u, d[0], 1) + __shfl_down(d[1], 2);
  l[0] = __shfl_xor_sync(~0u, l[0], 1) + __shfl_sync(~0u, (unsigned long)l[1], 0);
  out[2] = __any(lane > 3) + __all(lane > 3) + __ballot(lane > 3) + __any_sync(~0u, lane) +
           __all_sync(~0u, lane) + __ballot_sync(~0u, lane) + __activemask() +
           __uni_sync(~0u, lane);
  out[3] = __syncthreads_count(lane > 3) + __syncthreads_and(lane) + __syncthreads_or(lane);
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
  int agree;
  out[4] = __match_any_sync(~0u, lane) + __match_all_sync(~0u, l[0], &agree) + agree +
           __match_any_sync(~0u, d[0]);
  __nanosleep(10);
#endif
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  out[5] = __reduce_add_sync(~0u, lane) + __reduce_max_sync(~0u, lane) + __reduce_or_sync(~0u, 3u);
#endif
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 610
  out[6] = __dp4a(1, 2, 3) + __dp4a(1u, 2u, 3u) + __dp2a_lo(1, 2, 3);
#endif
  __syncwarp();
  __threadfence();
  __threadfence_block();
  __threadfence_system();
}

__global__ void memory(const float4* __restrict__ in, float4* out, const int* ints, int* written,
                       size_t bytes) {
  float4 v = __ldg(in + threadIdx.x);
  v.x += __ldg(&in[0].x) + __ldcg(&in->y) + (float)__ldcs(ints) + __ldca(in).z +
         (float)__ldcv(ints) + constant_table[threadIdx.x];
  __stcg(written, ints[1]);
  __stcs(out, v);
  __stwt(written + 1, 3);
  dynamic_shared[threadIdx.x] = v.x;
  __syncthreads();
  int local[8];
  for (int i = 0; i < 8; ++i) local[i] = ints[i];
  memcpy(written, local, sizeof(local));
  memset(out, 0, bytes);
  int* heap = (int*)malloc(16);
  if (heap) heap[0] = local[bytes & 7];
  int* fresh = new int[4];
  fresh[0] = 1;
  delete[] fresh;
  free(heap);
  device_counter += static_counter + managed_value;
  written[2] = (int)clock() + (int)clock64() + (int)__isShared(dynamic_shared) +
               (int)__cvta_generic_to_shared(dynamic_shared);
  assert(written[2] != 77);
  if (threadIdx.x == 0) printf("thread %d of %s: %f\n", threadIdx.x, "block", (double)v.x);
  int from_ptx;
  asm volatile("add.s32 %0, %1, 5;" : "=r"(from_ptx) : "r"(written[0]));
  written[3] = from_ptx;
  if (from_ptx == 12345) __trap();
  __prof_trigger(0);
}

template <class T>
__global__ void templated(T* out, T value) {
  out[threadIdx.x] = value + static_cast<T>(max(int(threadIdx.x), 3));
}

struct ByValue {
  float3 a;
  double2 b;
  char c[5];
};
__global__ void takes_struct(const __grid_constant__ ByValue value, float* out) {
  *out = value.a.y + (float)value.b.x + value.c[2];
}

typedef int (*Operation)(int);
__device__ int twice(int a) { return 2 * a; }
__device__ int thrice(int a) { return 3 * a; }
__device__ Operation operations[2] = {twice, thrice};
__global__ void calls_pointer(int* out, int which) { *out = operations[which](*out); }

__host__ __device__ float both_sides(float x) {
  return sqrtf(fabsf(x)) + std::min(x, 1.0f) + max(x, 2.0f) + rsqrtf(x);
}
__global__ void calls_both(float* f) { *f = both_sides(*f); }

int main() {
  int* pointer = 0;
  float* floats = 0;
  cudaMalloc(&pointer, 64);
  cudaMalloc((void**)&floats, 64);
  integer_functions<<<dim3(2, 2), 64>>>(pointer, (unsigned int*)pointer, (long long*)pointer);
  templated<float><<<1, 32, 16, 0>>>(floats, 1.0f);
  templated<<<1, 32>>>(pointer, 3);
  float table[16] = {0};
  cudaMemcpyToSymbol(constant_table, table, sizeof(table));
  cudaMemcpyFromSymbol(table, constant_table, sizeof(float), 4, cudaMemcpyDeviceToHost);
  void* address = 0;
  size_t size = 0;
  cudaGetSymbolAddress(&address, device_counter);
  cudaGetSymbolSize(&size, device_counter);
  cudaFuncSetCacheConfig(float_functions, cudaFuncCachePreferL1);
  cudaFuncAttributes attributes;
  cudaFuncGetAttributes(&attributes, float_functions);
  int grid = 0, block = 0;
  cudaOccupancyMaxPotentialBlockSize(&grid, &block, atomics, 0, 0);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&grid, warps, 128, 0);
  void* arguments[] = {&floats};
  cudaLaunchKernel((const void*)calls_both, dim3(1), dim3(1), arguments, 0, 0);
  managed_value = 7;
  ByValue value = {};
  takes_struct<<<1, 1>>>(value, floats);
  calls_pointer<<<1, 1>>>(pointer, 1);
  float_functions<<<1, 1>>>(floats, (double*)floats);
  memory<<<1, 1, 128>>>((float4*)floats, (float4*)floats, pointer, pointer, 16);
  printf("%f %d %f\n", both_sides(2.0f) + rsqrt(4.0) + normcdf(0.0) + sinpi(0.5),
         max(1, 2) + (int)min(1u, 2), min(1.0f, 2.0));
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
