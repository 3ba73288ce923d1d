// 8-bit floats: e4m3 (no infinities, one NaN) and e5m2 (the upper half of an IEEE half), with their
// conversions, on both sides. They have no arithmetic of their own: programs convert, compute and
// convert back.
#ifndef RADDLE_CUDA_FP8_H
#define RADDLE_CUDA_FP8_H
#define __CUDA_FP8_H__  // programs test for it

#ifdef __cplusplus

#include "cuda_bf16.h"
#include "cuda_fp16.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

// To the nearest, ties to even. Beyond the largest number: that number, or else infinity or NaN.
__RADDLE_HOST_DEVICE__ __nv_fp8_storage_t __nv_cvt_double_to_fp8(
    const double x, const __nv_saturation_t saturate, const __nv_fp8_interpretation_t format) {
  const bool e4m3 = format == __NV_E4M3;
  const int fraction_bits = e4m3 ? 3 : 2, lowest = e4m3 ? -6 : -14;
  const unsigned int largest = e4m3 ? 0x7eu : 0x7bu;
  const unsigned int beyond = saturate == __NV_SATFINITE ? largest : e4m3 ? 0x7fu : 0x7cu;
  unsigned long long bits;
  __builtin_memcpy(&bits, &x, sizeof(bits));
  const unsigned int sign = (unsigned int)(bits >> 56) & 0x80u;
  const unsigned long long magnitude = bits & 0x7fffffffffffffffull;
  if (magnitude > 0x7ff0000000000000ull) return 0x7f;
  if (magnitude == 0x7ff0000000000000ull) return (__nv_fp8_storage_t)(sign | beyond);
  const int exponent = (int)(magnitude >> 52) - 1023;
  if (exponent > 15) return (__nv_fp8_storage_t)(sign | beyond);
  // Steps are of 2^(scale - fraction_bits): below the lowest exponent they stay as they are there.
  const int scale = exponent < lowest ? lowest : exponent;
  const int drop = 52 - fraction_bits + (scale - exponent);
  if (drop > 54) return (__nv_fp8_storage_t)sign;
  const unsigned long long whole = (magnitude & 0xfffffffffffffull) | (1ull << 52);
  const unsigned long long half = 1ull << (drop - 1), rest = whole & ((1ull << drop) - 1);
  unsigned int steps = (unsigned int)(whole >> drop);
  if (rest > half || (rest == half && (steps & 1u) != 0)) ++steps;
  // A carry out of the fraction goes on into the exponent; a subnormal's first bit becomes
  // exponent 1.
  const unsigned int result = ((unsigned int)(scale - lowest) << fraction_bits) + steps;
  return (__nv_fp8_storage_t)(sign | (result > largest ? beyond : result));
}
__RADDLE_HOST_DEVICE__ __nv_fp8_storage_t __nv_cvt_float_to_fp8(
    const float x, const __nv_saturation_t saturate, const __nv_fp8_interpretation_t format) {
  return __nv_cvt_double_to_fp8((double)x, saturate, format);
}
__RADDLE_HOST_DEVICE__ __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(
    const __half_raw x, const __nv_saturation_t saturate, const __nv_fp8_interpretation_t format) {
  return __nv_cvt_float_to_fp8(__raddle_half_value(x.x), saturate, format);
}
__RADDLE_HOST_DEVICE__ __nv_fp8_storage_t
__nv_cvt_bfloat16raw_to_fp8(const __nv_bfloat16_raw x, const __nv_saturation_t saturate,
                            const __nv_fp8_interpretation_t format) {
  return __nv_cvt_float_to_fp8(__raddle_bfloat16_value(x.x), saturate, format);
}
#define RADDLE_FP8_PAIR(name, pair, one)                                                           \
  __RADDLE_HOST_DEVICE__ __nv_fp8x2_storage_t name(const pair x, const __nv_saturation_t saturate, \
                                                   const __nv_fp8_interpretation_t format) {       \
    return (__nv_fp8x2_storage_t)(RADDLE_FP8_PART(x, y, one) << 8 | RADDLE_FP8_PART(x, x, one));   \
  }
#define RADDLE_FP8_PART(value, member, one) (unsigned int)one(value.member, saturate, format)
RADDLE_FP8_PAIR(__nv_cvt_float2_to_fp8x2, float2, __nv_cvt_float_to_fp8)
RADDLE_FP8_PAIR(__nv_cvt_double2_to_fp8x2, double2, __nv_cvt_double_to_fp8)
#undef RADDLE_FP8_PART
#define RADDLE_FP8_PART(value, member, one) \
  (unsigned int)__nv_cvt_float_to_fp8(one(value.member), saturate, format)
RADDLE_FP8_PAIR(__nv_cvt_halfraw2_to_fp8x2, __half2_raw, __raddle_half_value)
RADDLE_FP8_PAIR(__nv_cvt_bfloat16raw2_to_fp8x2, __nv_bfloat162_raw, __raddle_bfloat16_value)
#undef RADDLE_FP8_PART
#undef RADDLE_FP8_PAIR

// Every 8-bit float is a half.
__RADDLE_HOST_DEVICE__ __half_raw __nv_cvt_fp8_to_halfraw(const __nv_fp8_storage_t x,
                                                          const __nv_fp8_interpretation_t format) {
  __half_raw result;
  const unsigned int sign = (x & 0x80u) << 8, rest = x & 0x7fu;
  if (format == __NV_E5M2) {
    result.x = (unsigned short)(rest > 0x7cu ? 0x7fffu : (unsigned int)x << 8);
  } else if (rest == 0x7fu) {
    result.x = 0x7fff;
  } else if (rest >= 8) {
    result.x = (unsigned short)(sign | ((rest << 7) + (8u << 10)));  // from bias 7 to bias 15
  } else {
    result.x = (unsigned short)(sign | __raddle_half_bits((float)rest * 0.001953125f));
  }
  return result;
}
__RADDLE_HOST_DEVICE__ __half2_raw
__nv_cvt_fp8x2_to_halfraw2(const __nv_fp8x2_storage_t x, const __nv_fp8_interpretation_t format) {
  __half2_raw result;
  result.x = __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)x, format).x;
  result.y = __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)(x >> 8), format).x;
  return result;
}

// --- the types -------------------------------------------------------------------------------------------------------
#define RADDLE_FP8(name, format)                                                                   \
  struct name {                                                                                    \
    __nv_fp8_storage_t __x;                                                                        \
    name() = default;                                                                              \
    explicit __RADDLE_MEMBER__ name(const __half value)                                            \
        : __x(__nv_cvt_halfraw_to_fp8((__half_raw)value, __NV_SATFINITE, format)) {}               \
    explicit __RADDLE_MEMBER__ name(const __nv_bfloat16 value)                                     \
        : __x(__nv_cvt_bfloat16raw_to_fp8((__nv_bfloat16_raw)value, __NV_SATFINITE, format)) {}    \
    explicit __RADDLE_MEMBER__ name(const float value)                                             \
        : __x(__nv_cvt_float_to_fp8(value, __NV_SATFINITE, format)) {}                             \
    explicit __RADDLE_MEMBER__ name(const double value)                                            \
        : __x(__nv_cvt_double_to_fp8(value, __NV_SATFINITE, format)) {}                            \
    explicit __RADDLE_MEMBER__ name(const int value) : name((double)value) {}                      \
    explicit __RADDLE_MEMBER__ name(const unsigned int value) : name((double)value) {}             \
    explicit __RADDLE_MEMBER__ name(const short value) : name((double)value) {}                    \
    explicit __RADDLE_MEMBER__ name(const unsigned short value) : name((double)value) {}           \
    explicit __RADDLE_MEMBER__ name(const long value) : name((double)value) {}                     \
    explicit __RADDLE_MEMBER__ name(const unsigned long value) : name((double)value) {}            \
    explicit __RADDLE_MEMBER__ name(const long long value) : name((double)value) {}                \
    explicit __RADDLE_MEMBER__ name(const unsigned long long value) : name((double)value) {}       \
    explicit __RADDLE_MEMBER__ operator __half() const {                                           \
      return __half(__nv_cvt_fp8_to_halfraw(__x, format));                                         \
    }                                                                                              \
    explicit __RADDLE_MEMBER__ operator float() const {                                            \
      return __raddle_half_value(__nv_cvt_fp8_to_halfraw(__x, format).x);                          \
    }                                                                                              \
    explicit __RADDLE_MEMBER__ operator __nv_bfloat16() const {                                    \
      return __nv_bfloat16((float)*this);                                                          \
    }                                                                                              \
    explicit __RADDLE_MEMBER__ operator double() const { return (double)(float)*this; }            \
    explicit __RADDLE_MEMBER__ operator int() const { return __half2int_rz((__half) * this); }     \
    explicit __RADDLE_MEMBER__ operator unsigned int() const {                                     \
      return __half2uint_rz((__half) * this);                                                      \
    }                                                                                              \
    explicit __RADDLE_MEMBER__ operator short() const { return __half2short_rz((__half) * this); } \
    explicit __RADDLE_MEMBER__ operator unsigned short() const {                                   \
      return __half2ushort_rz((__half) * this);                                                    \
    }                                                                                              \
    explicit __RADDLE_MEMBER__ operator long long() const {                                        \
      return __half2ll_rz((__half) * this);                                                        \
    }                                                                                              \
    explicit __RADDLE_MEMBER__ operator unsigned long long() const {                               \
      return __half2ull_rz((__half) * this);                                                       \
    }                                                                                              \
    explicit __RADDLE_MEMBER__ operator signed char() const {                                      \
      return __half2char_rz((__half) * this);                                                      \
    }                                                                                              \
    explicit __RADDLE_MEMBER__ operator unsigned char() const {                                    \
      return __half2uchar_rz((__half) * this);                                                     \
    }                                                                                              \
    explicit __RADDLE_MEMBER__ operator bool() const { return (__x & 0x7fu) != 0; }                \
  };                                                                                               \
  struct __align__(2) RADDLE_FP8_NAME(name, 2) {                                                   \
    __nv_fp8x2_storage_t __x;                                                                      \
    RADDLE_FP8_NAME(name, 2)() = default;                                                          \
    explicit __RADDLE_MEMBER__ RADDLE_FP8_NAME(name, 2)(const __half2 value)                       \
        : __x(__nv_cvt_halfraw2_to_fp8x2((__half2_raw)value, __NV_SATFINITE, format)) {}           \
    explicit __RADDLE_MEMBER__ RADDLE_FP8_NAME(name, 2)(const __nv_bfloat162 value)                \
        : __x(__nv_cvt_bfloat16raw2_to_fp8x2((__nv_bfloat162_raw)value, __NV_SATFINITE, format)) { \
    }                                                                                              \
    explicit __RADDLE_MEMBER__ RADDLE_FP8_NAME(name, 2)(const float2 value)                        \
        : __x(__nv_cvt_float2_to_fp8x2(value, __NV_SATFINITE, format)) {}                          \
    explicit __RADDLE_MEMBER__ RADDLE_FP8_NAME(name, 2)(const double2 value)                       \
        : __x(__nv_cvt_double2_to_fp8x2(value, __NV_SATFINITE, format)) {}                         \
    explicit __RADDLE_MEMBER__ operator __half2() const {                                          \
      return __half2(__nv_cvt_fp8x2_to_halfraw2(__x, format));                                     \
    }                                                                                              \
    explicit __RADDLE_MEMBER__ operator float2() const {                                           \
      return __half22float2((__half2) * this);                                                     \
    }                                                                                              \
  };                                                                                               \
  struct __align__(4) RADDLE_FP8_NAME(name, 4) {                                                   \
    __nv_fp8x4_storage_t __x;                                                                      \
    RADDLE_FP8_NAME(name, 4)() = default;                                                          \
    __RADDLE_MEMBER__ RADDLE_FP8_NAME(name, 4)(__nv_fp8x2_storage_t low,                           \
                                               __nv_fp8x2_storage_t high)                          \
        : __x((unsigned int)high << 16 | low) {}                                                   \
    explicit __RADDLE_MEMBER__ RADDLE_FP8_NAME(name, 4)(const __half2 low, const __half2 high)     \
        : RADDLE_FP8_NAME(name, 4)(RADDLE_FP8_NAME(name, 2)(low).__x,                              \
                                   RADDLE_FP8_NAME(name, 2)(high).__x) {}                          \
    explicit __RADDLE_MEMBER__ RADDLE_FP8_NAME(name, 4)(const __nv_bfloat162 low,                  \
                                                        const __nv_bfloat162 high)                 \
        : RADDLE_FP8_NAME(name, 4)(RADDLE_FP8_NAME(name, 2)(low).__x,                              \
                                   RADDLE_FP8_NAME(name, 2)(high).__x) {}                          \
    explicit __RADDLE_MEMBER__ RADDLE_FP8_NAME(name, 4)(const float4 value)                        \
        : RADDLE_FP8_NAME(name, 4)(RADDLE_FP8_NAME(name, 2)(float2{value.x, value.y}).__x,         \
                                   RADDLE_FP8_NAME(name, 2)(float2{value.z, value.w}).__x) {}      \
    explicit __RADDLE_MEMBER__ RADDLE_FP8_NAME(name, 4)(const double4 value)                       \
        : RADDLE_FP8_NAME(name, 4)(RADDLE_FP8_NAME(name, 2)(double2{value.x, value.y}).__x,        \
                                   RADDLE_FP8_NAME(name, 2)(double2{value.z, value.w}).__x) {}     \
    explicit __RADDLE_MEMBER__ operator float4() const {                                           \
      const __half2 low(__nv_cvt_fp8x2_to_halfraw2((__nv_fp8x2_storage_t)__x, format));            \
      const __half2 high(__nv_cvt_fp8x2_to_halfraw2((__nv_fp8x2_storage_t)(__x >> 16), format));   \
      const float4 result = {(float)low.x, (float)low.y, (float)high.x, (float)high.y};            \
      return result;                                                                               \
    }                                                                                              \
  };
#define RADDLE_FP8_NAME(name, count) RADDLE_FP8_JOIN(name, count)
#define RADDLE_FP8_JOIN(name, count) RADDLE_FP8_X##count##_##name
#define RADDLE_FP8_X2___nv_fp8_e4m3 __nv_fp8x2_e4m3
#define RADDLE_FP8_X4___nv_fp8_e4m3 __nv_fp8x4_e4m3
#define RADDLE_FP8_X2___nv_fp8_e5m2 __nv_fp8x2_e5m2
#define RADDLE_FP8_X4___nv_fp8_e5m2 __nv_fp8x4_e5m2
RADDLE_FP8(__nv_fp8_e4m3, __NV_E4M3)
RADDLE_FP8(__nv_fp8_e5m2, __NV_E5M2)
#undef RADDLE_FP8
#undef RADDLE_FP8_NAME
#undef RADDLE_FP8_JOIN
#undef RADDLE_FP8_X2___nv_fp8_e4m3
#undef RADDLE_FP8_X4___nv_fp8_e4m3
#undef RADDLE_FP8_X2___nv_fp8_e5m2
#undef RADDLE_FP8_X4___nv_fp8_e5m2

#endif
#endif
