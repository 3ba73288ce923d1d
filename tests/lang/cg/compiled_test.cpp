// Compiled programs give what the evaluator gives, bit for bit, at every level.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

#include "lang/cg/running.h"

namespace raddle::cg::testing {
namespace {

std::string with_body(std::string_view body) {
  return "float4 main(float2 p : TEXCOORD0, uniform sampler2D A, uniform sampler2D B, uniform "
         "float4 k,\n"
         "            uniform float s) : COLOR {\n" +
         std::string(body) + "\n}";
}

const Uniforms kGiven = {{"k", {1.5F, -2, 0.25F, 3}}, {"s", {0.75F}}};

std::string body_difference(std::string_view body) { return difference(with_body(body), kGiven); }

TEST(CgCompiled, ComputesTheExampleOfThePaper) {
  EXPECT_EQ(difference(R"(struct data_out { float4 sum : COLOR; };
      data_out multadd(float2 coord : TEXCOORD0, uniform sampler2D A : TEXUNIT0,
                       uniform sampler2D B : TEXUNIT1) {
        data_out r;
        float4 offset = {1.0f, 1.0f, 1.0f, 1.0f};
        r.sum = tex2D(A, coord) * tex2D(B, coord) + offset;
        return r;
      })"),
            "");
}

TEST(CgCompiled, ComputesArithmetic) {
  EXPECT_EQ(body_difference("return float4(p, p.yx) * k + s;"), "");
  EXPECT_EQ(body_difference("return tex2D(A, p) / tex2D(B, p).wzyx - k / s;"), "");
  EXPECT_EQ(body_difference("float4 a = tex2D(A, p); return -a * -k.x + abs(a.yxwz) - (1 - a);"),
            "");
  EXPECT_EQ(
      body_difference("return dot(tex2D(A, p), k) + dot(p, k.zw) * dot(tex2D(B, p).xyz, k.xyz);"),
      "");
  EXPECT_EQ(body_difference("return lerp(tex2D(A, p), tex2D(B, p), 0.25) * 2;"), "");
  EXPECT_EQ(body_difference("return saturate(tex2D(A, p) * 0.5 + s);"), "");
  EXPECT_EQ(body_difference(
                "float2 q = p * 2 - 1; return float4(q.x, p.y, q.y, p.x) + float4(1, 2, 3, 4);"),
            "");
}

// The points of the domain as a program leaves them, held against C++'s own mathematics.
void expect_points(std::string_view text, const std::function<Texel(float, float)>& expected) {
  EXPECT_EQ(difference(text), "");
  const std::vector<Texel> found = run_compiled(compile(text, "test.cg"));
  ASSERT_GE(found.size(), std::size_t{kDomainWidth} * kDomainHeight);  // COLOR0 first
  for (unsigned y = 0; y < kDomainHeight; ++y) {
    for (unsigned x = 0; x < kDomainWidth; ++x) {
      const Texel wanted = expected(static_cast<float>(x), static_cast<float>(y));
      for (unsigned i = 0; i < 4; ++i)
        EXPECT_NEAR(found[y * kDomainWidth + x][i], wanted[i], 1e-4) << x << " " << y << " " << i;
    }
  }
}

TEST(CgCompiled, ComputesHyperbolicFunctionsAndParts) {
  expect_points(R"(float4 main(float2 p : TEXCOORD0) : COLOR {
      float x = p.x * 0.75 - p.y * 0.5;
      float whole, s, c;
      float part = modf(x, whole);
      sincos(x, s, c);
      return float4(tanh(x * 20) + part, cosh(x * 0.25) + whole, sinh(x * 0.25) + ldexp(s, 2), c);
    })",
                [](float px, float py) {
                  const float x = px * 0.75F - py * 0.5F;
                  float whole = 0;
                  const float part = std::modf(x, &whole);
                  return Texel{std::tanh(x * 20) + part, std::cosh(x * 0.25F) + whole,
                               std::sinh(x * 0.25F) + 4 * std::sin(x), std::cos(x)};
                });
}

TEST(CgCompiled, TakesFlatListsAndStructsOfOneNumber) {
  expect_points(R"(const float2 k[2] = {1.0, 2.0, 3.0, 4.0};
    struct light { float a; float3 b; };
    float4 main(float2 p : TEXCOORD0) : COLOR {
      light one = (light)2;
      return float4(k[0] * p, k[1].y + one.a, one.b.z);
    })",
                [](float x, float y) { return Texel{x, 2 * y, 6, 2}; });
}

TEST(CgCompiled, TakesAVariableNamedLikeItsStruct) {
  expect_points(R"(struct coords { float2 a; };
    float4 f(coords coords) { return float4(coords.a, 0, 1); }
    float4 main(float2 at : TEXCOORD0) : COLOR { coords c; c.a = at; return f(c); })",
                [](float x, float y) { return Texel{x, y, 0, 1}; });
}

TEST(CgCompiled, RunsMainFragmentWhereThereIsAVertexProgram) {
  const CompiledShader compiled = compile(
      "float4 main_vertex(float4 p : POSITION) : POSITION { return p; }\n"
      "float4 main_fragment(float2 p : TEXCOORD0) : COLOR { return p.xyxy; }",
      "test.cg");
  EXPECT_EQ(compiled.shader.name, "main_fragment");
}

TEST(CgCompiled, KeepsTheSignOfZero) {
  EXPECT_EQ(body_difference("float4 a = tex2D(A, p); return ceil(frac(a) - 0.75) * 0;"), "");
  EXPECT_EQ(body_difference("float4 a = floor(tex2D(A, p)); return (a - a) * -1 + -0.0;"), "");
}

TEST(CgCompiled, ComputesEveryBuiltInFunction) {
  for (const char* call : {"abs(a)",
                           "ceil(a)",
                           "floor(a)",
                           "frac(a)",
                           "round(a)",
                           "trunc(a)",
                           "sign(a)",
                           "saturate(a)",
                           "rcp(a)",
                           "rsqrt(abs(a))",
                           "sqrt(abs(a))",
                           "exp2(a)",
                           "log2(abs(a))",
                           "sin(a)",
                           "cos(a)",
                           "min(a, b)",
                           "max(a, b)",
                           "pow(abs(a), b)",
                           "step(a, b)",
                           "clamp(a, -1, b)",
                           "lerp(a, b, s)",
                           "normalize(a)",
                           "length(a)",
                           "dot(a, b)",
                           "float4(cross(a.xyz, b.yzw), 1)",
                           "float4(any(a > b))",
                           "float4(all(a > b))",
                           "exp(a)",
                           "log(abs(a))",
                           "tan(a)",
                           "fmod(a, b)",
                           "smoothstep(a, b, k)",
                           "atan2(a, b)",
                           "asin(frac(a))",
                           "reflect(a, b)",
                           "refract(a, b, 0.5)",
                           "distance(a, b)",
                           "float4(mul(float2x2(a), b.xy), mul(b.zw, float2x2(a)))",
                           "mul(float4x4(a, b, k, a), b)",
                           "mul(b, float4x4(a, b, k, a))",
                           "mul(float4x4(a, b, k, a), transpose(float4x4(a, b, k, b)))[2]"}) {
    EXPECT_EQ(body_difference("float4 a = tex2D(A, p), b = tex2D(B, p); return " +
                              std::string(call) + ";"),
              "")
        << call;
  }
}

TEST(CgCompiled, ComparesAndChooses) {
  for (const char* op : {"<", "<=", ">", ">=", "==", "!="}) {
    EXPECT_EQ(body_difference("float4 a = floor(tex2D(A, p)), b = floor(tex2D(B, p)); return a " +
                              std::string(op) + " b ? a : k;"),
              "")
        << op;
    EXPECT_EQ(
        body_difference("float4 a = floor(tex2D(A, p)), b = floor(tex2D(B, p)); return float4(a " +
                        std::string(op) + " b);"),
        "")
        << op;
  }
  EXPECT_EQ(body_difference(
                "float4 a = tex2D(A, p); return a.x > 0 && !(a.y > 1) || a.z == a.w ? a : k;"),
            "");
}

TEST(CgCompiled, RunsBranches) {
  EXPECT_EQ(body_difference("float4 r = 0; if (p.x > 3) r = tex2D(A, p); return r;"), "");
  EXPECT_EQ(body_difference("float4 r = 1; if (p.x > 3) { r = tex2D(A, p); r.x += 2; } else if "
                            "(p.y > 2) r.yz = p; else r = tex2D(B, p).w; return r;"),
            "");
  EXPECT_EQ(body_difference("float a = p.x, b = p.y; if (a > b) { float t = a; a = b; b = t; } "
                            "return float4(a, b, a - b, s);"),
            "");
  EXPECT_EQ(body_difference("if (p.x > 4) return k; if (p.y > 2) { if (p.x > 2) return 1; } return "
                            "float4(p, tex2D(A, p).xy);"),
            "");
}

TEST(CgCompiled, PredicatesShortBranches) {
  EXPECT_EQ(
      body_difference(
          "float4 a = tex2D(A, p); float b = 1, c = p.x; if (a.x > a.y) { b = a.z * 2 + c; c = -b; "
          "a.yz += 1; } return a + float4(b, c, b, c);"),
      "");
  EXPECT_EQ(body_difference("float4 a = 0; float3 b = p.xyx; if (p.x != 3) { a = tex2D(B, p).wzyx; "
                            "} return a + b.x;"),
            "");
  EXPECT_EQ(body_difference(
                "float a = p.x, b = p.y; if (a < b) { a += 1; b *= 2; } else { a -= 2; b = a; } "
                "if (b > 3) { b = a; a = s; } return float4(a, b, p);"),
            "");
}

TEST(CgCompiled, RunsLoops) {
  EXPECT_EQ(
      body_difference(
          "float4 r = 0; for (int i = 0; i < 4; i++) r += tex2D(A, p + float2(i, 0)); return r;"),
      "");
  EXPECT_EQ(body_difference("float r = 0; for (int i = 0; i < 1000; i++) { r += i * s; if (r > 100 "
                            "* p.x) break; } return r;"),
            "");
  EXPECT_EQ(body_difference(
                "float r = 0, n = p.x; while (n > 0) { r += n; n -= 1; } return float4(r, n, p);"),
            "");
  EXPECT_EQ(body_difference("float r = 1, n = p.x; do { r *= 1.5; n -= 2; } while (n > p.y); "
                            "return float4(r, n, p);"),
            "");
  EXPECT_EQ(body_difference("float r = 0; for (float i = 0; i < p.x + 10; i++) { if (frac(i / 2) > "
                            "0.2) continue; r += i; } return r;"),
            "");
  EXPECT_EQ(body_difference("float a = 0, b = 1; for (int i = 0; i < p.x; i++) { float t = a; a = "
                            "b; b = t + b; } return float4(a, b, p);"),
            "");
  EXPECT_EQ(body_difference("float r = 0; for (int i = 0; i < p.x; i++) for (int j = 0; j < i; "
                            "j++) { if (j > p.y) break; r += i * j + 1; } return r;"),
            "");
  EXPECT_EQ(
      body_difference("float r = 0; for (int i = 0; i < 300; i++) { r = r * 0.5 + i; } return r;"),
      "");
  EXPECT_EQ(body_difference("float r = 0; float i = 0; while (true) { i += 1; if (i > 700 + p.x) "
                            "break; r += i; } return float4(r, i, 0, 0);"),
            "");
  EXPECT_EQ(
      body_difference(
          "for (int i = 0; i < 20; i++) { if (i * s > p.x) return float4(i, p, 1); } return k;"),
      "");
}

TEST(CgCompiled, ReturnsFromLoopsThatEndTheBodyOfLoops) {
  for (const char* inner :
       {"do { if (s * i > p.x - 4) return r; } while (r.x > 100);",
        "while (r.x < 50) { r.x += 9; if (r.x > p.y * 9) return r; }",
        "if (p.x > 2) { for (int j = 0; j < p.y + 1; j++) { r.z += j; if (j > s + i) "
        "return r + 1; } }",
        "for (int j = 0; j < 300; j++) { for (int l = 0; l < p.x; l++) { r.w += 1; if "
        "(r.w > 7) return r; } }"}) {
    for (const char* outer : {"for (int i = 0; i < 3; i++)", "for (int i = 0; i < p.x; i++)",
                              "for (int i = 0; i < 300; i++)"}) {
      EXPECT_EQ(body_difference("float4 r = 0; " + std::string(outer) + " { r.y += 1 + i; " +
                                inner + " } return r * 2 + k;"),
                "")
          << outer << " " << inner;
    }
  }
}

TEST(CgCompiled, TurnsALoopAsOftenAsWhatItsBodyChangesSays) {
  EXPECT_EQ(body_difference(
                "float m = 1.25; for (int i = 0; i < min(m + m, 40); i++) { m *= 1.5 + p.x; m += "
                "tex2D(A, p).x; m = abs(m); } return m;"),
            "");
}

TEST(CgCompiled, CallsFunctionsWhosePointsPartWays) {
  EXPECT_EQ(difference(R"(
    float walk(float2 q, inout float steps) {
      for (int i = 0; i < 50; i++) {
        if (q.x > 20) return q.y;
        steps += 1;
        if (frac(steps * 0.5) > 0.25) { q = q.yx + 1; continue; }
        q.x *= 2;
      }
      return -1;
    }
    void split(float2 p, out float2 a, out float b) {
      a = p; b = 0;
      if (p.x < 2) return;
      a = p.yx;
      if (p.y < 3) { b = 7; return; }
      b = p.x * p.y;
    }
    float4 main(float2 p : TEXCOORD0) : COLOR {
      float steps = 0; float2 a; float b;
      float w = walk(p + 1, steps);
      split(p, a, b);
      if (p.x > 3) w += walk(a, steps);
      return float4(w, steps, a.x, b);
    })"),
            "");
}

TEST(CgCompiled, UsesStructsArraysAndMatrices) {
  EXPECT_EQ(difference(R"(
    struct ray { float3 at; float t[2]; };
    ray move(ray r, float d) { r.at += d; r.t[1] = r.t[0] * d; return r; }
    static const float weights[5] = {1, 4, 6, 4, 1};
    uniform float3 lights[3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
    float4 main(float2 p : TEXCOORD0, uniform float4x4 m) : COLOR {
      ray r; r.at = float3(p, 1); r.t[0] = p.x; r.t[1] = 3;
      r = move(r, 0.5);
      float w = 0;
      for (int i = 0; i < 5; i++) w += weights[i] * lights[i % 3].y;
      float4 v = mul(m, float4(r.at, w));
      v.x += lights[(int)p.x].z;
      float a[3]; a[0] = 1; a[1] = 2; a[2] = 3; a[(int)p.y] = v.y;
      return v + r.t[1] + float4(a[0], a[1], a[2], weights[(int)p.x]);
    })",
                       {{"m", {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7}}}),
            "");
}

TEST(CgCompiled, WritesSeveralOutputsAndPartsOfThem) {
  EXPECT_EQ(difference(R"(
    struct results { float4 a : COLOR0; float b : COLOR2; float2 c : COLOR3; };
    results main(float2 p : TEXCOORD0, uniform sampler2D A, out float3 d : COLOR1) {
      results r; r.a = tex2D(A, p); r.b = dot(r.a, r.a); r.c = p * 3; d = float3(1, p.y, rcp(r.b)); return r;
    })"),
            "");
}

TEST(CgCompiled, WritesTheDepth) {
  EXPECT_EQ(difference(R"(
    struct results { float z : DEPTH; float4 a : COLOR; };
    results main(float2 p : TEXCOORD0, uniform sampler2D A) {
      results r; r.a = tex2D(A, p); r.z = dot(r.a, r.a) * 0.5; if (p.x > 3) r.z = 1; return r;
    })"),
            "");
  EXPECT_EQ(difference("float main(float2 p : TEXCOORD0) : DEPTH { if (p.y > 2) discard; return "
                       "rcp(p.x + 1); }"),
            "");
  EXPECT_EQ(difference("void main(float2 p : TEXCOORD0, out float z : DEPTH) { z = 0.25; }"), "");
}

TEST(CgCompiled, ReadsTexturesInEveryWay) {
  for (const char* call :
       {"tex2Dproj(A, float3(p * 3, 2))", "tex2Dproj(A, float4(p, 9, s))",
        "tex2Dproj(A, tex2D(B, p))", "tex2Dproj(A, tex2D(B, p).wzy)", "tex2Dproj(A, k)",
        "tex2Dproj(A, float3(1, 2, 0))", "tex2Dlod(A, float4(p, 0, 3))", "tex2Dlod(A, k)",
        "tex2Dbias(A, tex2D(B, p) + 2)", "tex2D(A, p + 1, p * 0.5, k.xy)",
        "tex2Dproj(A, -tex2D(B, p).xyz)", "tex2Dproj(A, float3(p.y, s, p.x))"}) {
    EXPECT_EQ(body_difference("return " + std::string(call) + ";"), "") << call;
  }
  EXPECT_EQ(
      difference("float4 main(float2 p : TEXCOORD0, uniform samplerRECT R) : COLOR { float n "
                 "= 0; float4 t = texRECT(R, p, (n++).xx, p) + texRECTproj(R, float3(p, 2)) + "
                 "texRECTlod(R, p.xyxy) + texRECTbias(R, p.yxyx); return t * n; }"),
      "");
}

TEST(CgCompiled, DiscardsPoints) {
  EXPECT_EQ(body_difference("if (p.x > 3) discard; return k;"), "");
}

TEST(CgCompiled, CountsWithIntegers) {
  EXPECT_EQ(body_difference("int i = p.x * 3.7, j = p.y + 1; return float4(i / j, i % j, (-i) / j, "
                            "(int)(s * i) == 2);"),
            "");
}

}  // namespace
}  // namespace raddle::cg::testing
