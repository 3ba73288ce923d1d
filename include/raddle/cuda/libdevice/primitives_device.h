// The device half of primitives.h: each function is one PTX instruction, by clang's NVVM builtin or
// an expression that becomes it; never by inline PTX, which keeps stores inside loops and loops
// from being unrolled, because clang does not know that it ends. PTX writes the directed rounding
// modes rm and rp where CUDA writes rd and ru; the functions here use CUDA's letters.
#pragma once

namespace raddle::libdevice {

// CUDA's rounding suffix and PTX's, for every primitive that exists in all four modes.
#define RADDLE_EACH_ROUNDING(define) define(rn, rn) define(rz, rz) define(rd, rm) define(ru, rp)

#define RADDLE_ARITHMETIC(cuda, ptx)                                                        \
  RADDLE_LIBDEVICE_HELPER float add_##cuda(float a, float b) {                              \
    return __nvvm_add_##ptx##_f(a, b);                                                      \
  }                                                                                         \
  RADDLE_LIBDEVICE_HELPER float mul_##cuda(float a, float b) {                              \
    return __nvvm_mul_##ptx##_f(a, b);                                                      \
  }                                                                                         \
  RADDLE_LIBDEVICE_HELPER float div_##cuda(float a, float b) {                              \
    return __nvvm_div_##ptx##_f(a, b);                                                      \
  }                                                                                         \
  RADDLE_LIBDEVICE_HELPER float rcp_##cuda(float a) { return __nvvm_rcp_##ptx##_f(a); }     \
  RADDLE_LIBDEVICE_HELPER float sqrt_##cuda(float a) { return __nvvm_sqrt_##ptx##_f(a); }   \
  RADDLE_LIBDEVICE_HELPER float fma_##cuda(float a, float b, float c) {                     \
    return __nvvm_fma_##ptx##_f(a, b, c);                                                   \
  }                                                                                         \
  RADDLE_LIBDEVICE_HELPER double add_##cuda(double a, double b) {                           \
    return __nvvm_add_##ptx##_d(a, b);                                                      \
  }                                                                                         \
  RADDLE_LIBDEVICE_HELPER double mul_##cuda(double a, double b) {                           \
    return __nvvm_mul_##ptx##_d(a, b);                                                      \
  }                                                                                         \
  RADDLE_LIBDEVICE_HELPER double div_##cuda(double a, double b) {                           \
    return __nvvm_div_##ptx##_d(a, b);                                                      \
  }                                                                                         \
  RADDLE_LIBDEVICE_HELPER double rcp_##cuda(double a) { return __nvvm_rcp_##ptx##_d(a); }   \
  RADDLE_LIBDEVICE_HELPER double sqrt_##cuda(double a) { return __nvvm_sqrt_##ptx##_d(a); } \
  RADDLE_LIBDEVICE_HELPER double fma_##cuda(double a, double b, double c) {                 \
    return __nvvm_fma_##ptx##_d(a, b, c);                                                   \
  }
RADDLE_EACH_ROUNDING(RADDLE_ARITHMETIC)
#undef RADDLE_ARITHMETIC

// There is no builtin that subtracts. To the nearest, what the compiler makes of `-`, kept apart
// from a product before it; in other modes a + -1 * b, whose product is exact.
#define RADDLE_SUBTRACTIONS(type)                                                        \
  RADDLE_LIBDEVICE_HELPER type sub_rn(type a, type b) {                                  \
    _Pragma("clang fp contract(off)") return a - b;                                      \
  }                                                                                      \
  RADDLE_LIBDEVICE_HELPER type sub_rz(type a, type b) { return fma_rz(b, type(-1), a); } \
  RADDLE_LIBDEVICE_HELPER type sub_rd(type a, type b) { return fma_rd(b, type(-1), a); } \
  RADDLE_LIBDEVICE_HELPER type sub_ru(type a, type b) { return fma_ru(b, type(-1), a); }
RADDLE_SUBTRACTIONS(float)
RADDLE_SUBTRACTIONS(double)
#undef RADDLE_SUBTRACTIONS

#define RADDLE_CONVERSIONS(cuda, ptx)                                                              \
  RADDLE_LIBDEVICE_HELPER float to_float_##cuda(double a) { return __nvvm_d2f_##ptx(a); }          \
  RADDLE_LIBDEVICE_HELPER float to_float_##cuda(int a) { return __nvvm_i2f_##ptx(a); }             \
  RADDLE_LIBDEVICE_HELPER float to_float_##cuda(unsigned int a) { return __nvvm_ui2f_##ptx(a); }   \
  RADDLE_LIBDEVICE_HELPER float to_float_##cuda(long long a) { return __nvvm_ll2f_##ptx(a); }      \
  RADDLE_LIBDEVICE_HELPER float to_float_##cuda(unsigned long long a) {                            \
    return __nvvm_ull2f_##ptx(a);                                                                  \
  }                                                                                                \
  RADDLE_LIBDEVICE_HELPER double to_double_##cuda(int a) { return __nvvm_i2d_##ptx(a); }           \
  RADDLE_LIBDEVICE_HELPER double to_double_##cuda(unsigned int a) { return __nvvm_ui2d_##ptx(a); } \
  RADDLE_LIBDEVICE_HELPER double to_double_##cuda(long long a) { return __nvvm_ll2d_##ptx(a); }    \
  RADDLE_LIBDEVICE_HELPER double to_double_##cuda(unsigned long long a) {                          \
    return __nvvm_ull2d_##ptx(a);                                                                  \
  }                                                                                                \
  RADDLE_LIBDEVICE_HELPER int to_int_##cuda(float a) { return __nvvm_f2i_##ptx(a); }               \
  RADDLE_LIBDEVICE_HELPER int to_int_##cuda(double a) { return __nvvm_d2i_##ptx(a); }              \
  RADDLE_LIBDEVICE_HELPER unsigned int to_uint_##cuda(float a) { return __nvvm_f2ui_##ptx(a); }    \
  RADDLE_LIBDEVICE_HELPER unsigned int to_uint_##cuda(double a) { return __nvvm_d2ui_##ptx(a); }   \
  RADDLE_LIBDEVICE_HELPER long long to_longlong_##cuda(float a) { return __nvvm_f2ll_##ptx(a); }   \
  RADDLE_LIBDEVICE_HELPER long long to_longlong_##cuda(double a) { return __nvvm_d2ll_##ptx(a); }  \
  RADDLE_LIBDEVICE_HELPER unsigned long long to_ulonglong_##cuda(float a) {                        \
    return __nvvm_f2ull_##ptx(a);                                                                  \
  }                                                                                                \
  RADDLE_LIBDEVICE_HELPER unsigned long long to_ulonglong_##cuda(double a) {                       \
    return __nvvm_d2ull_##ptx(a);                                                                  \
  }
RADDLE_EACH_ROUNDING(RADDLE_CONVERSIONS)
#undef RADDLE_CONVERSIONS
#undef RADDLE_EACH_ROUNDING

RADDLE_LIBDEVICE_HELPER unsigned short to_half_rn(float a) {
  return static_cast<unsigned short>(__nvvm_f2h_rn(a));
}
RADDLE_LIBDEVICE_HELPER float from_half(unsigned short a) {
  return static_cast<float>(__builtin_bit_cast(_Float16, a));
}

// The special function unit.
RADDLE_LIBDEVICE_HELPER float ex2_approx(float a) { return __nvvm_ex2_approx_f(a); }
RADDLE_LIBDEVICE_HELPER float lg2_approx(float a) { return __nvvm_lg2_approx_f(a); }
RADDLE_LIBDEVICE_HELPER float sin_approx(float a) { return __nvvm_sin_approx_f(a); }
RADDLE_LIBDEVICE_HELPER float cos_approx(float a) { return __nvvm_cos_approx_f(a); }
RADDLE_LIBDEVICE_HELPER float div_approx(float a, float b) { return __nvvm_div_approx_f(a, b); }
RADDLE_LIBDEVICE_HELPER float rsqrt_approx(float a) { return __nvvm_rsqrt_approx_f(a); }
RADDLE_LIBDEVICE_HELPER double rsqrt_approx(double a) { return __nvvm_rsqrt_approx_d(a); }
RADDLE_LIBDEVICE_HELPER double rcp_approx_ftz(double a) { return __nvvm_rcp_approx_ftz_d(a); }
RADDLE_LIBDEVICE_HELPER float saturate(float a) { return __nvvm_saturate_f(a); }

RADDLE_LIBDEVICE_HELPER int population_count(unsigned int a) { return __builtin_popcount(a); }
RADDLE_LIBDEVICE_HELPER int population_count(unsigned long long a) {
  return __builtin_popcountll(a);
}
// clz.b32 and clz.b64 of zero are 32 and 64.
RADDLE_LIBDEVICE_HELPER int leading_zeros(unsigned int a) { return __builtin_clzg(a, 32); }
RADDLE_LIBDEVICE_HELPER int leading_zeros(unsigned long long a) { return __builtin_clzg(a, 64); }
RADDLE_LIBDEVICE_HELPER unsigned int reversed_bits(unsigned int a) {
  return __builtin_bitreverse32(a);
}
RADDLE_LIBDEVICE_HELPER unsigned long long reversed_bits(unsigned long long a) {
  return __builtin_bitreverse64(a);
}
RADDLE_LIBDEVICE_HELPER unsigned int permute_bytes(unsigned int a, unsigned int b,
                                                   unsigned int selector) {
  return __nvvm_prmt(a, b, selector);
}
RADDLE_LIBDEVICE_HELPER int mul24(int a, int b) { return __nvvm_mul24_i(a, b); }
RADDLE_LIBDEVICE_HELPER unsigned int mul24(unsigned int a, unsigned int b) {
  return __nvvm_mul24_ui(a, b);
}
RADDLE_LIBDEVICE_HELPER int mul_high(int a, int b) { return __nvvm_mulhi_i(a, b); }
RADDLE_LIBDEVICE_HELPER unsigned int mul_high(unsigned int a, unsigned int b) {
  return __nvvm_mulhi_ui(a, b);
}
RADDLE_LIBDEVICE_HELPER long long mul_high(long long a, long long b) {
  return __nvvm_mulhi_ll(a, b);
}
RADDLE_LIBDEVICE_HELPER unsigned long long mul_high(unsigned long long a, unsigned long long b) {
  return __nvvm_mulhi_ull(a, b);
}
RADDLE_LIBDEVICE_HELPER int absolute_difference_plus(int a, int b, int c) {
  return __nvvm_sad_i(a, b, c);
}
RADDLE_LIBDEVICE_HELPER unsigned int absolute_difference_plus(unsigned int a, unsigned int b,
                                                              unsigned int c) {
  return __nvvm_sad_ui(a, b, c);
}

}  // namespace raddle::libdevice
