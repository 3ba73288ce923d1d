// Half precision: __half and __half2 with their operators, conversions and intrinsics, on both
// sides. In device code the arithmetic is the device's own 16-bit arithmetic; on the host every
// operation is done in float and rounded, which gives the same bits for +, -, *, / and square root.
#ifndef RADDLE_CUDA_FP16_H
#define RADDLE_CUDA_FP16_H
#define __CUDA_FP16_H__  // programs test for it

#ifdef __cplusplus

#include <math.h>

#include "host_defines.h"
#include "vector_types.h"

#if defined(__CUDA_ARCH__)
#define RADDLE_HALF_DEVICE 1
#endif

struct __half_raw {
  unsigned short x;
};
struct __half2_raw {
  unsigned short x, y;
};

// Rounds to nearest even, as cvt.rn.f16.f32 does.
__RADDLE_HOST_DEVICE__ unsigned short __raddle_half_bits(float value) {
#ifdef RADDLE_HALF_DEVICE
  return __builtin_bit_cast(unsigned short, (_Float16)value);
#else
  unsigned int bits;
  __builtin_memcpy(&bits, &value, sizeof(bits));
  const unsigned int sign = (bits >> 16) & 0x8000u;
  const unsigned int magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return 0x7fff;
  if (magnitude >= 0x477ff000u) return (unsigned short)(sign | 0x7c00u);
  if (magnitude < 0x38800000u) {
    // Subnormal: adding one half makes the float unit round at the right place.
    float absolute;
    __builtin_memcpy(&absolute, &magnitude, sizeof(absolute));
    absolute += 0.5f;
    unsigned int rounded;
    __builtin_memcpy(&rounded, &absolute, sizeof(rounded));
    return (unsigned short)(sign | (rounded - 0x3f000000u));
  }
  const unsigned int odd = (magnitude >> 13) & 1u;
  return (unsigned short)(sign | ((magnitude - 0x38000000u + 0xfffu + odd) >> 13));
#endif
}

__RADDLE_HOST_DEVICE__ float __raddle_half_value(unsigned short half) {
#ifdef RADDLE_HALF_DEVICE
  return (float)__builtin_bit_cast(_Float16, half);
#else
  const unsigned int sign = (half & 0x8000u) << 16;
  const unsigned int exponent = (half >> 10) & 0x1fu;
  const unsigned int fraction = half & 0x3ffu;
  float value;
  unsigned int bits;
  if (exponent == 0) {
    value = (float)fraction * 5.9604644775390625e-8f;
    __builtin_memcpy(&bits, &value, sizeof(bits));
    bits |= sign;
  } else if (exponent == 31) {
    bits = sign | 0x7f800000u | (fraction << 13);
  } else {
    bits = sign | ((exponent + 112) << 23) | (fraction << 13);
  }
  __builtin_memcpy(&value, &bits, sizeof(value));
  return value;
#endif
}

// Directed roundings: toward zero is nearest-even, one step back where that went outward.
__RADDLE_HOST_DEVICE__ unsigned short __raddle_half_bits_toward_zero(float value) {
  const unsigned short nearest = __raddle_half_bits(value);
  const float back = __raddle_half_value(nearest);
  if (value != value || fabsf(back) <= fabsf(value)) return nearest;
  return (unsigned short)(nearest - 1);
}
__RADDLE_HOST_DEVICE__ unsigned short __raddle_half_bits_down(float value) {
  const unsigned short truncated = __raddle_half_bits_toward_zero(value);
  if (!(__raddle_half_value(truncated) > value)) return truncated;
  return (unsigned short)(truncated + 1);
}
__RADDLE_HOST_DEVICE__ unsigned short __raddle_half_bits_up(float value) {
  const unsigned short truncated = __raddle_half_bits_toward_zero(value);
  if (!(__raddle_half_value(truncated) < value)) return truncated;
  return (unsigned short)(truncated + 1);
}

struct __half;
struct __nv_bfloat16;
__RADDLE_HOST_DEVICE__ __half __double2half(double value);

struct __align__(2) __half {
  unsigned short __x;

#if __cplusplus >= 201103L
  __half() = default;
#else
  __RADDLE_MEMBER__ __half() {}
#endif
  __RADDLE_MEMBER__ __half(const __half_raw& raw) : __x(raw.x) {}
  __RADDLE_MEMBER__ explicit __half(const __nv_bfloat16& value);  // cuda_bf16.h
  __RADDLE_MEMBER__ __half(float value) : __x(__raddle_half_bits(value)) {}
  __RADDLE_MEMBER__ __half(double value) : __x(__double2half(value).__x) {}
  __RADDLE_MEMBER__ __half(short value) : __x(__raddle_half_bits((float)value)) {}
  __RADDLE_MEMBER__ __half(unsigned short value) : __x(__raddle_half_bits((float)value)) {}
  __RADDLE_MEMBER__ __half(int value) : __x(__double2half((double)value).__x) {}
  __RADDLE_MEMBER__ __half(unsigned int value) : __x(__double2half((double)value).__x) {}
  __RADDLE_MEMBER__ __half(long value) : __x(__double2half((double)value).__x) {}
  __RADDLE_MEMBER__ __half(unsigned long value) : __x(__double2half((double)value).__x) {}
  __RADDLE_MEMBER__ __half(long long value) : __x(__double2half((double)value).__x) {}
  __RADDLE_MEMBER__ __half(unsigned long long value) : __x(__double2half((double)value).__x) {}

  __RADDLE_MEMBER__ operator float() const { return __raddle_half_value(__x); }
  __RADDLE_MEMBER__ operator __half_raw() const {
    __half_raw raw = {__x};
    return raw;
  }
  // Toward zero and saturated; of NaN zero.
  __RADDLE_MEMBER__ operator signed char() const {
    const float value = __raddle_half_value(__x);
    if (value != value) return 0;
    return (signed char)(value < -128.0f ? -128.0f : value > 127.0f ? 127.0f : value);
  }
  __RADDLE_MEMBER__ operator unsigned char() const {
    const float value = __raddle_half_value(__x);
    return (unsigned char)(!(value > 0.0f) ? 0.0f : value > 255.0f ? 255.0f : value);
  }
  __RADDLE_MEMBER__ operator char() const { return (char)(signed char)*this; }
  __RADDLE_MEMBER__ operator short() const { return (short)__raddle_half_value(__x); }
  __RADDLE_MEMBER__ operator unsigned short() const {
    return (unsigned short)__raddle_half_value(__x);
  }
  __RADDLE_MEMBER__ operator int() const { return (int)__raddle_half_value(__x); }
  __RADDLE_MEMBER__ operator unsigned int() const { return (unsigned int)__raddle_half_value(__x); }
  __RADDLE_MEMBER__ operator long() const { return (long)__raddle_half_value(__x); }
  __RADDLE_MEMBER__ operator unsigned long() const {
    return (unsigned long)__raddle_half_value(__x);
  }
  __RADDLE_MEMBER__ operator long long() const { return (long long)__raddle_half_value(__x); }
  __RADDLE_MEMBER__ operator unsigned long long() const {
    return (unsigned long long)__raddle_half_value(__x);
  }
  __RADDLE_MEMBER__ operator bool() const { return (__x & 0x7fff) != 0; }

  __RADDLE_MEMBER__ __half& operator=(float value) {
    __x = __raddle_half_bits(value);
    return *this;
  }
  __RADDLE_MEMBER__ __half& operator=(double value) {
    __x = __double2half(value).__x;
    return *this;
  }
  __RADDLE_MEMBER__ __half& operator=(int value) {
    __x = __double2half((double)value).__x;
    return *this;
  }
};
typedef __half half;
typedef __half nv_half;

__RADDLE_HOST_DEVICE__ __half __raddle_half_from_bits(unsigned short bits) {
  __half result;
  result.__x = bits;
  return result;
}

// One rounding: a double first goes to the float that keeps its inexactness in the last bit (round
// to odd).
__RADDLE_HOST_DEVICE__ __half __double2half(double value) {
#ifdef RADDLE_HALF_DEVICE
  return __raddle_half_from_bits(__builtin_bit_cast(unsigned short, (_Float16)value));
#else
  float nearest = (float)value;
  unsigned int bits;
  __builtin_memcpy(&bits, &nearest, sizeof(bits));
  if ((double)nearest != value && value == value && (bits & 1u) == 0 &&
      (bits & 0x7f800000u) != 0x7f800000u) {
    const bool too_large = fabs((double)nearest) > fabs(value);
    bits = too_large ? bits - 1 : bits + 1;
    __builtin_memcpy(&nearest, &bits, sizeof(nearest));
  }
  return __raddle_half_from_bits(__raddle_half_bits(nearest));
#endif
}

struct __align__(4) __half2 {
  __half x, y;

#if __cplusplus >= 201103L
  __half2() = default;
#else
  __RADDLE_MEMBER__ __half2() {}
#endif
  __RADDLE_MEMBER__ __half2(const __half& low, const __half& high) : x(low), y(high) {}
  __RADDLE_MEMBER__ __half2(const __half2_raw& raw)
      : x(__raddle_half_from_bits(raw.x)), y(__raddle_half_from_bits(raw.y)) {}
  __RADDLE_MEMBER__ operator __half2_raw() const {
    __half2_raw raw = {x.__x, y.__x};
    return raw;
  }
};
typedef __half2 half2;
typedef __half2 nv_half2;

// --- conversions -----------------------------------------------------------------------------------------------------
__RADDLE_HOST_DEVICE__ __half __float2half(float value) {
  return __raddle_half_from_bits(__raddle_half_bits(value));
}
__RADDLE_HOST_DEVICE__ __half __float2half_rn(float value) { return __float2half(value); }
__RADDLE_HOST_DEVICE__ __half __float2half_rz(float value) {
  return __raddle_half_from_bits(__raddle_half_bits_toward_zero(value));
}
__RADDLE_HOST_DEVICE__ __half __float2half_rd(float value) {
  return __raddle_half_from_bits(__raddle_half_bits_down(value));
}
__RADDLE_HOST_DEVICE__ __half __float2half_ru(float value) {
  return __raddle_half_from_bits(__raddle_half_bits_up(value));
}
__RADDLE_HOST_DEVICE__ float __half2float(const __half value) {
  return __raddle_half_value(value.__x);
}
__RADDLE_HOST_DEVICE__ __half2 __float2half2_rn(float value) {
  return __half2(__float2half(value), __float2half(value));
}
__RADDLE_HOST_DEVICE__ __half2 __floats2half2_rn(float low, float high) {
  return __half2(__float2half(low), __float2half(high));
}
__RADDLE_HOST_DEVICE__ __half2 __float22half2_rn(float2 value) {
  return __floats2half2_rn(value.x, value.y);
}
__RADDLE_HOST_DEVICE__ float __low2float(const __half2 value) { return __half2float(value.x); }
__RADDLE_HOST_DEVICE__ float __high2float(const __half2 value) { return __half2float(value.y); }
__RADDLE_HOST_DEVICE__ float2 __half22float2(const __half2 value) {
  float2 result = {__half2float(value.x), __half2float(value.y)};
  return result;
}
__RADDLE_HOST_DEVICE__ __half2 __half2half2(const __half value) { return __half2(value, value); }
__RADDLE_HOST_DEVICE__ __half2 __halves2half2(const __half low, const __half high) {
  return __half2(low, high);
}
__RADDLE_HOST_DEVICE__ __half2 make_half2(const __half low, const __half high) {
  return __half2(low, high);
}
__RADDLE_HOST_DEVICE__ __half __low2half(const __half2 value) { return value.x; }
__RADDLE_HOST_DEVICE__ __half __high2half(const __half2 value) { return value.y; }
__RADDLE_HOST_DEVICE__ __half2 __low2half2(const __half2 value) {
  return __half2(value.x, value.x);
}
__RADDLE_HOST_DEVICE__ __half2 __high2half2(const __half2 value) {
  return __half2(value.y, value.y);
}
__RADDLE_HOST_DEVICE__ __half2 __lowhigh2highlow(const __half2 value) {
  return __half2(value.y, value.x);
}
__RADDLE_HOST_DEVICE__ __half2 __lows2half2(const __half2 a, const __half2 b) {
  return __half2(a.x, b.x);
}
__RADDLE_HOST_DEVICE__ __half2 __highs2half2(const __half2 a, const __half2 b) {
  return __half2(a.y, b.y);
}
__RADDLE_HOST_DEVICE__ short __half_as_short(const __half value) { return (short)value.__x; }
__RADDLE_HOST_DEVICE__ unsigned short __half_as_ushort(const __half value) { return value.__x; }
__RADDLE_HOST_DEVICE__ __half __short_as_half(const short bits) {
  return __raddle_half_from_bits((unsigned short)bits);
}
__RADDLE_HOST_DEVICE__ __half __ushort_as_half(const unsigned short bits) {
  return __raddle_half_from_bits(bits);
}

// To integers, by the four rounding modes; out of range saturates and NaN gives 0, as the device's
// conversion does.
__RADDLE_HOST_DEVICE__ double __raddle_half_clamp(float value, double low, double high) {
  return value != value ? 0.0 : value < low ? low : value > high ? high : (double)value;
}
#define RADDLE_HALF_TO(type, name, low, high)                             \
  __RADDLE_HOST_DEVICE__ type __half2##name##_rn(const __half h) {        \
    return (type)__raddle_half_clamp(rintf(__half2float(h)), low, high);  \
  }                                                                       \
  __RADDLE_HOST_DEVICE__ type __half2##name##_rz(const __half h) {        \
    return (type)__raddle_half_clamp(truncf(__half2float(h)), low, high); \
  }                                                                       \
  __RADDLE_HOST_DEVICE__ type __half2##name##_rd(const __half h) {        \
    return (type)__raddle_half_clamp(floorf(__half2float(h)), low, high); \
  }                                                                       \
  __RADDLE_HOST_DEVICE__ type __half2##name##_ru(const __half h) {        \
    return (type)__raddle_half_clamp(ceilf(__half2float(h)), low, high);  \
  }                                                                       \
  __RADDLE_HOST_DEVICE__ __half __##name##2half_rn(type value) {          \
    return __double2half((double)value);                                  \
  }
RADDLE_HALF_TO(signed char, char, -128.0, 127.0)
RADDLE_HALF_TO(unsigned char, uchar, 0.0, 255.0)
RADDLE_HALF_TO(short, short, -32768.0, 32767.0)
RADDLE_HALF_TO(unsigned short, ushort, 0.0, 65535.0)
RADDLE_HALF_TO(int, int, -2147483648.0, 2147483647.0)
RADDLE_HALF_TO(unsigned int, uint, 0.0, 4294967295.0)
RADDLE_HALF_TO(long long, ll, -65536.0, 65536.0)
RADDLE_HALF_TO(unsigned long long, ull, 0.0, 65536.0)
#undef RADDLE_HALF_TO

// --- arithmetic ------------------------------------------------------------------------------------------------------
#ifdef RADDLE_HALF_DEVICE
typedef _Float16 __raddle_half2_vector __attribute__((ext_vector_type(2)));
__RADDLE_HOST_DEVICE__ _Float16 __raddle_native(const __half value) {
  return __builtin_bit_cast(_Float16, value.__x);
}
__RADDLE_HOST_DEVICE__ __half __raddle_wrap(_Float16 value) {
  return __raddle_half_from_bits(__builtin_bit_cast(unsigned short, value));
}
__RADDLE_HOST_DEVICE__ __raddle_half2_vector __raddle_native(const __half2 value) {
  __raddle_half2_vector result = {__raddle_native(value.x), __raddle_native(value.y)};
  return result;
}
__RADDLE_HOST_DEVICE__ __half2 __raddle_wrap(__raddle_half2_vector value) {
  return __half2(__raddle_wrap(value.x), __raddle_wrap(value.y));
}
#define RADDLE_HALF_OPERATOR(name, op)                                            \
  __RADDLE_HOST_DEVICE__ __half __h##name(const __half a, const __half b) {       \
    return __raddle_wrap((_Float16)(__raddle_native(a) op __raddle_native(b)));   \
  }                                                                               \
  __RADDLE_HOST_DEVICE__ __half2 __h##name##2(const __half2 a, const __half2 b) { \
    return __raddle_wrap(__raddle_native(a) op __raddle_native(b));               \
  }
__RADDLE_HOST_DEVICE__ __half __hfma(const __half a, const __half b, const __half c) {
  return __raddle_wrap(
      __builtin_fmaf16(__raddle_native(a), __raddle_native(b), __raddle_native(c)));
}
#else
#define RADDLE_HALF_OPERATOR(name, op)                                            \
  __RADDLE_HOST_DEVICE__ __half __h##name(const __half a, const __half b) {       \
    return __float2half(__half2float(a) op __half2float(b));                      \
  }                                                                               \
  __RADDLE_HOST_DEVICE__ __half2 __h##name##2(const __half2 a, const __half2 b) { \
    return __half2(__h##name(a.x, b.x), __h##name(a.y, b.y));                     \
  }
__RADDLE_HOST_DEVICE__ __half __hfma(const __half a, const __half b, const __half c) {
  return __double2half((double)__half2float(a) * (double)__half2float(b) + (double)__half2float(c));
}
#endif
RADDLE_HALF_OPERATOR(add, +)
RADDLE_HALF_OPERATOR(sub, -)
RADDLE_HALF_OPERATOR(mul, *)
#undef RADDLE_HALF_OPERATOR

#define RADDLE_NARROW __half
#define RADDLE_NARROW2 __half2
#define RADDLE_NARROW_INFINITY 0x7c00u
#define RADDLE_NARROW_PTX "f16"
#include "device/narrow_float_functions.h"
#undef RADDLE_NARROW
#undef RADDLE_NARROW2
#undef RADDLE_NARROW_INFINITY
#undef RADDLE_NARROW_PTX

#undef RADDLE_HALF_DEVICE
#endif
#endif
