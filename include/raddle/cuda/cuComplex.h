// Complex numbers of the CUDA libraries, for host and device. Quotients and absolute values are
// scaled so that they do not overflow half-way.
#ifndef RADDLE_CUDA_COMPLEX_H
#define RADDLE_CUDA_COMPLEX_H
#define CU_COMPLEX_H_  // programs test for it

#include <math.h>

#include "vector_types.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#define RADDLE_COMPLEX(Number, real, suffix, C, absolute, root)                            \
  __RADDLE_HOST_DEVICE__ real cuCreal##suffix(Number x) { return x.x; }                    \
  __RADDLE_HOST_DEVICE__ real cuCimag##suffix(Number x) { return x.y; }                    \
  __RADDLE_HOST_DEVICE__ Number make_cu##C##Complex(real r, real i) {                      \
    Number result;                                                                         \
    result.x = r;                                                                          \
    result.y = i;                                                                          \
    return result;                                                                         \
  }                                                                                        \
  __RADDLE_HOST_DEVICE__ Number cuConj##suffix(Number x) {                                 \
    return make_cu##C##Complex(x.x, -x.y);                                                 \
  }                                                                                        \
  __RADDLE_HOST_DEVICE__ Number cuCadd##suffix(Number x, Number y) {                       \
    return make_cu##C##Complex(x.x + y.x, x.y + y.y);                                      \
  }                                                                                        \
  __RADDLE_HOST_DEVICE__ Number cuCsub##suffix(Number x, Number y) {                       \
    return make_cu##C##Complex(x.x - y.x, x.y - y.y);                                      \
  }                                                                                        \
  __RADDLE_HOST_DEVICE__ Number cuCmul##suffix(Number x, Number y) {                       \
    return make_cu##C##Complex(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x);              \
  }                                                                                        \
  __RADDLE_HOST_DEVICE__ Number cuCdiv##suffix(Number x, Number y) {                       \
    const real scale = 1 / (absolute(y.x) + absolute(y.y));                                \
    const real ars = x.x * scale, ais = x.y * scale, brs = y.x * scale, bis = y.y * scale; \
    const real inverse = 1 / (brs * brs + bis * bis);                                      \
    return make_cu##C##Complex((ars * brs + ais * bis) * inverse,                          \
                               (ais * brs - ars * bis) * inverse);                         \
  }                                                                                        \
  __RADDLE_HOST_DEVICE__ real cuCabs##suffix(Number x) {                                   \
    const real a = absolute(x.x), b = absolute(x.y);                                       \
    const real large = a > b ? a : b, small = a > b ? b : a;                               \
    if (large == 0) return small;                                                          \
    return large * root(1 + (small / large) * (small / large));                            \
  }                                                                                        \
  __RADDLE_HOST_DEVICE__ Number cuCfma##suffix(Number x, Number y, Number d) {             \
    return cuCadd##suffix(cuCmul##suffix(x, y), d);                                        \
  }

RADDLE_COMPLEX(cuFloatComplex, float, f, Float, fabsf, sqrtf)
RADDLE_COMPLEX(cuDoubleComplex, double, , Double, fabs, sqrt)
#undef RADDLE_COMPLEX

__RADDLE_HOST_DEVICE__ cuComplex make_cuComplex(float r, float i) {
  return make_cuFloatComplex(r, i);
}
__RADDLE_HOST_DEVICE__ cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex c) {
  return make_cuDoubleComplex((double)c.x, (double)c.y);
}
__RADDLE_HOST_DEVICE__ cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex c) {
  return make_cuFloatComplex((float)c.x, (float)c.y);
}

#endif
