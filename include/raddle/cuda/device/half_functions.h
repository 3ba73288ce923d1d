// Half-precision mathematical functions, and what lanes and memory do with halves; read by
// cuda_fp16.h alone.
#ifndef RADDLE_CUDA_DEVICE_HALF_FUNCTIONS_H
#define RADDLE_CUDA_DEVICE_HALF_FUNCTIONS_H

// Computed in float and rounded once.
#define RADDLE_HALF_FUNCTION(name, expression)               \
  __RADDLE_HOST_DEVICE__ __half h##name(const __half a) {    \
    const float x = __half2float(a);                         \
    return __float2half(expression);                         \
  }                                                          \
  __RADDLE_HOST_DEVICE__ __half2 h2##name(const __half2 a) { \
    return __half2(h##name(a.x), h##name(a.y));              \
  }
RADDLE_HALF_FUNCTION(sqrt, sqrtf(x))
RADDLE_HALF_FUNCTION(rsqrt, 1.0f / sqrtf(x))
RADDLE_HALF_FUNCTION(rcp, 1.0f / x)
RADDLE_HALF_FUNCTION(exp, expf(x))
RADDLE_HALF_FUNCTION(exp2, exp2f(x))
RADDLE_HALF_FUNCTION(exp10, powf(10.0f, x))
RADDLE_HALF_FUNCTION(log, logf(x))
RADDLE_HALF_FUNCTION(log2, log2f(x))
RADDLE_HALF_FUNCTION(log10, log10f(x))
RADDLE_HALF_FUNCTION(sin, sinf(x))
RADDLE_HALF_FUNCTION(cos, cosf(x))
RADDLE_HALF_FUNCTION(ceil, ceilf(x))
RADDLE_HALF_FUNCTION(floor, floorf(x))
RADDLE_HALF_FUNCTION(trunc, truncf(x))
RADDLE_HALF_FUNCTION(rint, rintf(x))
#undef RADDLE_HALF_FUNCTION

#if defined(__CUDA__) && defined(__clang__)

__RADDLE_DEVICE__ __half __ldg(const __half* pointer) {
  return __raddle_half_from_bits(__ldg((const unsigned short*)pointer));
}
__RADDLE_DEVICE__ __half2 __ldg(const __half2* pointer) {
  const unsigned int bits = __ldg((const unsigned int*)pointer);
  __half2 result;
  __builtin_memcpy(&result, &bits, sizeof(result));
  return result;
}

#define RADDLE_HALF_SHUFFLE(name, offset_type)                                         \
  __RADDLE_DEVICE__ __half name(unsigned int mask, __half value, offset_type offset,   \
                                int width = 32) {                                      \
    return __raddle_half_from_bits(                                                    \
        (unsigned short)name(mask, (unsigned int)value.__x, offset, width));           \
  }                                                                                    \
  __RADDLE_DEVICE__ __half2 name(unsigned int mask, __half2 value, offset_type offset, \
                                 int width = 32) {                                     \
    unsigned int bits;                                                                 \
    __builtin_memcpy(&bits, &value, sizeof(bits));                                     \
    bits = name(mask, bits, offset, width);                                            \
    __builtin_memcpy(&value, &bits, sizeof(value));                                    \
    return value;                                                                      \
  }
RADDLE_HALF_SHUFFLE(__shfl_sync, int)
RADDLE_HALF_SHUFFLE(__shfl_up_sync, unsigned int)
RADDLE_HALF_SHUFFLE(__shfl_down_sync, unsigned int)
RADDLE_HALF_SHUFFLE(__shfl_xor_sync, int)
#undef RADDLE_HALF_SHUFFLE

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
__RADDLE_DEVICE__ __half atomicAdd(__half* address, __half value) {
  unsigned short old;
  __asm__ __volatile__("atom.add.noftz.f16 %0, [%1], %2;"
                       : "=h"(old)
                       : "l"(address), "h"(value.__x)
                       : "memory");
  return __raddle_half_from_bits(old);
}
#endif
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
__RADDLE_DEVICE__ __half2 atomicAdd(__half2* address, __half2 value) {
  unsigned int bits, old;
  __builtin_memcpy(&bits, &value, sizeof(bits));
  __asm__ __volatile__("atom.add.noftz.f16x2 %0, [%1], %2;"
                       : "=r"(old)
                       : "l"(address), "r"(bits)
                       : "memory");
  __half2 result;
  __builtin_memcpy(&result, &old, sizeof(result));
  return result;
}
#endif

#endif
#endif
