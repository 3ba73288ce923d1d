// min() and max() for every mix of arithmetic types, on both sides; CUDA's own mathematical
// functions (rsqrt, sinpi, normcdf …) on the host; and the names that early CUDA had for
// conversions.
#ifndef RADDLE_CUDA_DEVICE_MATH_OVERLOADS_H
#define RADDLE_CUDA_DEVICE_MATH_OVERLOADS_H

// clang's headers have the device functions for two ints.
static __inline__ __attribute__((host, always_inline, nodebug)) int min(int a, int b) {
  return a < b ? a : b;
}
static __inline__ __attribute__((host, always_inline, nodebug)) int max(int a, int b) {
  return a > b ? a : b;
}

#define RADDLE_MIN_MAX(result, left, right)               \
  __RADDLE_HOST_DEVICE__ result min(left a, right b) {    \
    return (result)a < (result)b ? (result)a : (result)b; \
  }                                                       \
  __RADDLE_HOST_DEVICE__ result max(left a, right b) {    \
    return (result)a > (result)b ? (result)a : (result)b; \
  }
RADDLE_MIN_MAX(unsigned int, unsigned int, unsigned int)
RADDLE_MIN_MAX(unsigned int, int, unsigned int)
RADDLE_MIN_MAX(unsigned int, unsigned int, int)
RADDLE_MIN_MAX(long, long, long)
RADDLE_MIN_MAX(unsigned long, unsigned long, unsigned long)
RADDLE_MIN_MAX(unsigned long, long, unsigned long)
RADDLE_MIN_MAX(unsigned long, unsigned long, long)
RADDLE_MIN_MAX(long long, long long, long long)
RADDLE_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
RADDLE_MIN_MAX(unsigned long long, long long, unsigned long long)
RADDLE_MIN_MAX(unsigned long long, unsigned long long, long long)
#undef RADDLE_MIN_MAX

#define RADDLE_FLOAT_MIN_MAX(result, left, right, suffix)                           \
  __RADDLE_HOST_DEVICE__ result min(left a, right b) { return fmin##suffix(a, b); } \
  __RADDLE_HOST_DEVICE__ result max(left a, right b) { return fmax##suffix(a, b); }
RADDLE_FLOAT_MIN_MAX(float, float, float, f)
RADDLE_FLOAT_MIN_MAX(double, double, double, )
RADDLE_FLOAT_MIN_MAX(double, float, double, )
RADDLE_FLOAT_MIN_MAX(double, double, float, )
#undef RADDLE_FLOAT_MIN_MAX

// --- float overloads that clang's headers promise but leave to the CUDA toolkit ---------------------------------------
#define RADDLE_FLOAT_OVERLOAD_1(result, name) \
  __RADDLE_DEVICE__ result name(float x) { return name##f(x); }
#define RADDLE_FLOAT_OVERLOAD_2(name) \
  __RADDLE_DEVICE__ float name(float x, float y) { return name##f(x, y); }
RADDLE_FLOAT_OVERLOAD_1(float, acosh)
RADDLE_FLOAT_OVERLOAD_1(float, asinh)
RADDLE_FLOAT_OVERLOAD_1(float, atanh)
RADDLE_FLOAT_OVERLOAD_1(float, cbrt)
RADDLE_FLOAT_OVERLOAD_1(float, erf)
RADDLE_FLOAT_OVERLOAD_1(float, erfc)
RADDLE_FLOAT_OVERLOAD_1(float, exp2)
RADDLE_FLOAT_OVERLOAD_1(float, expm1)
RADDLE_FLOAT_OVERLOAD_1(int, ilogb)
RADDLE_FLOAT_OVERLOAD_1(float, lgamma)
RADDLE_FLOAT_OVERLOAD_1(long long, llrint)
RADDLE_FLOAT_OVERLOAD_1(long long, llround)
RADDLE_FLOAT_OVERLOAD_1(float, log1p)
RADDLE_FLOAT_OVERLOAD_1(float, log2)
RADDLE_FLOAT_OVERLOAD_1(float, logb)
RADDLE_FLOAT_OVERLOAD_1(long, lrint)
RADDLE_FLOAT_OVERLOAD_1(long, lround)
RADDLE_FLOAT_OVERLOAD_1(float, nearbyint)
RADDLE_FLOAT_OVERLOAD_1(float, rint)
RADDLE_FLOAT_OVERLOAD_1(float, round)
RADDLE_FLOAT_OVERLOAD_1(float, tgamma)
RADDLE_FLOAT_OVERLOAD_1(float, trunc)
RADDLE_FLOAT_OVERLOAD_2(copysign)
RADDLE_FLOAT_OVERLOAD_2(fdim)
RADDLE_FLOAT_OVERLOAD_2(fmax)
RADDLE_FLOAT_OVERLOAD_2(fmin)
RADDLE_FLOAT_OVERLOAD_2(hypot)
RADDLE_FLOAT_OVERLOAD_2(nextafter)
RADDLE_FLOAT_OVERLOAD_2(remainder)
#undef RADDLE_FLOAT_OVERLOAD_1
#undef RADDLE_FLOAT_OVERLOAD_2
__RADDLE_DEVICE__ float fma(float x, float y, float z) { return fmaf(x, y, z); }
__RADDLE_DEVICE__ float remquo(float x, float y, int* quotient) { return remquof(x, y, quotient); }
__RADDLE_DEVICE__ float scalbln(float x, long exponent) { return scalblnf(x, exponent); }
__RADDLE_DEVICE__ float scalbn(float x, int exponent) { return scalbnf(x, exponent); }
__RADDLE_DEVICE__ double nan(const char* payload) { return __nv_nan((const signed char*)payload); }
__RADDLE_DEVICE__ float nanf(const char* payload) { return __nv_nanf((const signed char*)payload); }

// --- float overloads of functions that C++ does not know, on the device ----------------------------------------------
#define RADDLE_FLOAT_OVERLOAD(name) \
  __RADDLE_DEVICE__ float name(float x) { return name##f(x); }
RADDLE_FLOAT_OVERLOAD(rsqrt)
RADDLE_FLOAT_OVERLOAD(rcbrt)
RADDLE_FLOAT_OVERLOAD(sinpi)
RADDLE_FLOAT_OVERLOAD(cospi)
RADDLE_FLOAT_OVERLOAD(erfinv)
RADDLE_FLOAT_OVERLOAD(erfcinv)
RADDLE_FLOAT_OVERLOAD(erfcx)
RADDLE_FLOAT_OVERLOAD(normcdf)
RADDLE_FLOAT_OVERLOAD(normcdfinv)
RADDLE_FLOAT_OVERLOAD(exp10)
#undef RADDLE_FLOAT_OVERLOAD
__RADDLE_DEVICE__ void sincos(float x, float* sine, float* cosine) { sincosf(x, sine, cosine); }
__RADDLE_DEVICE__ void sincospi(float x, float* sine, float* cosine) { sincospif(x, sine, cosine); }
__RADDLE_DEVICE__ float fdivide(float x, float y) { return fdividef(x, y); }

// --- early names -----------------------------------------------------------------------------------------------------
__RADDLE_DEVICE__ int mulhi(int a, int b) { return __mulhi(a, b); }
__RADDLE_DEVICE__ unsigned int mulhi(unsigned int a, unsigned int b) { return __umulhi(a, b); }
__RADDLE_DEVICE__ unsigned int umulhi(unsigned int a, unsigned int b) { return __umulhi(a, b); }
__RADDLE_DEVICE__ long long mul64hi(long long a, long long b) { return __mul64hi(a, b); }
__RADDLE_DEVICE__ unsigned long long umul64hi(unsigned long long a, unsigned long long b) {
  return __umul64hi(a, b);
}
__RADDLE_DEVICE__ int mul24(int a, int b) { return __mul24(a, b); }
__RADDLE_DEVICE__ unsigned int umul24(unsigned int a, unsigned int b) { return __umul24(a, b); }
__RADDLE_DEVICE__ int float_as_int(float x) { return __float_as_int(x); }
__RADDLE_DEVICE__ float int_as_float(int x) { return __int_as_float(x); }
__RADDLE_DEVICE__ unsigned int float_as_uint(float x) { return __float_as_uint(x); }
__RADDLE_DEVICE__ float uint_as_float(unsigned int x) { return __uint_as_float(x); }
__RADDLE_DEVICE__ float saturate(float x) { return __saturatef(x); }

__RADDLE_DEVICE__ int float2int(float x, enum cudaRoundMode mode = cudaRoundZero) {
  return mode == cudaRoundNearest  ? __float2int_rn(x)
         : mode == cudaRoundPosInf ? __float2int_ru(x)
         : mode == cudaRoundMinInf ? __float2int_rd(x)
                                   : __float2int_rz(x);
}
__RADDLE_DEVICE__ unsigned int float2uint(float x, enum cudaRoundMode mode = cudaRoundZero) {
  return mode == cudaRoundNearest  ? __float2uint_rn(x)
         : mode == cudaRoundPosInf ? __float2uint_ru(x)
         : mode == cudaRoundMinInf ? __float2uint_rd(x)
                                   : __float2uint_rz(x);
}
__RADDLE_DEVICE__ float int2float(int x, enum cudaRoundMode mode = cudaRoundNearest) {
  return mode == cudaRoundZero     ? __int2float_rz(x)
         : mode == cudaRoundPosInf ? __int2float_ru(x)
         : mode == cudaRoundMinInf ? __int2float_rd(x)
                                   : __int2float_rn(x);
}
__RADDLE_DEVICE__ float uint2float(unsigned int x, enum cudaRoundMode mode = cudaRoundNearest) {
  return mode == cudaRoundZero     ? __uint2float_rz(x)
         : mode == cudaRoundPosInf ? __uint2float_ru(x)
         : mode == cudaRoundMinInf ? __uint2float_rd(x)
                                   : __uint2float_rn(x);
}

#endif
