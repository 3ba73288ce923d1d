#include "lang/cg/syntax/library.h"

namespace raddle::cg {

std::string_view library_text() {
  return R"cg(
#define EACH(T) \
  T exp(T x) { return exp2(x * 1.4426950408889634); } \
  T log(T x) { return log2(x) * 0.6931471805599453; } \
  T log10(T x) { return log2(x) * 0.3010299956639812; } \
  T tan(T x) { return sin(x) * rcp(cos(x)); } \
  T sinh(T x) { T e = exp2(x * 1.4426950408889634); return 0.5 * (e - rcp(e)); } \
  T cosh(T x) { T e = exp2(x * 1.4426950408889634); return 0.5 * (e + rcp(e)); } \
  T tanh(T x) { /* of |x|, so that nothing overflows */ \
    T e = exp2(abs(x) * -2.8853900817779268); \
    T r = (1 - e) * rcp(1 + e); \
    return x < 0 ? -r : r; } \
  T modf(T x, out T whole) { whole = trunc(x); return x - whole; } \
  void sincos(T x, out T s, out T c) { s = sin(x); c = cos(x); } \
  T ldexp(T x, T n) { return x * exp2(n); } \
  T radians(T x) { return x * 0.017453292519943295; } \
  T degrees(T x) { return x * 57.29577951308232; } \
  T fmod(T x, T y) { T q = x / y; T f = frac(abs(q)) * abs(y); return x < 0 ? -f : f; } \
  T smoothstep(T low, T high, T x) { \
    T t = saturate((x - low) / (high - low)); return t * t * (3 - 2 * t); } \
  T acos(T x) { /* Abramowitz and Stegun 4.4.45 */ \
    T a = abs(x); \
    T p = ((-0.0187293 * a + 0.0742610) * a - 0.2121144) * a + 1.5707288; \
    T r = p * sqrt(1 - a); \
    return x < 0 ? 3.14159265 - r : r; } \
  T asin(T x) { return 1.57079633 - acos(x); } \
  T atan2(T y, T x) { /* a polynomial over [0, 1], then the octants */ \
    T ax = abs(x), ay = abs(y); \
    T a = min(ax, ay) / max(ax, ay); \
    T s = a * a; \
    T r = ((((0.0208351 * s - 0.0851330) * s + 0.1801410) * s - 0.3302995) * s + 0.9998660) * a; \
    r = ay > ax ? 1.57079633 - r : r; \
    r = x < 0 ? 3.14159265 - r : r; \
    return y < 0 ? -r : r; } \
  T atan(T x) { return atan2(x, T(1)); }
EACH(float) EACH(float2) EACH(float3) EACH(float4)
#define VECTOR(T) \
  float distance(T a, T b) { return length(a - b); } \
  T reflect(T i, T n) { return i - 2 * n * dot(i, n); } \
  T faceforward(T n, T i, T ng) { return dot(ng, i) < 0 ? n : -n; } \
  T refract(T i, T n, float eta) { \
    float d = dot(n, i); \
    float k = 1 - eta * eta * (1 - d * d); \
    return k < 0 ? T(0) : eta * i - (eta * d + sqrt(k)) * n; }
VECTOR(float2) VECTOR(float3) VECTOR(float4)
float determinant(float2x2 m) { return m[0].x * m[1].y - m[0].y * m[1].x; }
float determinant(float3x3 m) { return dot(m[0], cross(m[1], m[2])); }
)cg";
}

}  // namespace raddle::cg
