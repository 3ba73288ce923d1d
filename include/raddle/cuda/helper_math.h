// Arithmetic on short vectors as CUDA sample programs write it: operators on float2 … uint4, dot,
// cross, length and so on.
#ifndef RADDLE_CUDA_HELPER_MATH_H
#define RADDLE_CUDA_HELPER_MATH_H

#include <math.h>

#include "cuda_runtime.h"

typedef unsigned int uint;
typedef unsigned short ushort;

#define RADDLE_VECTOR_OPERATOR_2(Vector, scalar, op)                              \
  __RADDLE_HOST_DEVICE__ Vector operator op(Vector a, Vector b) {                 \
    return make_##Vector(a.x op b.x, a.y op b.y);                                 \
  }                                                                               \
  __RADDLE_HOST_DEVICE__ Vector operator op(Vector a, scalar b) {                 \
    return make_##Vector(a.x op b, a.y op b);                                     \
  }                                                                               \
  __RADDLE_HOST_DEVICE__ Vector operator op(scalar a, Vector b) {                 \
    return make_##Vector(a op b.x, a op b.y);                                     \
  }                                                                               \
  __RADDLE_HOST_DEVICE__ void operator op##=(Vector& a, Vector b) { a = a op b; } \
  __RADDLE_HOST_DEVICE__ void operator op##=(Vector& a, scalar b) { a = a op b; }
#define RADDLE_VECTOR_OPERATOR_3(Vector, scalar, op)                              \
  __RADDLE_HOST_DEVICE__ Vector operator op(Vector a, Vector b) {                 \
    return make_##Vector(a.x op b.x, a.y op b.y, a.z op b.z);                     \
  }                                                                               \
  __RADDLE_HOST_DEVICE__ Vector operator op(Vector a, scalar b) {                 \
    return make_##Vector(a.x op b, a.y op b, a.z op b);                           \
  }                                                                               \
  __RADDLE_HOST_DEVICE__ Vector operator op(scalar a, Vector b) {                 \
    return make_##Vector(a op b.x, a op b.y, a op b.z);                           \
  }                                                                               \
  __RADDLE_HOST_DEVICE__ void operator op##=(Vector& a, Vector b) { a = a op b; } \
  __RADDLE_HOST_DEVICE__ void operator op##=(Vector& a, scalar b) { a = a op b; }
#define RADDLE_VECTOR_OPERATOR_4(Vector, scalar, op)                              \
  __RADDLE_HOST_DEVICE__ Vector operator op(Vector a, Vector b) {                 \
    return make_##Vector(a.x op b.x, a.y op b.y, a.z op b.z, a.w op b.w);         \
  }                                                                               \
  __RADDLE_HOST_DEVICE__ Vector operator op(Vector a, scalar b) {                 \
    return make_##Vector(a.x op b, a.y op b, a.z op b, a.w op b);                 \
  }                                                                               \
  __RADDLE_HOST_DEVICE__ Vector operator op(scalar a, Vector b) {                 \
    return make_##Vector(a op b.x, a op b.y, a op b.z, a op b.w);                 \
  }                                                                               \
  __RADDLE_HOST_DEVICE__ void operator op##=(Vector& a, Vector b) { a = a op b; } \
  __RADDLE_HOST_DEVICE__ void operator op##=(Vector& a, scalar b) { a = a op b; }

#define RADDLE_VECTOR(base, scalar)                                                                \
  RADDLE_VECTOR_OPERATOR_2(base##2, scalar, +)                                                     \
  RADDLE_VECTOR_OPERATOR_2(base##2, scalar, -)                                                     \
  RADDLE_VECTOR_OPERATOR_2(base##2, scalar, *)                                                     \
  RADDLE_VECTOR_OPERATOR_2(base##2, scalar, /)                                                     \
  RADDLE_VECTOR_OPERATOR_3(base##3, scalar, +)                                                     \
  RADDLE_VECTOR_OPERATOR_3(base##3, scalar, -)                                                     \
  RADDLE_VECTOR_OPERATOR_3(base##3, scalar, *)                                                     \
  RADDLE_VECTOR_OPERATOR_3(base##3, scalar, /)                                                     \
  RADDLE_VECTOR_OPERATOR_4(base##4, scalar, +)                                                     \
  RADDLE_VECTOR_OPERATOR_4(base##4, scalar, -)                                                     \
  RADDLE_VECTOR_OPERATOR_4(base##4, scalar, *)                                                     \
  RADDLE_VECTOR_OPERATOR_4(base##4, scalar, /)                                                     \
  __RADDLE_HOST_DEVICE__ base##2 make_##base##2(scalar s) { return make_##base##2(s, s); }         \
  __RADDLE_HOST_DEVICE__ base##2 make_##base##2(base##3 a) { return make_##base##2(a.x, a.y); }    \
  __RADDLE_HOST_DEVICE__ base##3 make_##base##3(scalar s) { return make_##base##3(s, s, s); }      \
  __RADDLE_HOST_DEVICE__ base##3 make_##base##3(base##2 a) { return make_##base##3(a.x, a.y, 0); } \
  __RADDLE_HOST_DEVICE__ base##3 make_##base##3(base##2 a, scalar s) {                             \
    return make_##base##3(a.x, a.y, s);                                                            \
  }                                                                                                \
  __RADDLE_HOST_DEVICE__ base##3 make_##base##3(base##4 a) {                                       \
    return make_##base##3(a.x, a.y, a.z);                                                          \
  }                                                                                                \
  __RADDLE_HOST_DEVICE__ base##4 make_##base##4(scalar s) { return make_##base##4(s, s, s, s); }   \
  __RADDLE_HOST_DEVICE__ base##4 make_##base##4(base##3 a) {                                       \
    return make_##base##4(a.x, a.y, a.z, 0);                                                       \
  }                                                                                                \
  __RADDLE_HOST_DEVICE__ base##4 make_##base##4(base##3 a, scalar w) {                             \
    return make_##base##4(a.x, a.y, a.z, w);                                                       \
  }                                                                                                \
  __RADDLE_HOST_DEVICE__ scalar dot(base##2 a, base##2 b) { return a.x * b.x + a.y * b.y; }        \
  __RADDLE_HOST_DEVICE__ scalar dot(base##3 a, base##3 b) {                                        \
    return a.x * b.x + a.y * b.y + a.z * b.z;                                                      \
  }                                                                                                \
  __RADDLE_HOST_DEVICE__ scalar dot(base##4 a, base##4 b) {                                        \
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;                                          \
  }                                                                                                \
  __RADDLE_HOST_DEVICE__ scalar clamp(scalar v, scalar a, scalar b) {                              \
    return v < a ? a : v > b ? b : v;                                                              \
  }                                                                                                \
  __RADDLE_HOST_DEVICE__ base##2 clamp(base##2 v, scalar a, scalar b) {                            \
    return make_##base##2(clamp(v.x, a, b), clamp(v.y, a, b));                                     \
  }                                                                                                \
  __RADDLE_HOST_DEVICE__ base##3 clamp(base##3 v, scalar a, scalar b) {                            \
    return make_##base##3(clamp(v.x, a, b), clamp(v.y, a, b), clamp(v.z, a, b));                   \
  }                                                                                                \
  __RADDLE_HOST_DEVICE__ base##4 clamp(base##4 v, scalar a, scalar b) {                            \
    return make_##base##4(clamp(v.x, a, b), clamp(v.y, a, b), clamp(v.z, a, b), clamp(v.w, a, b)); \
  }

RADDLE_VECTOR(float, float)
RADDLE_VECTOR(int, int)
RADDLE_VECTOR(uint, unsigned int)
#undef RADDLE_VECTOR
#undef RADDLE_VECTOR_OPERATOR_2
#undef RADDLE_VECTOR_OPERATOR_3
#undef RADDLE_VECTOR_OPERATOR_4

__RADDLE_HOST_DEVICE__ float2 make_float2(int2 a) { return make_float2((float)a.x, (float)a.y); }
__RADDLE_HOST_DEVICE__ float3 make_float3(int3 a) {
  return make_float3((float)a.x, (float)a.y, (float)a.z);
}
__RADDLE_HOST_DEVICE__ float4 make_float4(int4 a) {
  return make_float4((float)a.x, (float)a.y, (float)a.z, (float)a.w);
}
__RADDLE_HOST_DEVICE__ int2 make_int2(float2 a) { return make_int2((int)a.x, (int)a.y); }
__RADDLE_HOST_DEVICE__ int3 make_int3(float3 a) { return make_int3((int)a.x, (int)a.y, (int)a.z); }
__RADDLE_HOST_DEVICE__ int4 make_int4(float4 a) {
  return make_int4((int)a.x, (int)a.y, (int)a.z, (int)a.w);
}

__RADDLE_HOST_DEVICE__ float2 operator-(const float2& a) { return make_float2(-a.x, -a.y); }
__RADDLE_HOST_DEVICE__ float3 operator-(const float3& a) { return make_float3(-a.x, -a.y, -a.z); }
__RADDLE_HOST_DEVICE__ float4 operator-(const float4& a) {
  return make_float4(-a.x, -a.y, -a.z, -a.w);
}
#if __cplusplus < 202002L
__RADDLE_HOST_DEVICE__ float lerp(float a, float b, float t) { return a + t * (b - a); }
#endif
__RADDLE_HOST_DEVICE__ float3 cross(float3 a, float3 b) {
  return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

#define RADDLE_FLOAT_VECTOR(Vector)                                                           \
  __RADDLE_HOST_DEVICE__ float length(Vector v) { return sqrtf(dot(v, v)); }                  \
  __RADDLE_HOST_DEVICE__ Vector normalize(Vector v) { return v * (1.0f / sqrtf(dot(v, v))); } \
  __RADDLE_HOST_DEVICE__ Vector lerp(Vector a, Vector b, float t) { return a + t * (b - a); } \
  __RADDLE_HOST_DEVICE__ Vector reflect(Vector i, Vector n) { return i - 2.0f * n * dot(n, i); }
RADDLE_FLOAT_VECTOR(float2)
RADDLE_FLOAT_VECTOR(float3)
RADDLE_FLOAT_VECTOR(float4)
#undef RADDLE_FLOAT_VECTOR

#define RADDLE_BY_COMPONENT(name, function)                                         \
  __RADDLE_HOST_DEVICE__ float2 name(float2 a) {                                    \
    return make_float2(function(a.x), function(a.y));                               \
  }                                                                                 \
  __RADDLE_HOST_DEVICE__ float3 name(float3 a) {                                    \
    return make_float3(function(a.x), function(a.y), function(a.z));                \
  }                                                                                 \
  __RADDLE_HOST_DEVICE__ float4 name(float4 a) {                                    \
    return make_float4(function(a.x), function(a.y), function(a.z), function(a.w)); \
  }
RADDLE_BY_COMPONENT(fabs, fabsf)
RADDLE_BY_COMPONENT(floorf, floorf)
#undef RADDLE_BY_COMPONENT

#define RADDLE_BY_COMPONENTS(name)                                                      \
  __RADDLE_HOST_DEVICE__ float2 name(float2 a, float2 b) {                              \
    return make_float2(name(a.x, b.x), name(a.y, b.y));                                 \
  }                                                                                     \
  __RADDLE_HOST_DEVICE__ float3 name(float3 a, float3 b) {                              \
    return make_float3(name(a.x, b.x), name(a.y, b.y), name(a.z, b.z));                 \
  }                                                                                     \
  __RADDLE_HOST_DEVICE__ float4 name(float4 a, float4 b) {                              \
    return make_float4(name(a.x, b.x), name(a.y, b.y), name(a.z, b.z), name(a.w, b.w)); \
  }
RADDLE_BY_COMPONENTS(fminf)
RADDLE_BY_COMPONENTS(fmaxf)
#undef RADDLE_BY_COMPONENTS

#endif
