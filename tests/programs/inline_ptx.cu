// Inline PTX: operands of every constraint, several instructions and registers of its own, predicates and branches, memory
// clobbers, special registers, carry chains, vector and address-space accesses, bit-field instructions.
#include "check.h"

__device__ unsigned lane_id() {
  unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}

// One percent sign before a register is enough for nvcc.
__device__ unsigned threads_and_lane() {
  unsigned threads, lane;
  asm volatile("mov.u32 %0, %ntid.x;\n\t"
               "mov.u32 %1,%laneid;" : "=r"(threads), "=r"(lane));
  return threads * 100 + lane;
}

// 128-bit addition by the carry flag.
__device__ void add128(const unsigned a[4], const unsigned b[4], unsigned sum[4]) {
  asm("add.cc.u32 %0, %4, %8;\n\t"
      "addc.cc.u32 %1, %5, %9;\n\t"
      "addc.cc.u32 %2, %6, %10;\n\t"
      "addc.u32 %3, %7, %11;"
      : "=r"(sum[0]), "=r"(sum[1]), "=r"(sum[2]), "=r"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]));
}

__device__ int clamp_by_branch(int x, int low, int high) {
  int result;
  asm("{\n\t"
      ".reg .pred p, q;\n\t"
      ".reg .s32 t;\n\t"
      "setp.lt.s32 p, %1, %2;\n\t"
      "setp.gt.s32 q, %1, %3;\n\t"
      "mov.s32 t, %1;\n\t"
      "@p mov.s32 t, %2;\n\t"
      "@q mov.s32 t, %3;\n\t"
      "mov.s32 %0, t;\n\t"
      "}"
      : "=r"(result)
      : "r"(x), "r"(low), "r"(high));
  return result;
}

struct Out {
  unsigned lane, threads_and_lane, sum[4], field, inserted, permuted, lop;
  int clamped, low_product;
  long long wide;
  float fused, root;
  double twice;
  unsigned short narrow;
  int from_shared;
};

__global__ void run(const int* in, Out* out, int4* vector) {
  __shared__ int s[64];
  const int t = threadIdx.x, x = in[t];
  Out& o = out[t];
  o.lane = lane_id();
  o.threads_and_lane = threads_and_lane();
  const unsigned a[4] = {0xffffffffu, 0xffffffffu, (unsigned)x, 1}, b[4] = {(unsigned)t, 0, 0xfffffff0u, 2};
  add128(a, b, o.sum);
  o.clamped = clamp_by_branch(x, -100, 100);
  asm("bfe.u32 %0, %1, 4, 8;" : "=r"(o.field) : "r"(x));
  asm("bfi.b32 %0, %1, %2, 8, 12;" : "=r"(o.inserted) : "r"(t), "r"(x));
  asm("prmt.b32 %0, %1, %2, 0x4321;" : "=r"(o.permuted) : "r"(x), "r"(t));
  asm("lop3.b32 %0, %1, %2, %3, 0xe8;" : "=r"(o.lop) : "r"(x), "r"(t * 77), "r"(0x0f0f0f0f));
  asm("mad.lo.s32 %0, %1, %2, %3;" : "=r"(o.low_product) : "r"(x), "r"(t), "n"(42));
  asm("mul.wide.s32 %0, %1, %2;" : "=l"(o.wide) : "r"(x), "r"(x));
  asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(o.fused) : "f"((float)t), "f"(0.5f), "f"(0.25f));
  asm("sqrt.rn.f32 %0, %1;" : "=f"(o.root) : "f"((float)(t * t)));
  asm("add.f64 %0, %1, %1;" : "=d"(o.twice) : "d"(t * 0.1));
  asm("add.u16 %0, %1, 1;" : "=h"(o.narrow) : "h"((unsigned short)(65530 + t)));
  const unsigned at = (unsigned)__cvta_generic_to_shared(&s[t]);
  asm volatile("st.shared.s32 [%0], %1;" ::"r"(at), "r"(x) : "memory");
  asm volatile("bar.sync 0;" ::: "memory");
  asm volatile("ld.shared.s32 %0, [%1];" : "=r"(o.from_shared) : "r"(at ^ 4) : "memory");
  int x0, x1, x2, x3;
  asm volatile("ld.global.v4.s32 {%0, %1, %2, %3}, [%4];" : "=r"(x0), "=r"(x1), "=r"(x2), "=r"(x3) : "l"(vector + t));
  asm volatile("st.global.v4.s32 [%0], {%1, %2, %3, %4};" ::"l"(vector + t), "r"(x3), "r"(x2), "r"(x1), "r"(x0) : "memory");
  asm volatile("red.global.add.s32 [%0], %1;" ::"l"(&vector[64].x), "r"(x0) : "memory");
}

int main() {
  const int n = 64;
  int* in;
  Out* out;
  int4* vector;
  CUDA_CHECK(cudaMallocManaged(&in, n * sizeof(int)));
  CUDA_CHECK(cudaMallocManaged(&out, n * sizeof(Out)));
  CUDA_CHECK(cudaMallocManaged(&vector, (n + 1) * sizeof(int4)));
  for (int i = 0; i < n; ++i) {
    in[i] = (i - 30) * 1000003;
    vector[i] = make_int4(i, i * 2, i * 3, i * 4);
  }
  vector[n] = make_int4(0, 0, 0, 0);
  run<<<1, n>>>(in, out, vector);
  CHECK_LAUNCH();
  for (int t = 0; t < n; ++t) {
    const Out& o = out[t];
    const int x = in[t];
    const unsigned u = x, y = t * 77, z = 0x0f0f0f0f;
    CHECK_EQUAL_AT(t, o.lane, t % 32u);
    CHECK_EQUAL_AT(t, o.threads_and_lane, 100u * n + t % 32u);
    typedef unsigned __int128 Wide;
    const Wide sum = (((Wide)1 << 96) | ((Wide)u << 64) | ~0ull) + (((Wide)2 << 96) | ((Wide)0xfffffff0u << 64) | (unsigned)t);
    for (int k = 0; k < 4; ++k) CHECK_EQUAL_AT(t * 10 + k, o.sum[k], (unsigned)(sum >> (32 * k)));
    CHECK_EQUAL_AT(t, o.clamped, x < -100 ? -100 : x > 100 ? 100 : x);
    CHECK_EQUAL_AT(t, o.field, u >> 4 & 0xff);
    CHECK_EQUAL_AT(t, o.inserted, (u & ~0xfff00u) | (unsigned)t << 8);
    CHECK_EQUAL_AT(t, o.permuted, u >> 8 | (unsigned)t << 24);
    CHECK_EQUAL_AT(t, o.lop, (u & y) | (u & z) | (y & z));
    CHECK_EQUAL_AT(t, o.low_product, (int)(u * t + 42));
    CHECK_EQUAL_AT(t, o.wide, (long long)x * x);
    CHECK_EQUAL_AT(t, o.fused, t * 0.5f + 0.25f);
    CHECK_EQUAL_AT(t, o.root, (float)t);
    CHECK_EQUAL_AT(t, o.twice, t * 0.1 * 2);
    CHECK_EQUAL_AT(t, o.narrow, (unsigned short)(65531 + t));
    CHECK_EQUAL_AT(t, o.from_shared, in[t ^ 1]);
    CHECK(vector[t].x == t * 4 && vector[t].y == t * 3 && vector[t].z == t * 2 && vector[t].w == t);
  }
  CHECK_EQUAL(vector[n].x, n * (n - 1) / 2);
  return all_ok();
}
