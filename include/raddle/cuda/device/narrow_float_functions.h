// What __half and __nv_bfloat16 have in common beyond their arithmetic: saturating forms,
// comparisons, operators, conversions to integers, mathematical functions, and what lanes and
// memory do with them. Read by cuda_fp16.h and cuda_bf16.h, which say which of the two it is:
// RADDLE_NARROW, RADDLE_NARROW2 and what their names contain.
#if !defined(RADDLE_NARROW) || !defined(RADDLE_NARROW2)
#error "include cuda_fp16.h or cuda_bf16.h"
#endif

// --- arithmetic ------------------------------------------------------------------------------------------------------
__RADDLE_HOST_DEVICE__ RADDLE_NARROW __hdiv(const RADDLE_NARROW a, const RADDLE_NARROW b) {
  return RADDLE_NARROW((float)a / (float)b);
}
__RADDLE_HOST_DEVICE__ RADDLE_NARROW2 __h2div(const RADDLE_NARROW2 a, const RADDLE_NARROW2 b) {
  return RADDLE_NARROW2(__hdiv(a.x, b.x), __hdiv(a.y, b.y));
}
__RADDLE_HOST_DEVICE__ RADDLE_NARROW2 __hfma2(const RADDLE_NARROW2 a, const RADDLE_NARROW2 b,
                                              const RADDLE_NARROW2 c) {
  return RADDLE_NARROW2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
__RADDLE_HOST_DEVICE__ RADDLE_NARROW __hneg(const RADDLE_NARROW a) {
  RADDLE_NARROW result = a;
  result.__x = (unsigned short)(a.__x ^ 0x8000u);
  return result;
}
__RADDLE_HOST_DEVICE__ RADDLE_NARROW __habs(const RADDLE_NARROW a) {
  RADDLE_NARROW result = a;
  result.__x = (unsigned short)(a.__x & 0x7fffu);
  return result;
}
__RADDLE_HOST_DEVICE__ RADDLE_NARROW2 __hneg2(const RADDLE_NARROW2 a) {
  return RADDLE_NARROW2(__hneg(a.x), __hneg(a.y));
}
__RADDLE_HOST_DEVICE__ RADDLE_NARROW2 __habs2(const RADDLE_NARROW2 a) {
  return RADDLE_NARROW2(__habs(a.x), __habs(a.y));
}

// Saturation to [0, 1]; NaN becomes 0.
__RADDLE_HOST_DEVICE__ RADDLE_NARROW __raddle_saturate(const RADDLE_NARROW a) {
  const float value = (float)a;
  return RADDLE_NARROW(value > 0.0f ? (value < 1.0f ? value : 1.0f) : 0.0f);
}
#define RADDLE_NARROW_VARIANTS(name)                                                              \
  __RADDLE_HOST_DEVICE__ RADDLE_NARROW name##_rn(const RADDLE_NARROW a, const RADDLE_NARROW b) {  \
    return name(a, b);                                                                            \
  }                                                                                               \
  __RADDLE_HOST_DEVICE__ RADDLE_NARROW name##_sat(const RADDLE_NARROW a, const RADDLE_NARROW b) { \
    return __raddle_saturate(name(a, b));                                                         \
  }                                                                                               \
  __RADDLE_HOST_DEVICE__ RADDLE_NARROW2 name##2_rn(const RADDLE_NARROW2 a,                        \
                                                   const RADDLE_NARROW2 b) {                      \
    return name##2(a, b);                                                                         \
  }                                                                                               \
  __RADDLE_HOST_DEVICE__ RADDLE_NARROW2 name##2_sat(const RADDLE_NARROW2 a,                       \
                                                    const RADDLE_NARROW2 b) {                     \
    return RADDLE_NARROW2(name##_sat(a.x, b.x), name##_sat(a.y, b.y));                            \
  }
RADDLE_NARROW_VARIANTS(__hadd)
RADDLE_NARROW_VARIANTS(__hsub)
RADDLE_NARROW_VARIANTS(__hmul)
#undef RADDLE_NARROW_VARIANTS

__RADDLE_HOST_DEVICE__ RADDLE_NARROW __raddle_relu(const RADDLE_NARROW a) {
  return (float)a < 0.0f ? RADDLE_NARROW(0.0f) : a;
}
#define RADDLE_NARROW_FMA(suffix, after)                                                 \
  __RADDLE_HOST_DEVICE__ RADDLE_NARROW __hfma##suffix(                                   \
      const RADDLE_NARROW a, const RADDLE_NARROW b, const RADDLE_NARROW c) {             \
    return after(__hfma(a, b, c));                                                       \
  }                                                                                      \
  __RADDLE_HOST_DEVICE__ RADDLE_NARROW2 __hfma2##suffix(                                 \
      const RADDLE_NARROW2 a, const RADDLE_NARROW2 b, const RADDLE_NARROW2 c) {          \
    return RADDLE_NARROW2(__hfma##suffix(a.x, b.x, c.x), __hfma##suffix(a.y, b.y, c.y)); \
  }
RADDLE_NARROW_FMA(_sat, __raddle_saturate)
RADDLE_NARROW_FMA(_relu, __raddle_relu)
#undef RADDLE_NARROW_FMA

// (a.x + i a.y) (b.x + i b.y) + c
__RADDLE_HOST_DEVICE__ RADDLE_NARROW2 __hcmadd(const RADDLE_NARROW2 a, const RADDLE_NARROW2 b,
                                               const RADDLE_NARROW2 c) {
  const RADDLE_NARROW real = __hfma(a.x, b.x, c.x), imaginary = __hfma(a.x, b.y, c.y);
  return RADDLE_NARROW2(__hfma(__hneg(a.y), b.y, real), __hfma(a.y, b.x, imaginary));
}

// --- comparison ------------------------------------------------------------------------------------------------------
__RADDLE_HOST_DEVICE__ bool __hisnan(const RADDLE_NARROW a) {
  return (a.__x & 0x7fffu) > RADDLE_NARROW_INFINITY;
}
__RADDLE_HOST_DEVICE__ int __hisinf(const RADDLE_NARROW a) {
  return (a.__x & 0x7fffu) != RADDLE_NARROW_INFINITY ? 0 : (a.__x & 0x8000u) != 0 ? -1 : 1;
}
__RADDLE_HOST_DEVICE__ RADDLE_NARROW2 __raddle_truth(bool low, bool high, const RADDLE_NARROW2) {
  return RADDLE_NARROW2(RADDLE_NARROW(low ? 1.0f : 0.0f), RADDLE_NARROW(high ? 1.0f : 0.0f));
}
__RADDLE_HOST_DEVICE__ RADDLE_NARROW2 __hisnan2(const RADDLE_NARROW2 a) {
  return __raddle_truth(__hisnan(a.x), __hisnan(a.y), a);
}

// Plain comparisons are false for NaN, the `u` forms true.
#define RADDLE_NARROW_COMPARE(name, op)                                                    \
  __RADDLE_HOST_DEVICE__ bool __h##name(const RADDLE_NARROW a, const RADDLE_NARROW b) {    \
    return !__hisnan(a) && !__hisnan(b) && (float)a op(float) b;                           \
  }                                                                                        \
  __RADDLE_HOST_DEVICE__ bool __h##name##u(const RADDLE_NARROW a, const RADDLE_NARROW b) { \
    return __hisnan(a) || __hisnan(b) || (float)a op(float) b;                             \
  }                                                                                        \
  RADDLE_NARROW_COMPARE_PAIRS(name)                                                        \
  RADDLE_NARROW_COMPARE_PAIRS(name##u)
#define RADDLE_NARROW_COMPARE_PAIRS(name)                                                     \
  __RADDLE_HOST_DEVICE__ RADDLE_NARROW2 __h##name##2(const RADDLE_NARROW2 a,                  \
                                                     const RADDLE_NARROW2 b) {                \
    return __raddle_truth(__h##name(a.x, b.x), __h##name(a.y, b.y), a);                       \
  }                                                                                           \
  __RADDLE_HOST_DEVICE__ bool __hb##name##2(const RADDLE_NARROW2 a, const RADDLE_NARROW2 b) { \
    return __h##name(a.x, b.x) && __h##name(a.y, b.y);                                        \
  }                                                                                           \
  __RADDLE_HOST_DEVICE__ unsigned int __h##name##2_mask(const RADDLE_NARROW2 a,               \
                                                        const RADDLE_NARROW2 b) {             \
    return (__h##name(a.x, b.x) ? 0xffffu : 0u) | (__h##name(a.y, b.y) ? 0xffff0000u : 0u);   \
  }
RADDLE_NARROW_COMPARE(eq, ==)
RADDLE_NARROW_COMPARE(ne, !=)
RADDLE_NARROW_COMPARE(lt, <)
RADDLE_NARROW_COMPARE(le, <=)
RADDLE_NARROW_COMPARE(gt, >)
RADDLE_NARROW_COMPARE(ge, >=)
#undef RADDLE_NARROW_COMPARE
#undef RADDLE_NARROW_COMPARE_PAIRS

#define RADDLE_NARROW_EXTREME(name, function)                                                     \
  __RADDLE_HOST_DEVICE__ RADDLE_NARROW name(const RADDLE_NARROW a, const RADDLE_NARROW b) {       \
    return RADDLE_NARROW(function((float)a, (float)b));                                           \
  }                                                                                               \
  __RADDLE_HOST_DEVICE__ RADDLE_NARROW name##_nan(const RADDLE_NARROW a, const RADDLE_NARROW b) { \
    return __hisnan(a) || __hisnan(b) ? RADDLE_NARROW(__builtin_nanf("")) : name(a, b);           \
  }                                                                                               \
  __RADDLE_HOST_DEVICE__ RADDLE_NARROW2 name##2(const RADDLE_NARROW2 a, const RADDLE_NARROW2 b) { \
    return RADDLE_NARROW2(name(a.x, b.x), name(a.y, b.y));                                        \
  }                                                                                               \
  __RADDLE_HOST_DEVICE__ RADDLE_NARROW2 name##2_nan(const RADDLE_NARROW2 a,                       \
                                                    const RADDLE_NARROW2 b) {                     \
    return RADDLE_NARROW2(name##_nan(a.x, b.x), name##_nan(a.y, b.y));                            \
  }
RADDLE_NARROW_EXTREME(__hmax, fmaxf)
RADDLE_NARROW_EXTREME(__hmin, fminf)
#undef RADDLE_NARROW_EXTREME

// --- operators -------------------------------------------------------------------------------------------------------
#define RADDLE_NARROW_BINARY(op, one, two)                                          \
  __RADDLE_HOST_DEVICE__ RADDLE_NARROW operator op(const RADDLE_NARROW& a,          \
                                                   const RADDLE_NARROW& b) {        \
    return one(a, b);                                                               \
  }                                                                                 \
  __RADDLE_HOST_DEVICE__ RADDLE_NARROW2 operator op(const RADDLE_NARROW2& a,        \
                                                    const RADDLE_NARROW2& b) {      \
    return two(a, b);                                                               \
  }                                                                                 \
  __RADDLE_HOST_DEVICE__ RADDLE_NARROW& operator op##=(RADDLE_NARROW & a,           \
                                                       const RADDLE_NARROW & b) {   \
    return a = one(a, b);                                                           \
  }                                                                                 \
  __RADDLE_HOST_DEVICE__ RADDLE_NARROW2& operator op##=(RADDLE_NARROW2 & a,         \
                                                        const RADDLE_NARROW2 & b) { \
    return a = two(a, b);                                                           \
  }
RADDLE_NARROW_BINARY(+, __hadd, __hadd2)
RADDLE_NARROW_BINARY(-, __hsub, __hsub2)
RADDLE_NARROW_BINARY(*, __hmul, __hmul2)
RADDLE_NARROW_BINARY(/, __hdiv, __h2div)
#undef RADDLE_NARROW_BINARY
#define RADDLE_NARROW_RELATION(op, one, two)                                                  \
  __RADDLE_HOST_DEVICE__ bool operator op(const RADDLE_NARROW& a, const RADDLE_NARROW& b) {   \
    return one(a, b);                                                                         \
  }                                                                                           \
  __RADDLE_HOST_DEVICE__ bool operator op(const RADDLE_NARROW2& a, const RADDLE_NARROW2& b) { \
    return two(a, b);                                                                         \
  }
RADDLE_NARROW_RELATION(==, __heq, __hbeq2)
RADDLE_NARROW_RELATION(!=, __hneu, __hbneu2)
RADDLE_NARROW_RELATION(<, __hlt, __hblt2)
RADDLE_NARROW_RELATION(<=, __hle, __hble2)
RADDLE_NARROW_RELATION(>, __hgt, __hbgt2)
RADDLE_NARROW_RELATION(>=, __hge, __hbge2)
#undef RADDLE_NARROW_RELATION
__RADDLE_HOST_DEVICE__ RADDLE_NARROW operator+(const RADDLE_NARROW& a) { return a; }
__RADDLE_HOST_DEVICE__ RADDLE_NARROW operator-(const RADDLE_NARROW& a) { return __hneg(a); }
__RADDLE_HOST_DEVICE__ RADDLE_NARROW2 operator+(const RADDLE_NARROW2& a) { return a; }
__RADDLE_HOST_DEVICE__ RADDLE_NARROW2 operator-(const RADDLE_NARROW2& a) { return __hneg2(a); }
#define RADDLE_NARROW_STEP(op, function)                                      \
  __RADDLE_HOST_DEVICE__ RADDLE_NARROW& operator op(RADDLE_NARROW & a) {      \
    return a = function(a, RADDLE_NARROW(1.0f));                              \
  }                                                                           \
  __RADDLE_HOST_DEVICE__ RADDLE_NARROW operator op(RADDLE_NARROW& a, int) {   \
    const RADDLE_NARROW before = a;                                           \
    op a;                                                                     \
    return before;                                                            \
  }                                                                           \
  __RADDLE_HOST_DEVICE__ RADDLE_NARROW2& operator op(RADDLE_NARROW2 & a) {    \
    op a.x;                                                                   \
    op a.y;                                                                   \
    return a;                                                                 \
  }                                                                           \
  __RADDLE_HOST_DEVICE__ RADDLE_NARROW2 operator op(RADDLE_NARROW2& a, int) { \
    const RADDLE_NARROW2 before = a;                                          \
    op a;                                                                     \
    return before;                                                            \
  }
RADDLE_NARROW_STEP(++, __hadd)
RADDLE_NARROW_STEP(--, __hsub)
#undef RADDLE_NARROW_STEP

// --- functions, computed in float and rounded once -------------------------------------------------------------------
#define RADDLE_NARROW_FUNCTION(name, expression)                           \
  __RADDLE_HOST_DEVICE__ RADDLE_NARROW h##name(const RADDLE_NARROW a) {    \
    const float x = (float)a;                                              \
    return RADDLE_NARROW((float)(expression));                             \
  }                                                                        \
  __RADDLE_HOST_DEVICE__ RADDLE_NARROW2 h2##name(const RADDLE_NARROW2 a) { \
    return RADDLE_NARROW2(h##name(a.x), h##name(a.y));                     \
  }
RADDLE_NARROW_FUNCTION(sqrt, sqrtf(x))
RADDLE_NARROW_FUNCTION(rsqrt, 1.0f / sqrtf(x))
RADDLE_NARROW_FUNCTION(rcp, 1.0f / x)
RADDLE_NARROW_FUNCTION(exp, expf(x))
RADDLE_NARROW_FUNCTION(exp2, exp2f(x))
RADDLE_NARROW_FUNCTION(exp10, powf(10.0f, x))
RADDLE_NARROW_FUNCTION(log, logf(x))
RADDLE_NARROW_FUNCTION(log2, log2f(x))
RADDLE_NARROW_FUNCTION(log10, log10f(x))
RADDLE_NARROW_FUNCTION(sin, sinf(x))
RADDLE_NARROW_FUNCTION(cos, cosf(x))
RADDLE_NARROW_FUNCTION(tanh, tanhf(x))
RADDLE_NARROW_FUNCTION(tanh_approx, tanhf(x))
RADDLE_NARROW_FUNCTION(ceil, ceilf(x))
RADDLE_NARROW_FUNCTION(floor, floorf(x))
RADDLE_NARROW_FUNCTION(trunc, truncf(x))
RADDLE_NARROW_FUNCTION(rint, rintf(x))
#undef RADDLE_NARROW_FUNCTION

// --- between lanes, and in memory ------------------------------------------------------------------------------------
#if defined(__CUDA__) && defined(__clang__)

__RADDLE_DEVICE__ unsigned int __raddle_word(const RADDLE_NARROW2 value) {
  return (unsigned int)value.y.__x << 16 | value.x.__x;
}
__RADDLE_DEVICE__ void __raddle_set_bits(RADDLE_NARROW& value, unsigned int bits) {
  value.__x = (unsigned short)bits;
}
__RADDLE_DEVICE__ void __raddle_set_bits(RADDLE_NARROW2& value, unsigned int bits) {
  value.x.__x = (unsigned short)bits;
  value.y.__x = (unsigned short)(bits >> 16);
}

#define RADDLE_NARROW_LOAD(name)                                         \
  __RADDLE_DEVICE__ RADDLE_NARROW name(const RADDLE_NARROW* pointer) {   \
    RADDLE_NARROW result;                                                \
    __raddle_set_bits(result, name((const unsigned short*)pointer));     \
    return result;                                                       \
  }                                                                      \
  __RADDLE_DEVICE__ RADDLE_NARROW2 name(const RADDLE_NARROW2* pointer) { \
    RADDLE_NARROW2 result;                                               \
    __raddle_set_bits(result, name((const unsigned int*)pointer));       \
    return result;                                                       \
  }
RADDLE_NARROW_LOAD(__ldg)
RADDLE_NARROW_LOAD(__ldca)
RADDLE_NARROW_LOAD(__ldcg)
RADDLE_NARROW_LOAD(__ldcs)
RADDLE_NARROW_LOAD(__ldcv)
RADDLE_NARROW_LOAD(__ldlu)
#undef RADDLE_NARROW_LOAD
#define RADDLE_NARROW_STORE(name)                                              \
  __RADDLE_DEVICE__ void name(RADDLE_NARROW* pointer, RADDLE_NARROW value) {   \
    name((unsigned short*)pointer, value.__x);                                 \
  }                                                                            \
  __RADDLE_DEVICE__ void name(RADDLE_NARROW2* pointer, RADDLE_NARROW2 value) { \
    name((unsigned int*)pointer, __raddle_word(value));                        \
  }
RADDLE_NARROW_STORE(__stwb)
RADDLE_NARROW_STORE(__stcg)
RADDLE_NARROW_STORE(__stcs)
RADDLE_NARROW_STORE(__stwt)
#undef RADDLE_NARROW_STORE

#define RADDLE_NARROW_SHUFFLE(name, offset_type)                                                   \
  __RADDLE_DEVICE__ RADDLE_NARROW name(unsigned int mask, RADDLE_NARROW value, offset_type offset, \
                                       int width = 32) {                                           \
    __raddle_set_bits(value, name(mask, (unsigned int)value.__x, offset, width));                  \
    return value;                                                                                  \
  }                                                                                                \
  __RADDLE_DEVICE__ RADDLE_NARROW2 name(unsigned int mask, RADDLE_NARROW2 value,                   \
                                        offset_type offset, int width = 32) {                      \
    __raddle_set_bits(value, name(mask, __raddle_word(value), offset, width));                     \
    return value;                                                                                  \
  }
RADDLE_NARROW_SHUFFLE(__shfl_sync, int)
RADDLE_NARROW_SHUFFLE(__shfl_up_sync, unsigned int)
RADDLE_NARROW_SHUFFLE(__shfl_down_sync, unsigned int)
RADDLE_NARROW_SHUFFLE(__shfl_xor_sync, int)
#undef RADDLE_NARROW_SHUFFLE

__RADDLE_DEVICE__ RADDLE_NARROW atomicAdd(RADDLE_NARROW* address, RADDLE_NARROW value) {
  unsigned short old;
  __asm__ __volatile__("atom.add.noftz." RADDLE_NARROW_PTX " %0, [%1], %2;"
                       : "=h"(old)
                       : "l"(address), "h"(value.__x)
                       : "memory");
  __raddle_set_bits(value, old);
  return value;
}
__RADDLE_DEVICE__ RADDLE_NARROW2 atomicAdd(RADDLE_NARROW2* address, RADDLE_NARROW2 value) {
  unsigned int old;
  __asm__ __volatile__("atom.add.noftz." RADDLE_NARROW_PTX "x2 %0, [%1], %2;"
                       : "=r"(old)
                       : "l"(address), "r"(__raddle_word(value))
                       : "memory");
  __raddle_set_bits(value, old);
  return value;
}
#endif
