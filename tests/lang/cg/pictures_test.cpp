// Whole shaders, one for each part of the language that public shaders use: the interpreter of the
// syntax tree, with the processor's rules and with IEEE's, against compiled code at both levels.
#include <gtest/gtest.h>

#include <string>

#include "lang/cg/running.h"

namespace raddle::cg::testing {
namespace {

struct Picture {
  const char* name;
  const char* text;
};

// What files with a vertex program have in common.
#define PIPELINE                                                                                  \
  "struct input { float2 video_size; float2 texture_size; float2 output_size; float "             \
  "frame_count; };\n"                                                                             \
  "struct vertex { float4 position : POSITION; float4 color : COLOR; float2 at : TEXCOORD0; };\n" \
  "void main_vertex(float4 position : POSITION, out float4 o_position : POSITION, float4 color "  \
  ": COLOR, out float4 o_color : COLOR, float2 at : TEXCOORD0, out float2 o_at : TEXCOORD0, "     \
  "uniform float4x4 modelViewProj) { o_position = mul(modelViewProj, position); o_color = "       \
  "color; o_at = at; }\n"

constexpr Picture kPictures[] = {
    {"a copy", PIPELINE
     "float4 main_fragment(vertex v, uniform sampler2D s : TEXUNIT0) : COLOR { return tex2D(s, "
     "v.at); }"},
    {"position and colour that are read",
     PIPELINE "float4 main_fragment(vertex v) : COLOR { return v.position * 0.25 + v.color; }"},
    {"fields of a uniform struct",
     PIPELINE "float4 main_fragment(vertex v, uniform input IN) : COLOR { return float4(v.at * "
              "IN.texture_size + IN.video_size, IN.output_size.y, IN.frame_count); }"},
    {"a sampler in a struct", PIPELINE
     "struct orig { uniform float2 texture_size; uniform sampler2D texture : TEXUNIT1; };\n"
     "float4 main_fragment(vertex v, uniform sampler2D s : TEXUNIT0, orig ORIG) : COLOR { return "
     "tex2D(s, v.at) - tex2D(ORIG.texture, v.at) * ORIG.texture_size.x; }"},
    {"the window position", PIPELINE
     "float4 main_fragment(vertex v, float4 w : WPOS) : COLOR { return float4(w.xy, v.at); }"},
    {"offsets that the vertex program computes",
     "struct tap { float4 position : POSITION; float2 c : TEXCOORD0; float4 lr : TEXCOORD1; float4 "
     "ud : TEXCOORD2; };\n"
     "tap main_vertex(float4 position : POSITION, float2 at : TEXCOORD0, uniform float4x4 m, "
     "uniform float2 size) {\n"
     "  tap t; float2 d = 1 / size; t.position = mul(m, position); t.c = at;\n"
     "  t.lr = float4(at - float2(d.x, 0), at + float2(d.x, 0));\n"
     "  t.ud = float4(at - float2(0, d.y), at + float2(0, d.y)); return t; }\n"
     "float4 main_fragment(tap t, uniform sampler2D s, uniform float2 size) : COLOR { return "
     "tex2D(s, t.c) + tex2D(s, t.lr.xy) * 2 + tex2D(s, t.lr.zw) * 3 + tex2D(s, t.ud.xy) * 4 + "
     "tex2D(s, t.ud.zw) * 5 + size.x; }"},
    {"outputs without a semantic",
     "struct parts { float4 position : POSITION; float2 a : TEXCOORD0; float2 b; float3 c; };\n"
     "parts main_vertex(float4 position : POSITION, float2 at : TEXCOORD0, uniform float4x4 m) { "
     "parts p; p.position = mul(m, position); p.a = at; p.b = at * 2; p.c = float3(at, 3) - 1; "
     "return p; }\n"
     "float4 main_fragment(parts p) : COLOR { return float4(p.a + p.b, p.c.xz); }"},
    {"a quad of half the size",
     "float4 main_vertex(float4 p : POSITION, float2 t : TEXCOORD0, out float2 o : TEXCOORD0) : "
     "POSITION { o = t; return float4(p.xy * 2 - 1, 0, 2 - 1); }\n"
     "float4 main_fragment(float2 t : TEXCOORD0) : COLOR { return float4(t, t.y - t.x, 1); }"},
    {"a parameter of a pragma",
     "#pragma parameter GAIN \"How much\" 1.5 0.0 2.0 0.1\n#ifdef PARAMETER_UNIFORM\nuniform float "
     "GAIN;\n#else\n#define GAIN 0.0\n#endif\n"
     "float4 main(float2 p : TEXCOORD0) : COLOR { return GAIN * p.xyxy; }"},
    {"unsized arrays",
     "const float w[] = {1, 2, 3};\nstatic const float2 k[] = {1.0, 2.0, 3.0, 4.0};\n"
     "float4 main(float2 p : TEXCOORD0) : COLOR { float r[] = {p.x, p.y}; return float4(w[2] * "
     "p.x, k[1], r[1]); }"},
    {"arrays of arrays",
     "float4 main(float2 p : TEXCOORD0, uniform sampler2D s) : COLOR { float2 at[2][3]; for (int i "
     "= 0; i < 2; i++) for (int j = 0; j < 3; j++) at[i][j] = p + float2(j, i); float k[2][2] = "
     "{{1, 2}, {3, 4}}; return tex2D(s, at[1][2]) * k[1][0] + at[(int)p.x][1].xyxy * k[0][1]; }"},
    {"constructors of arrays",
     "float4 main(float2 p : TEXCOORD0) : COLOR { float a[3] = float[](p.x, 2.0, p.y); float b[2] "
     "= float[2](a[0], a[2]); return float4(a[0], a[1], b[1], b[0] + a[2]); }"},
    {"flat lists of structs",
     "struct pair { float2 a; float2 b; };\nfloat4 main(float2 p : TEXCOORD0) : COLOR { pair q = "
     "{p.x, p.y, 3, 4}; return float4(q.a, q.b); }"},
    {"constructors of structs",
     "struct pair { float2 a; float2 b; };\nfloat4 main(float2 p : TEXCOORD0) : COLOR { pair q = "
     "pair(p, p.yx * 2); return float4(q.a, q.b); }"},
    {"matrices of one row",
     "float4 main(float2 p : TEXCOORD0) : COLOR { float x = float(mul(float1x2(p), float2x1(1, "
     "2))); float2 r = float1x2(3, x); float1x4 m = p.xyxy; return float4(x, r, m[0].w); }"},
    {"a matrix as a vector",
     "float4 main(float2 p : TEXCOORD0) : COLOR { float2x2 m = float2x2(p, p.yx * 3); return "
     "float4(m); }"},
    {"a smaller matrix",
     "float4 main(float2 p : TEXCOORD0, uniform float3x3 k) : COLOR { float2x2 m = (float2x2)k; "
     "return float4(mul(m, p), m[1]); }"},
    {"a variable named like its struct",
     "struct coords { float2 a; };\nfloat4 f(coords coords) { return float4(coords.a, 0, 1); }\n"
     "float4 main(float2 p : TEXCOORD0) : COLOR { coords c; c.a = p; return f(c); }"},
    {"globals that are assigned",
     "float scale;\nstatic float count = 1;\nvoid next() { scale += 0.5; count *= 2; }\n"
     "float4 main(float2 p : TEXCOORD0) : COLOR { next(); if (p.x > 2) next(); return float4(scale "
     "* p, count, scale); }"},
    {"a uniform parameter that is assigned",
     "float4 main(float2 p : TEXCOORD0, uniform float4 k) : COLOR { k.x += p.x; k *= 2; return k; "
     "}"},
    {"samplers as variables and arguments",
     "float4 read(sampler2D s, float2 p) { return tex2D(s, p); }\nuniform sampler2D other;\n"
     "float4 main(float2 p : TEXCOORD0, uniform sampler2D A) : COLOR { sampler2D t = other; return "
     "read(A, p) + read(t, p) * 2; }"},
    {"arrays of samplers",
     "uniform sampler2D all[3];\nfloat4 main(float2 p : TEXCOORD0) : COLOR { return "
     "tex2D(all[0], p) + tex2D(all[1], p) * 2 + tex2D(all[2], p) * 3; }"},
    {"one-dimensional textures",
     "float4 main(float2 p : TEXCOORD0, uniform sampler1D s) : COLOR { return tex1D(s, p.x) + "
     "tex1Dproj(s, float2(p.y, 2)) + tex1Dlod(s, p.yxyx) + tex1Dbias(s, p.xyxy); }"},
    {"sizes and whole texels",
     "float4 main(float2 p : TEXCOORD0, uniform sampler2D s) : COLOR { int2 n = tex2Dsize(s, 0); "
     "return tex2Dfetch(s, int4(n.x - 1 - p.x, p.y, 0, 0)) + n.y; }"},
    {"offsets in texels",
     "float4 main(float2 p : TEXCOORD0, uniform sampler2D s) : COLOR { return tex2D(s, p, int2(1, "
     "-1)) + tex2Dlod(s, p.xyxy, int2(0, 2)) * 2; }"},
    {"offsets in texels of a picture from 0 to 1", PIPELINE
     "float4 main_fragment(vertex v, uniform sampler2D s) : COLOR { return tex2D(s, v.at, int2(1, "
     "0)) - tex2D(s, v.at, v.at, v.at, int2(0, 1)); }"},
    {"projection and rectangles", PIPELINE
     "float4 main_fragment(vertex v, uniform sampler2D s, uniform samplerRECT r) : COLOR { return "
     "tex2Dproj(s, float3(v.at, 2)) + texRECT(r, v.at * 4) + texRECTfetch(r, int2(2, 3)); }"},
    {"a volume",
     "float4 main(float2 p : TEXCOORD0, uniform sampler3D s) : COLOR { return tex3D(s, float3(p / "
     "8, 0.3)); }"},
    {"a volume's texels and size",
     "float4 main(float2 p : TEXCOORD0, uniform sampler3D s) : COLOR { int3 n = tex3Dsize(s, 0); "
     "return tex3Dfetch(s, int4(p, 0, 0)) + tex3D(s, float3(0.2, p / 8), p.xyy, p.yxx) + n.xyzz; "
     "}"},
    {"a cube",
     "float4 main(float2 p : TEXCOORD0, uniform samplerCUBE s) : COLOR { return texCUBE(s, "
     "float3(4, p - 3)) + texCUBEproj(s, float4(p - 2, 5, 2)) + texCUBEsize(s, 0).x; }"},
    {"one-dimensional texels and sizes",
     "float4 main(float2 p : TEXCOORD0, uniform sampler1D s, uniform sampler2D t) : COLOR { return "
     "tex1Dfetch(s, int4(p, 0, 0)) + tex1Dsize(s, 0) + tex2Dgrad(t, p, p, p) + texfiltered(t); }"},
    {"inverse matrices",
     "float4 main(float2 p : TEXCOORD0) : COLOR { float4x4 m = float4x4(4 + p.x, 1, 2, 3, 1, 5, "
     "2, 1, 0, 2, 6 + p.y, 1, 2, 1, 1, 7); float3x3 n = float3x3(4, 1, p.x, 1, 5, 2, 3, 2, 9); "
     "float2x2 k = float2x2(3, p.x, 1, 9); return mul(inverse(m), float4(1, p, 2)) + "
     "float4(mul(inverse(n), float3(p, 1)), mul(inverse(k), p).x) + determinant(m); }"},
    {"derivatives",
     "float4 main(float2 p : TEXCOORD0) : COLOR { float2 q = p * p + p.yx * 3; return "
     "float4(ddx(q), ddy(q)); }"},
    {"the width of a filter", PIPELINE
     "float4 main_fragment(vertex v, uniform sampler2D s) : COLOR { float4 t = tex2D(s, v.at); "
     "return fwidth(t) + ddx(t.x * v.at.y); }"},
    {"hyperbolic and inverse functions",
     "float4 main(float2 p : TEXCOORD0) : COLOR { float x = p.x * 0.1 - 0.3; return "
     "float4(tanh(x), "
     "asin(x), acos(x), atan2(p.y + 1, x)); }"},
    {"parts of numbers",
     "float4 main(float2 p : TEXCOORD0) : COLOR { float n, i; float m = frexp(p.x * 3 + 0.25, n); "
     "float f = modf(p.y * 1.3 - 2, i); return float4(m, n, f, i); }"},
    {"names of GLSL",
     "vec4 main(vec2 p : TEXCOORD0) : COLOR { mat2 m = mat2(1, 2, 3, 4); return "
     "vec4(mix(fract(p * 0.3), p, 0.25), mod(p.x, 3.0), mul(m, p).y); }"},
    {"tests of numbers",
     "float4 main(float2 p : TEXCOORD0) : COLOR { float z = p.x * 0; return float4(isnan(p.x), "
     "isfinite(p.y), isinf(p.x), any(isfinite(p)) + z); }"},
    {"powers, roots and logarithms",
     "float4 main(float2 p : TEXCOORD0) : COLOR { float2 q = p + 0.5; return float4(pow(q.x, 2.2), "
     "sqrt(q.y), exp(-q.x), log(q.y)); }"},
    {"powers of negative numbers",
     "float4 main(float2 p : TEXCOORD0) : COLOR { float2 q = p - 3; return float4(pow(q.x, 2.0), "
     "pow(q, 3), pow(q.y, 4)); }"},
    {"inputs that are told by their names",
     "struct input { float2 tex_coord; float4 vertex_coord; uniform float4x4 mvp_matrix; uniform "
     "sampler2D texture; };\nstruct data { float2 tex; };\n"
     "void main_vertex(input IN, out float4 o : POSITION, out data d) { o = mul(IN.mvp_matrix, "
     "IN.vertex_coord); d = data(IN.tex_coord); }\n"
     "float4 main_fragment(in data d, input IN) : COLOR { return tex2D(IN.texture, d.tex); }"},
    {"a function that may not return",
     "float f(float x) { if (x > 2) return x; }\nfloat4 main(float2 p : TEXCOORD0) : COLOR { "
     "return f(p.x); }"},
    {"an unused entry point that is wrong",
     "float4 other() : COLOR { return nothing(1) & 2; }\nfloat4 main(float2 p : TEXCOORD0) : COLOR "
     "{ return p.xyxy; }"},
    {"tokens that macros join",
     "#define PICK(v, c) v.c##c\n#define TAP(n) float4 t##n = tex2D(s, p + n);\n"
     "float4 main(float2 p : TEXCOORD0, uniform sampler2D s) : COLOR { TAP(0) TAP(1) TAP(2) return "
     "t0 + t1 * 2 + t2 * 3 + PICK(p, x).y; }"},
    {"a size that is a local constant",
     "float4 main(float2 p : TEXCOORD0) : COLOR { const int n = 2; float w[n * n]; for (int i = 0; "
     "i < n * n; i++) w[i] = p.x * i; return float4(w[0], w[1], w[2], w[3]); }"},
    {"a function that is defined after its use",
     "float twice(float x);\nfloat4 main(float2 p : TEXCOORD0) : COLOR { return twice(p.x) + p.y; "
     "}\nfloat twice(float x) { return x * 2; }"},
    {"functions of structs",
     "struct wave { float2 k; float a; float at(float2 p) { return a * dot(k, p); } void "
     "grow(float "
     "by) { a += by; k.x *= 2; } float twice(float2 p) { grow(1); return at(p) * 2; } };\n"
     "float4 main(float2 p : TEXCOORD0) : COLOR { wave w; w.k = p.yx; w.a = 0.5; float first = "
     "w.at(p); w.grow(p.x); return float4(first, w.twice(p), w.a, w.k.x); }"},
    {"structs with their variables, without names and in functions",
     "struct pair { float2 a; } both;\ntypedef struct { float2 b; } other;\n"
     "float4 main(float2 p : TEXCOORD0) : COLOR { struct inner { float x; }; inner i; i.x = p.x; "
     "other o; o.b = p.yx; both.a = p * 3; return float4(both.a, o.b) + i.x; }"},
    {"elements of matrices as targets",
     "float4 main(float2 p : TEXCOORD0) : COLOR { float3x3 m = 0; m._m00_m11 = p; m._m01_m20_m22 = "
     "p.xyx * 2; m._12 += 1; m._m10_m21 *= 3; return float4(m[0].xy + m._m11_m00, m[2].xz); }"},
    {"words before types and whole numbers",
     "row_major float2x2 m;\nfloat4 main(packed half2 p : TEXCOORD0) : COLOR { unsigned int a = "
     "3u; short b = 2; uint c = 1 << 3 | 1; double2 d = p; cfloat e = 0.5; return float4(a + b, c "
     "+ mul(m, p).x, d * e); }"},
    {"remainders, default arguments and conditions of discard",
     "float scaled(float x, float by = 3) { return x * by; }\n"
     "float4 main(float2 p : TEXCOORD0) : COLOR { discard p.x > 6; clip(p - 0.5); float r = (p.x - "
     "3.5) % 2.0; r += 5 % 3; return float4(r, scaled(p.y), scaled(p.y, 2), 1); }"},
    {"rows of a matrix and elements of an array as inputs",
     "struct parts { float4 position : POSITION; float2x2 m : TEXCOORD0; float2 a[2] : TEXCOORD2; "
     "float fog : FOG; };\n"
     "parts main_vertex(float4 p : POSITION, float2 t : TEXCOORD0, uniform float4x4 k) { parts o; "
     "o.position = mul(k, p); o.m = float2x2(t, t.yx * 2); o.a[0] = t + 1; o.a[1] = t * 5; o.fog = "
     "t.x; return o; }\n"
     "float4 main_fragment(parts o, float side : FACE) : COLOR { return float4(mul(o.m, o.a[1]), "
     "o.a[0].y + o.fog, side); }"},
    {"registers, annotations, states and techniques",
     "float gain : register(c5) <string name = \"Gain\"; float least = 0;> = 1.5;\n"
     "sampler2D s : register(s1) = sampler_state { minFilter = Linear; };\n"
     "float4 main(float2 p : TEXCOORD0) : COLOR { return gain * f4tex2D(s, p) + h2tex2D(s, "
     "p).xyxy; }\ntechnique only { pass { FragmentProgram = compile arbfp1 main(); } }"},
    {"text that is left out, and macros of any number of arguments",
     "#if 0\n it's not \"text\n#error don't\n#elif (1 ? 2 : 0) & ~1\n#define ALL(...) "
     "float4(__VA_ARGS__)\n#endif\n#warning isn't shown\n"
     "float4 main(float2 p : TEXCOORD0) : COLOR { return ALL(p, 0, __LINE__); }"},
    {"luminance by a matrix", PIPELINE
     "static const float3x3 yuv = {0.299, 0.587, 0.114, -0.169, -0.331, 0.5, 0.5, -0.419, "
     "-0.081};\n"
     "float4 main_fragment(vertex v, uniform sampler2D s) : COLOR { float3 c = mul(yuv, tex2D(s, "
     "v.at).rgb); return float4(c, dot(c, c)); }"},
    {"an edge-directed choice", PIPELINE
     "bool same(float4 a, float4 b) { return all(abs(a - b) < 0.6); }\n"
     "float4 main_fragment(vertex v, uniform sampler2D s, uniform input IN) : COLOR { float2 d = 1 "
     "/ IN.texture_size; float4 c = tex2D(s, v.at), l = tex2D(s, v.at - float2(d.x, 0)), u = "
     "tex2D(s, v.at - float2(0, d.y)); return same(l, u) && !same(c, l) ? l : c; }"},
    {"a blur by a loop", PIPELINE
     "float4 main_fragment(vertex v, uniform sampler2D s, uniform input IN) : COLOR { float4 sum = "
     "0; float total = 0; for (int i = -2; i <= 2; i++) { float w = exp(-0.5 * i * i); sum += w * "
     "tex2D(s, v.at + float2(i, 0) / IN.texture_size); total += w; } return sum / total; }"},
    {"scanlines", PIPELINE
     "float4 main_fragment(vertex v, uniform sampler2D s, uniform input IN) : COLOR { float y = "
     "v.at.y * IN.texture_size.y; float d = frac(y) - 0.5; return tex2D(s, v.at) * (1 - d * d * "
     "sin(y)); }"},
    {"a curved screen that discards its border",
     PIPELINE "float4 main_fragment(vertex v, uniform sampler2D s) : COLOR { float2 p = v.at * 2 - "
              "1; p *= 1 "
              "+ dot(p, p) * 0.1; if (any(abs(p) > 1)) discard; return tex2D(s, p * 0.5 + 0.5); }"},
};

const Uniforms& uniforms_of(const std::string& text) {
  static const Uniforms kNone;
  static const Uniforms kInput = {{"IN.video_size", {8, 8}},
                                  {"IN.texture_size", {8, 8}},
                                  {"IN.output_size", {8, 6}},
                                  {"IN.frame_count", {3}}};
  static const Uniforms kSize = {{"size", {8, 8}}};
  static const Uniforms kMatrix = {{"k", {1, 2, 3, 4, 5, 6, 7, 8, 9}}};
  static const Uniforms kVector = {{"k", {1, 2, 3, 4}}};
  static const Uniforms kOrig = {{"ORIG.texture_size", {8, 8}}};
  if (text.find("uniform input IN)") != std::string::npos) return kInput;
  if (text.find("uniform float2 size)") != std::string::npos) return kSize;
  if (text.find("float3x3 k)") != std::string::npos) return kMatrix;
  if (text.find("uniform float4 k)") != std::string::npos) return kVector;
  if (text.find("ORIG.texture_size") != std::string::npos) return kOrig;
  return kNone;
}

TEST(CgPictures, ThereAreFortyAtLeast) { EXPECT_GE(std::size(kPictures), 40u); }

TEST(CgPictures, AreTheSameBitsInterpretedAndCompiledAtBothLevels) {
  for (const Picture& picture : kPictures)
    EXPECT_EQ(difference(picture.text, uniforms_of(picture.text)), "") << picture.name;
}

TEST(CgPictures, AreThoseOfIeeeArithmetic) {
  for (const Picture& picture : kPictures)
    EXPECT_EQ(picture_difference(picture.text, uniforms_of(picture.text)), "") << picture.name;
}

}  // namespace
}  // namespace raddle::cg::testing
