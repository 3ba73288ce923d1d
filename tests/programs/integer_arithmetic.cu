// Integer operations of every width against the host's own: division and remainder, minimum, maximum, absolute value,
// saturation, 24-bit and high products, bit counting and permuting. Host and device run the same expressions where C++ has
// them; intrinsics are compared with a plain definition.
#include <stdint.h>

#include "check.h"

constexpr int kPairs = 96;

template <class T>
struct Results {
  T sum, difference, product, quotient, remainder, low, high, left, right, bits;
  int order;
};

template <class T>
__host__ __device__ Results<T> compute(T a, T b) {
  Results<T> r;
  const T divisor = b == 0 ? (T)1 : b == (T)-1 ? (T)3 : b;
  const int shift = (int)((unsigned)b % (sizeof(T) * 8));
  r.sum = (T)((uint64_t)a + (uint64_t)b);
  r.difference = (T)((uint64_t)a - (uint64_t)b);
  r.product = (T)((uint64_t)a * (uint64_t)b);
  r.quotient = (T)(a / divisor);
  r.remainder = (T)(a % divisor);
  r.low = a < b ? a : b;
  r.high = a < b ? b : a;
  r.left = (T)((uint64_t)a << shift);
  r.right = (T)(a >> shift);
  r.bits = (T)((a & b) ^ (a | ~b));
  r.order = (a < b) * 1 + (a <= b) * 2 + (a == b) * 4 + (a > b) * 8;
  return r;
}

template <class T>
__global__ void compute_all(const T* a, const T* b, Results<T>* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kPairs) out[i] = compute(a[i], b[i]);
}

template <class T>
void check_type() {
  T *a, *b;
  Results<T>* out;
  CUDA_CHECK(cudaMallocManaged(&a, kPairs * sizeof(T)));
  CUDA_CHECK(cudaMallocManaged(&b, kPairs * sizeof(T)));
  CUDA_CHECK(cudaMallocManaged(&out, kPairs * sizeof(Results<T>)));
  const uint64_t corners[] = {0, 1, ~0ull, 0x80, 0x7f, 0x8000, 0x7fff, 0x80000000, 0x7fffffff, 1ull << 63, ~(1ull << 63), 10};
  uint64_t state = 12345;
  for (int i = 0; i < kPairs; ++i) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    a[i] = (T)(i < 48 ? corners[i % 12] : state >> 7);
    b[i] = (T)(i < 48 ? corners[(i / 4 + i) % 12] : state >> (20 + i % 40));
  }
  compute_all<<<2, 64>>>(a, b, out);
  CHECK_LAUNCH();
  for (int i = 0; i < kPairs; ++i) {
    const Results<T> r = compute(a[i], b[i]);
    CHECK_EQUAL_AT(i, out[i].sum, r.sum);
    CHECK_EQUAL_AT(i, out[i].difference, r.difference);
    CHECK_EQUAL_AT(i, out[i].product, r.product);
    CHECK_EQUAL_AT(i, out[i].quotient, r.quotient);
    CHECK_EQUAL_AT(i, out[i].remainder, r.remainder);
    CHECK_EQUAL_AT(i, out[i].low, r.low);
    CHECK_EQUAL_AT(i, out[i].high, r.high);
    CHECK_EQUAL_AT(i, out[i].left, r.left);
    CHECK_EQUAL_AT(i, out[i].right, r.right);
    CHECK_EQUAL_AT(i, out[i].bits, r.bits);
    CHECK_EQUAL_AT(i, out[i].order, r.order);
  }
}

enum { kMul24, kUmul24, kMulhi, kUmulhi, kAbs, kMin, kUmax, kClz, kPopc, kFfs, kBrev, kPerm, kSad, kUsad, kHadd, kRhadd,
       kFunnel, kDivConstant, kRemConstant, kIntrinsics };

__global__ void intrinsics(const int* a, const int* b, int* out) {
  const int x = a[threadIdx.x], y = b[threadIdx.x];
  int* r = out + threadIdx.x * kIntrinsics;
  r[kMul24] = __mul24(x, y);
  r[kUmul24] = __umul24(x, y);
  r[kMulhi] = __mulhi(x, y);
  r[kUmulhi] = __umulhi(x, y);
  r[kAbs] = abs(x);
  r[kMin] = min(x, y);
  r[kUmax] = max((unsigned)x, (unsigned)y);
  r[kClz] = __clz(x) + 100 * __clzll(((long long)x << 20) & 0x7fffffffffffffffll);
  r[kPopc] = __popc(x) + 100 * __popcll(((unsigned long long)x << 32) | (unsigned)y);
  r[kFfs] = __ffs(x);
  r[kBrev] = __brev(x);
  r[kPerm] = __byte_perm(x, y, 0x5170);
  r[kSad] = __sad(x, y, 7);
  r[kUsad] = __usad(x, y, 7);
  r[kHadd] = __hadd(x, y);
  r[kRhadd] = __urhadd(x, y);
  r[kFunnel] = __funnelshift_l(x, y, 13);
  r[kDivConstant] = x / 7 + (unsigned)y / 10u;
  r[kRemConstant] = x % 7 + (unsigned)y % 10u + y % 16;
}

static int sign24(int v) { return (int)((unsigned)v << 8) >> 8; }

static void expected_intrinsics(int x, int y, int* r) {
  const unsigned ux = x, uy = y;
  const uint64_t shifted = ((uint64_t)(int64_t)x << 20) & 0x7fffffffffffffffull, both = ((uint64_t)ux << 32) | uy;
  r[kMul24] = (int)((int64_t)sign24(x) * sign24(y));
  r[kUmul24] = (int)((uint64_t)(ux & 0xffffff) * (uy & 0xffffff));
  r[kMulhi] = (int)(((int64_t)x * y) >> 32);
  r[kUmulhi] = (int)(((uint64_t)ux * uy) >> 32);
  r[kAbs] = x < 0 ? (int)(0u - ux) : x;
  r[kMin] = x < y ? x : y;
  r[kUmax] = ux > uy ? ux : uy;
  r[kClz] = (x ? __builtin_clz(ux) : 32) + 100 * (shifted ? __builtin_clzll(shifted) : 64);
  r[kPopc] = __builtin_popcount(ux) + 100 * __builtin_popcountll(both);
  r[kFfs] = __builtin_ffs(x);
  unsigned reversed = 0;
  for (int i = 0; i < 32; ++i) reversed |= (ux >> i & 1) << (31 - i);
  r[kBrev] = reversed;
  unsigned char bytes[8], picked[4];
  memcpy(bytes, &x, 4);
  memcpy(bytes + 4, &y, 4);
  const int selectors[4] = {0, 7, 1, 5};
  for (int i = 0; i < 4; ++i) picked[i] = bytes[selectors[i]];
  memcpy(&r[kPerm], picked, 4);
  r[kSad] = (int)(7 + (unsigned)(x > y ? (int64_t)x - y : (int64_t)y - x));
  r[kUsad] = 7 + (ux > uy ? ux - uy : uy - ux);
  r[kHadd] = (int)(((int64_t)x + y) >> 1);
  r[kRhadd] = (int)(((uint64_t)ux + uy + 1) >> 1);
  r[kFunnel] = (int)(uy << 13 | ux >> 19);
  r[kDivConstant] = x / 7 + (int)(uy / 10u);
  r[kRemConstant] = x % 7 + (int)(uy % 10u) + y % 16;
}

int main() {
  check_type<signed char>();
  check_type<unsigned char>();
  check_type<short>();
  check_type<unsigned short>();
  check_type<int>();
  check_type<unsigned>();
  check_type<long long>();
  check_type<unsigned long long>();

  const int n = 64;
  int *a, *b, *out, expected[kIntrinsics];
  CUDA_CHECK(cudaMallocManaged(&a, n * sizeof(int)));
  CUDA_CHECK(cudaMallocManaged(&b, n * sizeof(int)));
  CUDA_CHECK(cudaMallocManaged(&out, n * kIntrinsics * sizeof(int)));
  unsigned state = 99;
  for (int i = 0; i < n; ++i) {
    a[i] = i == 0 ? 0 : i == 1 ? INT_MIN : i == 2 ? -1 : (int)((state = state * 1664525u + 1013904223u) >> (i % 20));
    b[i] = i == 3 ? INT_MAX : (int)(state = state * 1664525u + 1013904223u);
  }
  intrinsics<<<1, n>>>(a, b, out);
  CHECK_LAUNCH();
  for (int i = 0; i < n; ++i) {
    expected_intrinsics(a[i], b[i], expected);
    for (int k = 0; k < kIntrinsics; ++k) CHECK_EQUAL_AT(i * 100 + k, out[i * kIntrinsics + k], expected[k]);
  }
  return all_ok();
}
