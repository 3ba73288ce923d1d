// bfloat16: the upper half of a float, with its operators, conversions and intrinsics, on both
// sides. Arithmetic is done in float and rounded to nearest even, which gives the bits of one
// rounding for +, -, *, / and square root; a fused multiply-add is rounded to float first.
#ifndef RADDLE_CUDA_BF16_H
#define RADDLE_CUDA_BF16_H
#define __CUDA_BF16_H__  // programs test for it

#ifdef __cplusplus

#include <math.h>

#include "cuda_fp16.h"
#include "host_defines.h"
#include "vector_types.h"

// Rounds to nearest even, as cvt.rn.bf16.f32 does.
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
// Directed roundings. Toward zero drops the lower half; the others go a step outward from there.
__RADDLE_HOST_DEVICE__ unsigned short __raddle_bfloat16_bits_toward_zero(float value) {
  unsigned int bits;
  __builtin_memcpy(&bits, &value, sizeof(bits));
  return value != value ? (unsigned short)0x7fff : (unsigned short)(bits >> 16);
}
__RADDLE_HOST_DEVICE__ unsigned short __raddle_bfloat16_bits_outward(float value, bool up) {
  const unsigned short truncated = __raddle_bfloat16_bits_toward_zero(value);
  const float back = __raddle_bfloat16_value(truncated);
  const bool steps = up ? back < value : back > value;
  return steps ? (unsigned short)(truncated + 1) : truncated;
}

// The float that keeps a double's inexactness in its last bit (round to odd), so that rounding it
// again is as one rounding.
__RADDLE_HOST_DEVICE__ float __raddle_float_to_odd(double value) {
  float nearest = (float)value;
  unsigned int bits;
  __builtin_memcpy(&bits, &nearest, sizeof(bits));
  const bool is_inexact = (double)nearest != value && value == value;
  if (is_inexact && (bits & 0x7fffffffu) == 0x7f800000u) {
    bits -= 1;  // beyond the largest float: back to it, whose last bit is odd
  } else if (is_inexact && (bits & 1u) == 0) {
    bits = fabs((double)nearest) > fabs(value) ? bits - 1 : bits + 1;
  }
  __builtin_memcpy(&nearest, &bits, sizeof(nearest));
  return nearest;
}
// A 64-bit integer as a double in the same manner: the bits that do not fit leave a trace in the
// last that does.
__RADDLE_HOST_DEVICE__ double __raddle_double_to_odd(unsigned long long value) {
  if (value >> 53 == 0) return (double)value;
  return (double)((value >> 11 | ((value & 0x7ffu) != 0 ? 1u : 0u)) << 11);
}
__RADDLE_HOST_DEVICE__ double __raddle_double_to_odd(long long value) {
  return value < 0 ? -__raddle_double_to_odd(0ull - (unsigned long long)value)
                   : __raddle_double_to_odd((unsigned long long)value);
}

typedef struct {
  unsigned short x;
} __nv_bfloat16_raw;
typedef struct {
  unsigned short x, y;
} __nv_bfloat162_raw;

struct __align__(2) __nv_bfloat16 {
  unsigned short __x;

  __nv_bfloat16() = default;
  __RADDLE_MEMBER__ __nv_bfloat16(const __nv_bfloat16_raw& raw) : __x(raw.x) {}
  __RADDLE_MEMBER__ explicit __nv_bfloat16(const __half& value)
      : __x(__raddle_bfloat16_bits(__raddle_half_value(value.__x))) {}
  __RADDLE_MEMBER__ __nv_bfloat16(float value) : __x(__raddle_bfloat16_bits(value)) {}
  __RADDLE_MEMBER__ __nv_bfloat16(double value)
      : __x(__raddle_bfloat16_bits(__raddle_float_to_odd(value))) {}
  __RADDLE_MEMBER__ __nv_bfloat16(short value) : __x(__raddle_bfloat16_bits((float)value)) {}
  __RADDLE_MEMBER__ __nv_bfloat16(unsigned short value)
      : __x(__raddle_bfloat16_bits((float)value)) {}
  __RADDLE_MEMBER__ __nv_bfloat16(int value) : __nv_bfloat16((double)value) {}
  __RADDLE_MEMBER__ __nv_bfloat16(unsigned int value) : __nv_bfloat16((double)value) {}
  __RADDLE_MEMBER__ __nv_bfloat16(long value)
      : __nv_bfloat16(__raddle_double_to_odd((long long)value)) {}
  __RADDLE_MEMBER__ __nv_bfloat16(unsigned long value)
      : __nv_bfloat16(__raddle_double_to_odd((unsigned long long)value)) {}
  __RADDLE_MEMBER__ __nv_bfloat16(long long value) : __nv_bfloat16(__raddle_double_to_odd(value)) {}
  __RADDLE_MEMBER__ __nv_bfloat16(unsigned long long value)
      : __nv_bfloat16(__raddle_double_to_odd(value)) {}

  __RADDLE_MEMBER__ operator float() const { return __raddle_bfloat16_value(__x); }
  __RADDLE_MEMBER__ operator __nv_bfloat16_raw() const {
    __nv_bfloat16_raw raw = {__x};
    return raw;
  }
  // Toward zero and saturated; of NaN zero.
  __RADDLE_MEMBER__ operator signed char() const {
    const float value = __raddle_bfloat16_value(__x);
    if (value != value) return 0;
    return (signed char)(value < -128.0f ? -128.0f : value > 127.0f ? 127.0f : value);
  }
  __RADDLE_MEMBER__ operator unsigned char() const {
    const float value = __raddle_bfloat16_value(__x);
    return (unsigned char)(!(value > 0.0f) ? 0.0f : value > 255.0f ? 255.0f : value);
  }
  __RADDLE_MEMBER__ operator char() const { return (char)(signed char)*this; }
  __RADDLE_MEMBER__ operator long() const { return (long)__raddle_bfloat16_value(__x); }
  __RADDLE_MEMBER__ operator unsigned long() const {
    return (unsigned long)__raddle_bfloat16_value(__x);
  }
  __RADDLE_MEMBER__ operator short() const { return (short)__raddle_bfloat16_value(__x); }
  __RADDLE_MEMBER__ operator unsigned short() const {
    return (unsigned short)__raddle_bfloat16_value(__x);
  }
  __RADDLE_MEMBER__ operator int() const { return (int)__raddle_bfloat16_value(__x); }
  __RADDLE_MEMBER__ operator unsigned int() const {
    return (unsigned int)__raddle_bfloat16_value(__x);
  }
  __RADDLE_MEMBER__ operator long long() const { return (long long)__raddle_bfloat16_value(__x); }
  __RADDLE_MEMBER__ operator unsigned long long() const {
    return (unsigned long long)__raddle_bfloat16_value(__x);
  }
  __RADDLE_MEMBER__ operator bool() const { return (__x & 0x7fff) != 0; }

  __RADDLE_MEMBER__ __nv_bfloat16& operator=(float value) { return *this = __nv_bfloat16(value); }
  __RADDLE_MEMBER__ __nv_bfloat16& operator=(double value) { return *this = __nv_bfloat16(value); }
  __RADDLE_MEMBER__ __nv_bfloat16& operator=(int value) { return *this = __nv_bfloat16(value); }
};
typedef __nv_bfloat16 nv_bfloat16;
__RADDLE_MEMBER__ __half::__half(const __nv_bfloat16& value)
    : __x(__raddle_half_bits(__raddle_bfloat16_value(value.__x))) {}

__RADDLE_HOST_DEVICE__ __nv_bfloat16 __raddle_bfloat16_from_bits(unsigned short bits) {
  __nv_bfloat16 result;
  result.__x = bits;
  return result;
}

struct __align__(4) __nv_bfloat162 {
  __nv_bfloat16 x, y;

  __nv_bfloat162() = default;
  __RADDLE_MEMBER__ __nv_bfloat162(const __nv_bfloat16& low, const __nv_bfloat16& high)
      : x(low), y(high) {}
  __RADDLE_MEMBER__ __nv_bfloat162(const __nv_bfloat162_raw& raw)
      : x(__raddle_bfloat16_from_bits(raw.x)), y(__raddle_bfloat16_from_bits(raw.y)) {}
  __RADDLE_MEMBER__ operator __nv_bfloat162_raw() const {
    __nv_bfloat162_raw raw = {x.__x, y.__x};
    return raw;
  }
};
typedef __nv_bfloat162 nv_bfloat162;

// --- conversions -----------------------------------------------------------------------------------------------------
__RADDLE_HOST_DEVICE__ __nv_bfloat16 __float2bfloat16(float value) { return __nv_bfloat16(value); }
__RADDLE_HOST_DEVICE__ __nv_bfloat16 __float2bfloat16_rn(float value) {
  return __nv_bfloat16(value);
}
__RADDLE_HOST_DEVICE__ __nv_bfloat16 __float2bfloat16_rz(float value) {
  return __raddle_bfloat16_from_bits(__raddle_bfloat16_bits_toward_zero(value));
}
__RADDLE_HOST_DEVICE__ __nv_bfloat16 __float2bfloat16_rd(float value) {
  return __raddle_bfloat16_from_bits(__raddle_bfloat16_bits_outward(value, false));
}
__RADDLE_HOST_DEVICE__ __nv_bfloat16 __float2bfloat16_ru(float value) {
  return __raddle_bfloat16_from_bits(__raddle_bfloat16_bits_outward(value, true));
}
__RADDLE_HOST_DEVICE__ __nv_bfloat16 __double2bfloat16(double value) {
  return __nv_bfloat16(value);
}
__RADDLE_HOST_DEVICE__ float __bfloat162float(const __nv_bfloat16 value) { return (float)value; }
__RADDLE_HOST_DEVICE__ __nv_bfloat162 __float2bfloat162_rn(float value) {
  return __nv_bfloat162(__nv_bfloat16(value), __nv_bfloat16(value));
}
__RADDLE_HOST_DEVICE__ __nv_bfloat162 __floats2bfloat162_rn(float low, float high) {
  return __nv_bfloat162(__nv_bfloat16(low), __nv_bfloat16(high));
}
__RADDLE_HOST_DEVICE__ __nv_bfloat162 __float22bfloat162_rn(float2 value) {
  return __floats2bfloat162_rn(value.x, value.y);
}
__RADDLE_HOST_DEVICE__ float __low2float(const __nv_bfloat162 value) { return (float)value.x; }
__RADDLE_HOST_DEVICE__ float __high2float(const __nv_bfloat162 value) { return (float)value.y; }
__RADDLE_HOST_DEVICE__ float2 __bfloat1622float2(const __nv_bfloat162 value) {
  float2 result = {(float)value.x, (float)value.y};
  return result;
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
__RADDLE_HOST_DEVICE__ __nv_bfloat16 __low2bfloat16(const __nv_bfloat162 value) { return value.x; }
__RADDLE_HOST_DEVICE__ __nv_bfloat16 __high2bfloat16(const __nv_bfloat162 value) { return value.y; }
__RADDLE_HOST_DEVICE__ __nv_bfloat162 __low2bfloat162(const __nv_bfloat162 value) {
  return __nv_bfloat162(value.x, value.x);
}
__RADDLE_HOST_DEVICE__ __nv_bfloat162 __high2bfloat162(const __nv_bfloat162 value) {
  return __nv_bfloat162(value.y, value.y);
}
__RADDLE_HOST_DEVICE__ __nv_bfloat162 __lowhigh2highlow(const __nv_bfloat162 value) {
  return __nv_bfloat162(value.y, value.x);
}
__RADDLE_HOST_DEVICE__ __nv_bfloat162 __lows2bfloat162(const __nv_bfloat162 a,
                                                       const __nv_bfloat162 b) {
  return __nv_bfloat162(a.x, b.x);
}
__RADDLE_HOST_DEVICE__ __nv_bfloat162 __highs2bfloat162(const __nv_bfloat162 a,
                                                        const __nv_bfloat162 b) {
  return __nv_bfloat162(a.y, b.y);
}
__RADDLE_HOST_DEVICE__ short __bfloat16_as_short(const __nv_bfloat16 value) {
  return (short)value.__x;
}
__RADDLE_HOST_DEVICE__ unsigned short __bfloat16_as_ushort(const __nv_bfloat16 value) {
  return value.__x;
}
__RADDLE_HOST_DEVICE__ __nv_bfloat16 __short_as_bfloat16(const short bits) {
  return __raddle_bfloat16_from_bits((unsigned short)bits);
}
__RADDLE_HOST_DEVICE__ __nv_bfloat16 __ushort_as_bfloat16(const unsigned short bits) {
  return __raddle_bfloat16_from_bits(bits);
}

// To and from integers, by the four rounding modes; out of range saturates and NaN gives 0, as the
// device's conversion does.
#define RADDLE_BFLOAT16_TO(type, name, low, high, rounding, function)                     \
  __RADDLE_HOST_DEVICE__ type __bfloat162##name##_##rounding(const __nv_bfloat16 value) { \
    const float x = function((float)value);                                               \
    if (x != x) return 0;                                                                 \
    return x < (float)(low) ? (type)(low) : x >= (float)(high) ? (type)(high) : (type)x;  \
  }
#define RADDLE_BFLOAT16_INTEGER(type, name, low, high)                               \
  RADDLE_BFLOAT16_TO(type, name, low, high, rn, rintf)                               \
  RADDLE_BFLOAT16_TO(type, name, low, high, rz, truncf)                              \
  RADDLE_BFLOAT16_TO(type, name, low, high, rd, floorf)                              \
  RADDLE_BFLOAT16_TO(type, name, low, high, ru, ceilf)                               \
  __RADDLE_HOST_DEVICE__ __nv_bfloat16 __##name##2bfloat16_rn(type value) {          \
    return __nv_bfloat16(__raddle_double_to_odd((__raddle_wide_##name)value));       \
  }                                                                                  \
  __RADDLE_HOST_DEVICE__ __nv_bfloat16 __##name##2bfloat16_rz(type value) {          \
    return __float2bfloat16_rz(                                                      \
        __raddle_float_to_odd(__raddle_double_to_odd((__raddle_wide_##name)value))); \
  }                                                                                  \
  __RADDLE_HOST_DEVICE__ __nv_bfloat16 __##name##2bfloat16_rd(type value) {          \
    return __float2bfloat16_rd(                                                      \
        __raddle_float_to_odd(__raddle_double_to_odd((__raddle_wide_##name)value))); \
  }                                                                                  \
  __RADDLE_HOST_DEVICE__ __nv_bfloat16 __##name##2bfloat16_ru(type value) {          \
    return __float2bfloat16_ru(                                                      \
        __raddle_float_to_odd(__raddle_double_to_odd((__raddle_wide_##name)value))); \
  }
typedef long long __raddle_wide_short, __raddle_wide_int, __raddle_wide_ll, __raddle_wide_char;
typedef unsigned long long __raddle_wide_ushort, __raddle_wide_uint, __raddle_wide_ull,
    __raddle_wide_uchar;
RADDLE_BFLOAT16_INTEGER(signed char, char, -128, 127)
RADDLE_BFLOAT16_INTEGER(unsigned char, uchar, 0, 255)
RADDLE_BFLOAT16_INTEGER(short, short, -32768, 32767)
RADDLE_BFLOAT16_INTEGER(unsigned short, ushort, 0, 65535)
RADDLE_BFLOAT16_INTEGER(int, int, -2147483647 - 1, 2147483647)
RADDLE_BFLOAT16_INTEGER(unsigned int, uint, 0, 4294967295u)
RADDLE_BFLOAT16_INTEGER(long long, ll, -9223372036854775807ll - 1, 9223372036854775807ll)
RADDLE_BFLOAT16_INTEGER(unsigned long long, ull, 0, 18446744073709551615ull)
#undef RADDLE_BFLOAT16_INTEGER
#undef RADDLE_BFLOAT16_TO

// --- arithmetic ------------------------------------------------------------------------------------------------------
#define RADDLE_BFLOAT16_OPERATOR(name, op)                                                       \
  __RADDLE_HOST_DEVICE__ __nv_bfloat16 __h##name(const __nv_bfloat16 a, const __nv_bfloat16 b) { \
    return __nv_bfloat16((float)a op(float) b);                                                  \
  }                                                                                              \
  __RADDLE_HOST_DEVICE__ __nv_bfloat162 __h##name##2(const __nv_bfloat162 a,                     \
                                                     const __nv_bfloat162 b) {                   \
    return __nv_bfloat162(__h##name(a.x, b.x), __h##name(a.y, b.y));                             \
  }
RADDLE_BFLOAT16_OPERATOR(add, +)
RADDLE_BFLOAT16_OPERATOR(sub, -)
RADDLE_BFLOAT16_OPERATOR(mul, *)
#undef RADDLE_BFLOAT16_OPERATOR

__RADDLE_HOST_DEVICE__ __nv_bfloat16 __hfma(const __nv_bfloat16 a, const __nv_bfloat16 b,
                                            const __nv_bfloat16 c) {
  return __nv_bfloat16(fmaf((float)a, (float)b, (float)c));
}

#define RADDLE_NARROW __nv_bfloat16
#define RADDLE_NARROW2 __nv_bfloat162
#define RADDLE_NARROW_INFINITY 0x7f80u
#define RADDLE_NARROW_PTX "bf16"
#include "device/narrow_float_functions.h"
#undef RADDLE_NARROW
#undef RADDLE_NARROW2
#undef RADDLE_NARROW_INFINITY
#undef RADDLE_NARROW_PTX

#endif
#endif
