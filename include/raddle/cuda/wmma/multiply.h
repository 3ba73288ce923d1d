// mma_sync() and bmma_sync() in terms of the instruction mma.sync; read by mma.h alone.
#ifndef RADDLE_WMMA
#error "include mma.h"
#endif

namespace nvcuda {
namespace wmma {
namespace details {

// One instruction; a, b, c and d are what the lane holds of a piece.
template <class A, class B, class D, int k>
struct multiply;

#define RADDLE_MMA_4_2(a_type, b_type, k, shape, types)                                        \
  template <>                                                                                  \
  struct multiply<a_type, b_type, float, k> {                                                  \
    static RADDLE_WMMA void run(float* d, const unsigned int* a, const unsigned int* b,        \
                                const float* c) {                                              \
      __asm__ __volatile__("mma.sync.aligned." shape ".row.col." types                         \
                           " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"        \
                           : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])                    \
                           : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), \
                             "f"(c[0]), "f"(c[1]), "f"(c[2]), "f"(c[3]));                      \
    }                                                                                          \
  };
RADDLE_MMA_4_2(__half, __half, 16, "m16n8k16", "f32.f16.f16.f32")
RADDLE_MMA_4_2(__nv_bfloat16, __nv_bfloat16, 16, "m16n8k16", "f32.bf16.bf16.f32")
RADDLE_MMA_4_2(precision::tf32, precision::tf32, 8, "m16n8k8", "f32.tf32.tf32.f32")
#undef RADDLE_MMA_4_2

template <>
struct multiply<__half, __half, __half, 16> {
  static RADDLE_WMMA void run(__half* d, const unsigned int* a, const unsigned int* b,
                              const __half* c) {
    unsigned int in[2], out[2];
    __builtin_memcpy(in, c, sizeof(in));
    __asm__ __volatile__(
        "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, "
        "{%8,%9};"
        : "=r"(out[0]), "=r"(out[1])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(in[0]), "r"(in[1]));
    __builtin_memcpy(d, out, sizeof(out));
  }
};

#define RADDLE_MMA_BYTES(a_type, b_type, types)                                                 \
  template <>                                                                                   \
  struct multiply<a_type, b_type, int, 16> {                                                    \
    static RADDLE_WMMA void run(int* d, const unsigned int* a, const unsigned int* b,           \
                                const int* c) {                                                 \
      __asm__ __volatile__("mma.sync.aligned.m16n8k16.row.col." types                           \
                           " {%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10};"                     \
                           : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])                     \
                           : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(c[0]), "r"(c[1]), "r"(c[2]),  \
                             "r"(c[3]));                                                        \
    }                                                                                           \
    static RADDLE_WMMA void run_saturated(int* d, const unsigned int* a, const unsigned int* b, \
                                          const int* c) {                                       \
      __asm__ __volatile__("mma.sync.aligned.m16n8k16.row.col.satfinite." types                 \
                           " {%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10};"                     \
                           : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])                     \
                           : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(c[0]), "r"(c[1]), "r"(c[2]),  \
                             "r"(c[3]));                                                        \
    }                                                                                           \
  };
RADDLE_MMA_BYTES(signed char, signed char, "s32.s8.s8.s32")
RADDLE_MMA_BYTES(unsigned char, unsigned char, "s32.u8.u8.s32")
#undef RADDLE_MMA_BYTES

template <>
struct multiply<double, double, double, 4> {
  static RADDLE_WMMA void run(double* d, const double* a, const double* b, const double* c) {
    __asm__ __volatile__(
        "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%4,%5};"
        : "=d"(d[0]), "=d"(d[1])
        : "d"(a[0]), "d"(b[0]), "d"(c[0]), "d"(c[1]));
  }
};

#define RADDLE_MMA_SMALL(type, k, shape, types, suffix, name)                                 \
  RADDLE_WMMA void name(int* d, const unsigned int* a, const unsigned int* b, const int* c) { \
    __asm__ __volatile__("mma.sync.aligned." shape ".row.col." types suffix                   \
                         " {%0,%1}, {%2}, {%3}, {%4,%5};"                                     \
                         : "=r"(d[0]), "=r"(d[1])                                             \
                         : "r"(a[0]), "r"(b[0]), "r"(c[0]), "r"(c[1]));                       \
  }
RADDLE_MMA_SMALL(experimental::precision::s4, 32, "m8n8k32", "s32.s4.s4.s32", "", multiply_s4)
RADDLE_MMA_SMALL(experimental::precision::u4, 32, "m8n8k32", "s32.u4.u4.s32", "", multiply_u4)
RADDLE_MMA_SMALL(experimental::precision::b1, 128, "m8n8k128", "s32.b1.b1.s32", ".xor.popc",
                 multiply_xor)
RADDLE_MMA_SMALL(experimental::precision::b1, 128, "m8n8k128", "s32.b1.b1.s32", ".and.popc",
                 multiply_and)
#undef RADDLE_MMA_SMALL
template <>
struct multiply<experimental::precision::s4, experimental::precision::s4, int, 32> {
  static RADDLE_WMMA void run(int* d, const unsigned int* a, const unsigned int* b, const int* c) {
    multiply_s4(d, a, b, c);
  }
};
template <>
struct multiply<experimental::precision::u4, experimental::precision::u4, int, 32> {
  static RADDLE_WMMA void run(int* d, const unsigned int* a, const unsigned int* b, const int* c) {
    multiply_u4(d, a, b, c);
  }
};

// The registers of a fragment of A or B; doubles are their own.
template <class Word, class Fragment>
struct register_words {
  Word words[Fragment::words];
  explicit RADDLE_WMMA register_words(const Fragment& source) {
    static_assert(sizeof(words) == sizeof(source.x), "fragments are whole registers");
    __builtin_memcpy(words, source.x, sizeof(words));
  }
};
template <class T>
struct word_of {
  typedef unsigned int type;
};
template <>
struct word_of<double> {
  typedef double type;
};

// What C and D hold while they are added to: float if either is.
template <class C, class D>
struct sum_type {
  typedef float type;
};
template <class T>
struct sum_type<T, T> {
  typedef T type;
};

}  // namespace details

template <int m, int n, int k, class A, class ALayout, class B, class BLayout, class C, class D>
RADDLE_WMMA void mma_sync(fragment<accumulator, m, n, k, D>& d,
                          const fragment<matrix_a, m, n, k, A, ALayout>& a,
                          const fragment<matrix_b, m, n, k, B, BLayout>& b,
                          const fragment<accumulator, m, n, k, C>& c, bool saturate = false) {
  typedef details::pieces<m, n> pieces;
  typedef typename details::word_of<A>::type Word;
  typedef typename details::sum_type<C, D>::type Sum;
  constexpr int count = m * n / 32, step = count / pieces::c;
  const details::register_words<Word, fragment<matrix_a, m, n, k, A, ALayout>> a_words(a);
  const details::register_words<Word, fragment<matrix_b, m, n, k, B, BLayout>> b_words(b);
  const int a_step = a.words / pieces::a, b_step = b.words / pieces::b;
  Sum in[count], out[count];
#pragma unroll
  for (int i = 0; i < count; ++i) in[i] = (Sum)c.x[i];
#pragma unroll
  for (int p = 0; p < pieces::c; ++p) {
    const Word* a_piece = a_words.words + (pieces::a > 1 ? p * a_step : 0);
    const Word* b_piece = b_words.words + (pieces::b > 1 ? p * b_step : 0);
    const Word* left = pieces::swapped ? b_piece : a_piece;
    const Word* right = pieces::swapped ? a_piece : b_piece;
    typedef details::multiply<A, B, Sum, k> multiply;
    if constexpr (details::element<A>::bits == 8) {
      if (saturate) {
        multiply::run_saturated(out + p * step, left, right, in + p * step);
        continue;
      }
    }
    multiply::run(out + p * step, left, right, in + p * step);
  }
#pragma unroll
  for (int i = 0; i < count; ++i) d.x[i] = (D)out[i];
}

// Products of bits: what differs or what both have, counted.
template <class ALayout, class BLayout>
RADDLE_WMMA void bmma_sync(
    fragment<accumulator, 8, 8, 128, int>& d,
    const fragment<matrix_a, 8, 8, 128, experimental::precision::b1, ALayout>& a,
    const fragment<matrix_b, 8, 8, 128, experimental::precision::b1, BLayout>& b,
    const fragment<accumulator, 8, 8, 128, int>& c,
    experimental::bmmaBitOp operation = experimental::bmmaBitOpXOR,
    experimental::bmmaAccumulateOp = experimental::bmmaAccumulateOpPOPC) {
  int out[2];
  if (operation == experimental::bmmaBitOpAND) {
    details::multiply_and(out, a.x, b.x, c.x);
  } else {
    details::multiply_xor(out, a.x, b.x, c.x);
  }
  d.x[0] = out[0];
  d.x[1] = out[1];
}

}  // namespace wmma
}  // namespace nvcuda
