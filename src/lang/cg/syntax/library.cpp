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
  T frexp(T x, out T n) { /* x = m * 2^n with m in [0.5, 1) */ \
    n = x == 0 ? T(0) : floor(log2(abs(x))) + 1; \
    T m = x * exp2(-n); \
    n += abs(m) >= 1 ? T(1) : T(0); m *= abs(m) >= 1 ? T(0.5) : T(1); \
    n -= abs(m) < 0.5 && x != 0 ? T(1) : T(0); m *= abs(m) < 0.5 ? T(2) : T(1); \
    return m; } \
  void clip(T x) { if (any(x < 0)) discard; } \
  T fract(T x) { return frac(x); } /* names of GLSL */ \
  T mix(T a, T b, T t) { return lerp(a, b, t); } \
  T mod(T x, T y) { return x - y * floor(x / y); } \
  T inversesqrt(T x) { return rsqrt(x); } \
  T fwidth(T x) { return abs(ddx(x)) + abs(ddy(x)); } \
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
#define TESTS(B, T) \
  B isnan(T x) { return x != x; } \
  B isfinite(T x) { return abs(x) < 3.4e38; } \
  B isinf(T x) { return abs(x) >= 3.4e38 && x == x; }
TESTS(bool, float) TESTS(bool2, float2) TESTS(bool3, float3) TESTS(bool4, float4)
float4 tex3D(sampler3D s, float3 p) { /* slices one below the other, as high as wide */
  float2 size = tex2Dsize(s, 0);
  float slices = floor(size.y / size.x + 0.5);
  float3 at = clamp(floor(p * float3(size.xx, slices)), 0, float3(size.xx, slices) - 1);
  return tex2Dfetch(s, float2(at.x, at.y + at.z * size.x)); }
float4 tex3Dproj(sampler3D s, float4 p) { return tex3D(s, p.xyz / p.w); }
float4 tex3Dlod(sampler3D s, float4 p) { return tex3D(s, p.xyz); }
float4 tex3Dbias(sampler3D s, float4 p) { return tex3D(s, p.xyz); }
float4 texCUBE(samplerCUBE s, float3 d) { /* faces +x, -x, +y, -y, +z, -z below each other */
  float3 a = abs(d);
  bool on_x = a.x >= a.y && a.x >= a.z;
  bool on_y = !on_x && a.y >= a.z;
  float main = on_x ? d.x : on_y ? d.y : d.z;
  float face = (on_x ? 0 : on_y ? 2 : 4) + (main < 0 ? 1 : 0);
  float2 at = on_x ? float2(main < 0 ? d.z : -d.z, -d.y)
                   : on_y ? float2(d.x, main < 0 ? -d.z : d.z)
                          : float2(main < 0 ? -d.x : d.x, -d.y);
  float size = tex2Dsize(s, 0).x;
  float2 texel = clamp(floor((at / abs(main) * 0.5 + 0.5) * size), 0, size - 1);
  return tex2Dfetch(s, float2(texel.x, texel.y + face * size)); }
float4 texCUBElod(samplerCUBE s, float4 d) { return texCUBE(s, d.xyz); }
float4 texCUBEbias(samplerCUBE s, float4 d) { return texCUBE(s, d.xyz); }
float4 lit(float diffuse, float specular, float m) {
  return float4(1, max(diffuse, 0), diffuse < 0 || specular < 0 ? 0 : pow(specular, m), 1); }
float determinant(float2x2 m) { return m[0].x * m[1].y - m[0].y * m[1].x; }
float determinant(float3x3 m) { return dot(m[0], cross(m[1], m[2])); }
)cg";
}

}  // namespace raddle::cg
