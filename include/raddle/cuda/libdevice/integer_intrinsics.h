// Integer functions: minimum and maximum, bit counting and reversal, 24-bit and high-half products,
// averages that do not overflow, byte permutation and the sum of absolute differences.
#pragma once

#include "primitives.h"

namespace raddle::libdevice {

// The negation is unsigned so that the most negative number is its own absolute value, as on the
// GPU.
RADDLE_LIBDEVICE int __nv_abs(int a) {
  return a < 0 ? static_cast<int>(0u - static_cast<unsigned int>(a)) : a;
}
RADDLE_LIBDEVICE long long __nv_llabs(long long a) {
  return a < 0 ? static_cast<long long>(0ull - static_cast<unsigned long long>(a)) : a;
}

RADDLE_LIBDEVICE int __nv_max(int a, int b) { return a > b ? a : b; }
RADDLE_LIBDEVICE int __nv_min(int a, int b) { return a < b ? a : b; }
RADDLE_LIBDEVICE unsigned int __nv_umax(unsigned int a, unsigned int b) { return a > b ? a : b; }
RADDLE_LIBDEVICE unsigned int __nv_umin(unsigned int a, unsigned int b) { return a < b ? a : b; }
RADDLE_LIBDEVICE long long __nv_llmax(long long a, long long b) { return a > b ? a : b; }
RADDLE_LIBDEVICE long long __nv_llmin(long long a, long long b) { return a < b ? a : b; }
RADDLE_LIBDEVICE unsigned long long __nv_ullmax(unsigned long long a, unsigned long long b) {
  return a > b ? a : b;
}
RADDLE_LIBDEVICE unsigned long long __nv_ullmin(unsigned long long a, unsigned long long b) {
  return a < b ? a : b;
}

RADDLE_LIBDEVICE int __nv_popc(unsigned int a) { return population_count(a); }
RADDLE_LIBDEVICE int __nv_popcll(unsigned long long a) { return population_count(a); }
RADDLE_LIBDEVICE int __nv_clz(int a) { return leading_zeros(static_cast<unsigned int>(a)); }
RADDLE_LIBDEVICE int __nv_clzll(long long a) {
  return leading_zeros(static_cast<unsigned long long>(a));
}
RADDLE_LIBDEVICE int __nv_brev(int a) {
  return static_cast<int>(reversed_bits(static_cast<unsigned int>(a)));
}
RADDLE_LIBDEVICE long long __nv_brevll(long long a) {
  return static_cast<long long>(reversed_bits(static_cast<unsigned long long>(a)));
}
// The position of the lowest set bit, counted from one; zero if there is none. Isolating that bit
// first keeps it to one clz, which for zero gives 32 or 64.
RADDLE_LIBDEVICE int __nv_ffs(int a) {
  const unsigned int word = static_cast<unsigned int>(a);
  return 32 - leading_zeros(word & (0u - word));
}
RADDLE_LIBDEVICE int __nv_ffsll(long long a) {
  const unsigned long long word = static_cast<unsigned long long>(a);
  return 64 - leading_zeros(word & (0ull - word));
}
RADDLE_LIBDEVICE int __nv_byte_perm(int a, int b, int selector) {
  return static_cast<int>(permute_bytes(static_cast<unsigned int>(a), static_cast<unsigned int>(b),
                                        static_cast<unsigned int>(selector)));
}

RADDLE_LIBDEVICE int __nv_mul24(int a, int b) { return mul24(a, b); }
RADDLE_LIBDEVICE unsigned int __nv_umul24(unsigned int a, unsigned int b) { return mul24(a, b); }
RADDLE_LIBDEVICE int __nv_mulhi(int a, int b) { return mul_high(a, b); }
RADDLE_LIBDEVICE unsigned int __nv_umulhi(unsigned int a, unsigned int b) { return mul_high(a, b); }
RADDLE_LIBDEVICE long long __nv_mul64hi(long long a, long long b) { return mul_high(a, b); }
RADDLE_LIBDEVICE unsigned long long __nv_umul64hi(unsigned long long a, unsigned long long b) {
  return mul_high(a, b);
}

// Averages from the carry-free identities a + b = 2 (a & b) + (a ^ b) = 2 (a | b) - (a ^ b).
RADDLE_LIBDEVICE int __nv_hadd(int a, int b) { return (a & b) + ((a ^ b) >> 1); }
RADDLE_LIBDEVICE int __nv_rhadd(int a, int b) { return (a | b) - ((a ^ b) >> 1); }
RADDLE_LIBDEVICE int __nv_uhadd(unsigned int a, unsigned int b) {
  return static_cast<int>((a & b) + ((a ^ b) >> 1));
}
RADDLE_LIBDEVICE unsigned int __nv_urhadd(unsigned int a, unsigned int b) {
  return (a | b) - ((a ^ b) >> 1);
}

RADDLE_LIBDEVICE int __nv_sad(int a, int b, int c) { return absolute_difference_plus(a, b, c); }
RADDLE_LIBDEVICE unsigned int __nv_usad(unsigned int a, unsigned int b, unsigned int c) {
  return absolute_difference_plus(a, b, c);
}

}  // namespace raddle::libdevice
