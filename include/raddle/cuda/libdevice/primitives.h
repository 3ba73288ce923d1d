// The instructions that the device math library is written in: one function for one PTX
// instruction, plus the bit casts and macros that every other header of the library uses. On the
// device they are clang's NVVM builtins or one line of PTX; on the host (plain C++, for tests)
// exact emulations.
//
// clang compiles CUDA with -ffp-contract=fast, which overrides every pragma and fuses a*b+c at
// will. So the library never leaves a product next to a sum: it says fma() where it wants a fused
// one, and mul() where the product must be rounded. add(), sub() and mul() are never fused or
// reassociated.
//
// With -ftz=true, which -use_fast_math implies, these functions keep denormals, but operators and
// comparisons take them for zeros: a == 0 may hold for a number that mul() does not make zero.
#pragma once

#if defined(__CUDA__) || defined(__CUDACC__)
#define RADDLE_LIBDEVICE_ON_DEVICE 1
#else
#define RADDLE_LIBDEVICE_ON_DEVICE 0
#ifndef __device__
#define __device__
#endif
#endif

// nodebug: a profile by source line then charges the library's instructions to the caller's line.
// g++, which compiles the library for tests only, has no such attribute.
#if defined(__clang__)
#define RADDLE_LIBDEVICE_NODEBUG __attribute__((nodebug))
#else
#define RADDLE_LIBDEVICE_NODEBUG
#endif
// With -use_fast_math some functions become their intrinsics. clang's headers see to that for sinf,
// cosf, sincosf, logf and log2f; for tanf, log10f, expf, exp10f and powf the library does.
#if defined(__CLANG_GPU_APPROX_TRANSCENDENTALS__)
#define RADDLE_LIBDEVICE_FAST_OR_CAREFUL(fast, careful) fast
#else
#define RADDLE_LIBDEVICE_FAST_OR_CAREFUL(fast, careful) careful
#endif
// A function that clang declares, and a helper of such functions. On a device all are inlined: a
// dataflow fabric has no calls.
#if defined(__CUDA_ARCH__)
#define RADDLE_LIBDEVICE_INLINE inline __attribute__((always_inline))
#else
#define RADDLE_LIBDEVICE_INLINE inline
#endif
#define RADDLE_LIBDEVICE extern "C" RADDLE_LIBDEVICE_HELPER
#define RADDLE_LIBDEVICE_HELPER __device__ RADDLE_LIBDEVICE_INLINE RADDLE_LIBDEVICE_NODEBUG

namespace raddle::libdevice {

RADDLE_LIBDEVICE_HELPER unsigned int bits_of(float value) {
  return __builtin_bit_cast(unsigned int, value);
}
RADDLE_LIBDEVICE_HELPER unsigned long long bits_of(double value) {
  return __builtin_bit_cast(unsigned long long, value);
}
RADDLE_LIBDEVICE_HELPER float float_from_bits(unsigned int bits) {
  return __builtin_bit_cast(float, bits);
}
RADDLE_LIBDEVICE_HELPER double double_from_bits(unsigned long long bits) {
  return __builtin_bit_cast(double, bits);
}

}  // namespace raddle::libdevice

#if RADDLE_LIBDEVICE_ON_DEVICE
#include "primitives_device.h"
#else
#include "primitives_host.h"
#endif

namespace raddle::libdevice {

// Products and sums that are rounded once and stay where they are written.
RADDLE_LIBDEVICE_HELPER float mul(float a, float b) { return mul_rn(a, b); }
RADDLE_LIBDEVICE_HELPER double mul(double a, double b) { return mul_rn(a, b); }
RADDLE_LIBDEVICE_HELPER float add(float a, float b) { return add_rn(a, b); }
RADDLE_LIBDEVICE_HELPER double add(double a, double b) { return add_rn(a, b); }
RADDLE_LIBDEVICE_HELPER float sub(float a, float b) { return sub_rn(a, b); }
RADDLE_LIBDEVICE_HELPER double sub(double a, double b) { return sub_rn(a, b); }
RADDLE_LIBDEVICE_HELPER float fma(float a, float b, float c) { return fma_rn(a, b, c); }
RADDLE_LIBDEVICE_HELPER double fma(double a, double b, double c) { return fma_rn(a, b, c); }

RADDLE_LIBDEVICE_HELPER float magnitude(float a) { return __builtin_fabsf(a); }
RADDLE_LIBDEVICE_HELPER double magnitude(double a) { return __builtin_fabs(a); }
RADDLE_LIBDEVICE_HELPER float with_sign(float a, float sign) {
  return __builtin_copysignf(a, sign);
}
RADDLE_LIBDEVICE_HELPER double with_sign(double a, double sign) {
  return __builtin_copysign(a, sign);
}
RADDLE_LIBDEVICE_HELPER float smaller(float a, float b) { return __builtin_fminf(a, b); }
RADDLE_LIBDEVICE_HELPER double smaller(double a, double b) { return __builtin_fmin(a, b); }
RADDLE_LIBDEVICE_HELPER float larger(float a, float b) { return __builtin_fmaxf(a, b); }
RADDLE_LIBDEVICE_HELPER double larger(double a, double b) { return __builtin_fmax(a, b); }
RADDLE_LIBDEVICE_HELPER float nearest_integer(float a) { return __builtin_rintf(a); }
RADDLE_LIBDEVICE_HELPER double nearest_integer(double a) { return __builtin_rint(a); }
RADDLE_LIBDEVICE_HELPER float integer_part(float a) { return __builtin_truncf(a); }
RADDLE_LIBDEVICE_HELPER double integer_part(double a) { return __builtin_trunc(a); }
RADDLE_LIBDEVICE_HELPER float floor_of(float a) { return __builtin_floorf(a); }
RADDLE_LIBDEVICE_HELPER double floor_of(double a) { return __builtin_floor(a); }

// The classes are told from the bits, so that they survive -ffinite-math-only in the caller.
RADDLE_LIBDEVICE_HELPER bool is_nan(float a) { return (bits_of(a) & 0x7fffffffu) > 0x7f800000u; }
RADDLE_LIBDEVICE_HELPER bool is_nan(double a) {
  return (bits_of(a) & 0x7fffffffffffffffull) > 0x7ff0000000000000ull;
}
RADDLE_LIBDEVICE_HELPER bool is_infinite(float a) {
  return (bits_of(a) & 0x7fffffffu) == 0x7f800000u;
}
RADDLE_LIBDEVICE_HELPER bool is_infinite(double a) {
  return (bits_of(a) & 0x7fffffffffffffffull) == 0x7ff0000000000000ull;
}
RADDLE_LIBDEVICE_HELPER bool is_finite(float a) {
  return (bits_of(a) & 0x7f800000u) != 0x7f800000u;
}
RADDLE_LIBDEVICE_HELPER bool is_finite(double a) {
  return (bits_of(a) & 0x7ff0000000000000ull) != 0x7ff0000000000000ull;
}
RADDLE_LIBDEVICE_HELPER bool has_sign_bit(float a) { return (bits_of(a) >> 31) != 0; }
RADDLE_LIBDEVICE_HELPER bool has_sign_bit(double a) { return (bits_of(a) >> 63) != 0; }

RADDLE_LIBDEVICE_HELPER float float_infinity() { return float_from_bits(0x7f800000u); }
RADDLE_LIBDEVICE_HELPER double double_infinity() { return double_from_bits(0x7ff0000000000000ull); }
// The NaN that PTX arithmetic itself produces.
RADDLE_LIBDEVICE_HELPER float float_nan() { return float_from_bits(0x7fffffffu); }
RADDLE_LIBDEVICE_HELPER double double_nan() { return double_from_bits(0xfff8000000000000ull); }

// 2^n for n in the range of normal numbers; for other n some number, which the caller then
// discards.
RADDLE_LIBDEVICE_HELPER float float_power_of_two(int n) {
  return float_from_bits((static_cast<unsigned int>(n) + 127u) << 23);
}
RADDLE_LIBDEVICE_HELPER double double_power_of_two(int n) {
  return double_from_bits((static_cast<unsigned long long>(n) + 1023ull) << 52);
}

// n + offset for a whole number n of type float or double. Unsigned, because n may have saturated.
template <typename Real>
RADDLE_LIBDEVICE_HELPER int exponent_plus(Real n, int offset) {
  return static_cast<int>(static_cast<unsigned int>(to_int_rz(n)) +
                          static_cast<unsigned int>(offset));
}

// c0 + c1 x + c2 x^2 + ... by Horner's rule. The coefficients are arguments, not an array, so that
// they become immediate operands and not loads.
template <typename Real>
RADDLE_LIBDEVICE_HELPER Real horner(Real, Real coefficient) {
  return coefficient;
}
template <typename Real, typename... Rest>
RADDLE_LIBDEVICE_HELPER Real horner(Real x, Real coefficient, Rest... rest) {
  return fma(horner(x, rest...), x, coefficient);
}

}  // namespace raddle::libdevice
