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
float4 tex1Dfetch(sampler1D s, int4 p) { return tex2Dfetch(s, int2(p.x, 0)); }
int tex1Dsize(sampler1D s, int level) { return tex2Dsize(s, level).x; }
float4 tex2Dgrad(sampler2D s, float2 p, float2 dx, float2 dy) { return tex2D(s, p, dx, dy); }
int3 tex3Dsize(sampler3D s, int level) { /* slices one below the other, as high as wide */
  float2 size = tex2Dsize(s, level);
  return int3(size.x, size.x, floor(size.y / size.x + 0.5)); }
float4 tex3Dfetch(sampler3D s, int4 p) {
  return tex2Dfetch(s, int2(p.x, p.y + p.z * tex2Dsize(s, 0).x)); }
float4 tex3D(sampler3D s, float3 p) { /* no texel of another slice has a part in one of this */
  float3 size = tex3Dsize(s, 0);
  float f = texfiltered(s);
  float2 at = p.xy * size.x;
  at = clamp(f > 0 ? at : floor(at) + 0.5, 0.5, size.x - 0.5);
  float z = p.z * size.z - 0.5 * f;
  float slice = floor(z);
  float4 r = texRECT(s, float2(at.x, at.y + clamp(slice, 0, size.z - 1) * size.x));
  if (f > 0) {
    float4 n = texRECT(s, float2(at.x, at.y + clamp(slice + 1, 0, size.z - 1) * size.x));
    r = lerp(r, n, z - slice); }
  return r; }
float4 tex3D(sampler3D s, float3 p, float3 dx, float3 dy) { return tex3D(s, p); }
float4 tex3Dproj(sampler3D s, float4 p) { return tex3D(s, p.xyz / p.w); }
float4 tex3Dlod(sampler3D s, float4 p) { return tex3D(s, p.xyz); }
float4 tex3Dbias(sampler3D s, float4 p) { return tex3D(s, p.xyz); }
int2 texCUBEsize(samplerCUBE s, int level) { return tex2Dsize(s, level).xx; }
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
  at = (at / abs(main) * 0.5 + 0.5) * size;
  at = clamp(texfiltered(s) > 0 ? at : floor(at) + 0.5, 0.5, size - 0.5);
  return texRECT(s, float2(at.x, at.y + face * size)); }
float4 texCUBE(samplerCUBE s, float3 d, float3 dx, float3 dy) { return texCUBE(s, d); }
float4 texCUBEproj(samplerCUBE s, float4 d) { return texCUBE(s, d.xyz / d.w); }
float4 texCUBElod(samplerCUBE s, float4 d) { return texCUBE(s, d.xyz); }
float4 texCUBEbias(samplerCUBE s, float4 d) { return texCUBE(s, d.xyz); }
float4 lit(float diffuse, float specular, float m) {
  return float4(1, max(diffuse, 0), diffuse < 0 || specular < 0 ? 0 : pow(specular, m), 1); }
float determinant(float2x2 m) { return m[0].x * m[1].y - m[0].y * m[1].x; }
float determinant(float3x3 m) { return dot(m[0], cross(m[1], m[2])); }
float determinant(float4x4 m) { /* of the upper two rows by the lower two */
  float4 a = m[0], b = m[1], c = m[2], d = m[3];
  return (a.x * b.y - a.y * b.x) * (c.z * d.w - c.w * d.z) -
         (a.x * b.z - a.z * b.x) * (c.y * d.w - c.w * d.y) +
         (a.x * b.w - a.w * b.x) * (c.y * d.z - c.z * d.y) +
         (a.y * b.z - a.z * b.y) * (c.x * d.w - c.w * d.x) -
         (a.y * b.w - a.w * b.y) * (c.x * d.z - c.z * d.x) +
         (a.z * b.w - a.w * b.z) * (c.x * d.y - c.y * d.x); }
float2x2 inverse(float2x2 m) {
  float r = rcp(determinant(m));
  return float2x2(m[1].y * r, -m[0].y * r, -m[1].x * r, m[0].x * r); }
float3x3 inverse(float3x3 m) {
  float r = rcp(determinant(m));
  return transpose(float3x3(cross(m[1], m[2]) * r, cross(m[2], m[0]) * r, cross(m[0], m[1]) * r)); }
float4x4 inverse(float4x4 m) { /* cofactors, each of a row's 3x3 */
  float r = rcp(determinant(m));
  float4 a = m[0], b = m[1], c = m[2], d = m[3];
  float4x4 n;
  n[0] = r * float4(determinant(float3x3(b.yzw, c.yzw, d.yzw)), -determinant(float3x3(a.yzw, c.yzw, d.yzw)),
                    determinant(float3x3(a.yzw, b.yzw, d.yzw)), -determinant(float3x3(a.yzw, b.yzw, c.yzw)));
  n[1] = r * float4(-determinant(float3x3(b.xzw, c.xzw, d.xzw)), determinant(float3x3(a.xzw, c.xzw, d.xzw)),
                    -determinant(float3x3(a.xzw, b.xzw, d.xzw)), determinant(float3x3(a.xzw, b.xzw, c.xzw)));
  n[2] = r * float4(determinant(float3x3(b.xyw, c.xyw, d.xyw)), -determinant(float3x3(a.xyw, c.xyw, d.xyw)),
                    determinant(float3x3(a.xyw, b.xyw, d.xyw)), -determinant(float3x3(a.xyw, b.xyw, c.xyw)));
  n[3] = r * float4(-determinant(float3x3(b.xyz, c.xyz, d.xyz)), determinant(float3x3(a.xyz, c.xyz, d.xyz)),
                    -determinant(float3x3(a.xyz, b.xyz, d.xyz)), determinant(float3x3(a.xyz, b.xyz, c.xyz)));
  return n; }
)cg";
}

}  // namespace raddle::cg
