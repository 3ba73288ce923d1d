// bfloat16: the upper half of a float. Arithmetic is done in float and rounded to nearest even, on
// both sides.
#ifndef RADDLE_CUDA_BF16_H
#define RADDLE_CUDA_BF16_H
#define __CUDA_BF16_H__  // programs test for it

#ifdef __cplusplus

#include <math.h>

#include "host_defines.h"
#include "vector_types.h"

__RADDLE_HOST_DEVICE__ unsigned short __raddle_bfloat16_bits(float value) {
  unsigned int bits;
  __builtin_memcpy(&bits, &value, sizeof(bits));
  if ((bits & 0x7fffffffu) > 0x7f800000u) return 0x7fff;
  return (unsigned short)((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}
__RADDLE_HOST_DEVICE__ float __raddle_bfloat16_value(unsigned short bfloat16) {
  const unsigned int bits = (unsigned int)bfloat16 << 16;
  float value;
  __builtin_memcpy(&value, &bits, sizeof(value));
  return value;
}

struct __nv_bfloat16_raw {
  unsigned short x;
};
struct __align__(2) __nv_bfloat16 {
  unsigned short __x;

  __nv_bfloat16() = default;
  __RADDLE_MEMBER__ __nv_bfloat16(const __nv_bfloat16_raw& raw) : __x(raw.x) {}
  __RADDLE_MEMBER__ __nv_bfloat16(float value) : __x(__raddle_bfloat16_bits(value)) {}
  __RADDLE_MEMBER__ __nv_bfloat16(double value) : __x(__raddle_bfloat16_bits((float)value)) {}
  __RADDLE_MEMBER__ __nv_bfloat16(int value) : __x(__raddle_bfloat16_bits((float)value)) {}
  __RADDLE_MEMBER__ __nv_bfloat16(unsigned int value) : __x(__raddle_bfloat16_bits((float)value)) {}
  __RADDLE_MEMBER__ operator float() const { return __raddle_bfloat16_value(__x); }
  __RADDLE_MEMBER__ operator __nv_bfloat16_raw() const {
    __nv_bfloat16_raw raw = {__x};
    return raw;
  }
};
typedef __nv_bfloat16 nv_bfloat16;

struct __align__(4) __nv_bfloat162 {
  __nv_bfloat16 x, y;
  __nv_bfloat162() = default;
  __RADDLE_MEMBER__ __nv_bfloat162(const __nv_bfloat16& low, const __nv_bfloat16& high)
      : x(low), y(high) {}
};
typedef __nv_bfloat162 nv_bfloat162;

__RADDLE_HOST_DEVICE__ __nv_bfloat16 __float2bfloat16(float value) { return __nv_bfloat16(value); }
__RADDLE_HOST_DEVICE__ __nv_bfloat16 __float2bfloat16_rn(float value) {
  return __nv_bfloat16(value);
}
__RADDLE_HOST_DEVICE__ __nv_bfloat16 __double2bfloat16(double value) {
  return __nv_bfloat16(value);
}
__RADDLE_HOST_DEVICE__ float __bfloat162float(const __nv_bfloat16 value) { return (float)value; }
__RADDLE_HOST_DEVICE__ __nv_bfloat16 __int2bfloat16_rn(int value) { return __nv_bfloat16(value); }
__RADDLE_HOST_DEVICE__ int __bfloat162int_rz(const __nv_bfloat16 value) {
  return (int)(float)value;
}
__RADDLE_HOST_DEVICE__ unsigned short __bfloat16_as_ushort(const __nv_bfloat16 value) {
  return value.__x;
}
__RADDLE_HOST_DEVICE__ __nv_bfloat16 __ushort_as_bfloat16(const unsigned short bits) {
  __nv_bfloat16 result;
  result.__x = bits;
  return result;
}
__RADDLE_HOST_DEVICE__ __nv_bfloat162 __float2bfloat162_rn(float value) {
  return __nv_bfloat162(__nv_bfloat16(value), __nv_bfloat16(value));
}
__RADDLE_HOST_DEVICE__ __nv_bfloat162 __floats2bfloat162_rn(float low, float high) {
  return __nv_bfloat162(__nv_bfloat16(low), __nv_bfloat16(high));
}
__RADDLE_HOST_DEVICE__ __nv_bfloat162 __bfloat162bfloat162(const __nv_bfloat16 value) {
  return __nv_bfloat162(value, value);
}
__RADDLE_HOST_DEVICE__ __nv_bfloat162 __halves2bfloat162(const __nv_bfloat16 low,
                                                         const __nv_bfloat16 high) {
  return __nv_bfloat162(low, high);
}
__RADDLE_HOST_DEVICE__ __nv_bfloat162 make_bfloat162(const __nv_bfloat16 low,
                                                     const __nv_bfloat16 high) {
  return __nv_bfloat162(low, high);
}
__RADDLE_HOST_DEVICE__ float __low2float(const __nv_bfloat162 value) { return (float)value.x; }
__RADDLE_HOST_DEVICE__ float __high2float(const __nv_bfloat162 value) { return (float)value.y; }
__RADDLE_HOST_DEVICE__ __nv_bfloat16 __low2bfloat16(const __nv_bfloat162 value) { return value.x; }
__RADDLE_HOST_DEVICE__ __nv_bfloat16 __high2bfloat16(const __nv_bfloat162 value) { return value.y; }
__RADDLE_HOST_DEVICE__ float2 __bfloat1622float2(const __nv_bfloat162 value) {
  float2 result = {(float)value.x, (float)value.y};
  return result;
}

#define RADDLE_BFLOAT16_BINARY(name, op)                                                         \
  __RADDLE_HOST_DEVICE__ __nv_bfloat16 __h##name(const __nv_bfloat16 a, const __nv_bfloat16 b) { \
    return __nv_bfloat16((float)a op(float) b);                                                  \
  }                                                                                              \
  __RADDLE_HOST_DEVICE__ __nv_bfloat162 __h##name##2(const __nv_bfloat162 a,                     \
                                                     const __nv_bfloat162 b) {                   \
    return __nv_bfloat162(__h##name(a.x, b.x), __h##name(a.y, b.y));                             \
  }                                                                                              \
  __RADDLE_HOST_DEVICE__ __nv_bfloat16 operator op(const __nv_bfloat16& a,                       \
                                                   const __nv_bfloat16& b) {                     \
    return __h##name(a, b);                                                                      \
  }                                                                                              \
  __RADDLE_HOST_DEVICE__ __nv_bfloat162 operator op(const __nv_bfloat162& a,                     \
                                                    const __nv_bfloat162& b) {                   \
    return __h##name##2(a, b);                                                                   \
  }                                                                                              \
  __RADDLE_HOST_DEVICE__ __nv_bfloat16& operator op##=(__nv_bfloat16 & a,                        \
                                                       const __nv_bfloat16 & b) {                \
    return a = __h##name(a, b);                                                                  \
  }                                                                                              \
  __RADDLE_HOST_DEVICE__ __nv_bfloat162& operator op##=(__nv_bfloat162 & a,                      \
                                                        const __nv_bfloat162 & b) {              \
    return a = __h##name##2(a, b);                                                               \
  }
RADDLE_BFLOAT16_BINARY(add, +)
RADDLE_BFLOAT16_BINARY(sub, -)
RADDLE_BFLOAT16_BINARY(mul, *)
RADDLE_BFLOAT16_BINARY(div, /)
#undef RADDLE_BFLOAT16_BINARY

// Rounded to float and then to bfloat16: the second rounding meets a tie of the first only in the
// last float bit.
__RADDLE_HOST_DEVICE__ __nv_bfloat16 __hfma(const __nv_bfloat16 a, const __nv_bfloat16 b,
                                            const __nv_bfloat16 c) {
  return __nv_bfloat16(fmaf((float)a, (float)b, (float)c));
}
__RADDLE_HOST_DEVICE__ __nv_bfloat162 __hfma2(const __nv_bfloat162 a, const __nv_bfloat162 b,
                                              const __nv_bfloat162 c) {
  return __nv_bfloat162(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
__RADDLE_HOST_DEVICE__ __nv_bfloat16 __hneg(const __nv_bfloat16 a) {
  return __ushort_as_bfloat16((unsigned short)(a.__x ^ 0x8000u));
}
__RADDLE_HOST_DEVICE__ __nv_bfloat16 __habs(const __nv_bfloat16 a) {
  return __ushort_as_bfloat16((unsigned short)(a.__x & 0x7fffu));
}
__RADDLE_HOST_DEVICE__ __nv_bfloat16 operator-(const __nv_bfloat16& a) { return __hneg(a); }
__RADDLE_HOST_DEVICE__ __nv_bfloat16 __hmax(const __nv_bfloat16 a, const __nv_bfloat16 b) {
  return __nv_bfloat16(fmaxf((float)a, (float)b));
}
__RADDLE_HOST_DEVICE__ __nv_bfloat16 __hmin(const __nv_bfloat16 a, const __nv_bfloat16 b) {
  return __nv_bfloat16(fminf((float)a, (float)b));
}
__RADDLE_HOST_DEVICE__ bool __hisnan(const __nv_bfloat16 a) { return (a.__x & 0x7fffu) > 0x7f80u; }

#define RADDLE_BFLOAT16_COMPARE(name, op)                                                   \
  __RADDLE_HOST_DEVICE__ bool __h##name(const __nv_bfloat16 a, const __nv_bfloat16 b) {     \
    return (float)a op(float) b;                                                            \
  }                                                                                         \
  __RADDLE_HOST_DEVICE__ bool operator op(const __nv_bfloat16& a, const __nv_bfloat16& b) { \
    return (float)a op(float) b;                                                            \
  }
RADDLE_BFLOAT16_COMPARE(eq, ==)
RADDLE_BFLOAT16_COMPARE(ne, !=)
RADDLE_BFLOAT16_COMPARE(lt, <)
RADDLE_BFLOAT16_COMPARE(le, <=)
RADDLE_BFLOAT16_COMPARE(gt, >)
RADDLE_BFLOAT16_COMPARE(ge, >=)
#undef RADDLE_BFLOAT16_COMPARE

#define RADDLE_BFLOAT16_FUNCTION(name, expression)                      \
  __RADDLE_HOST_DEVICE__ __nv_bfloat16 h##name(const __nv_bfloat16 a) { \
    const float x = (float)a;                                           \
    return __nv_bfloat16(expression);                                   \
  }
RADDLE_BFLOAT16_FUNCTION(sqrt, sqrtf(x))
RADDLE_BFLOAT16_FUNCTION(rsqrt, 1.0f / sqrtf(x))
RADDLE_BFLOAT16_FUNCTION(rcp, 1.0f / x)
RADDLE_BFLOAT16_FUNCTION(exp, expf(x))
RADDLE_BFLOAT16_FUNCTION(log, logf(x))
RADDLE_BFLOAT16_FUNCTION(sin, sinf(x))
RADDLE_BFLOAT16_FUNCTION(cos, cosf(x))
RADDLE_BFLOAT16_FUNCTION(ceil, ceilf(x))
RADDLE_BFLOAT16_FUNCTION(floor, floorf(x))
#undef RADDLE_BFLOAT16_FUNCTION

#endif
#endif
