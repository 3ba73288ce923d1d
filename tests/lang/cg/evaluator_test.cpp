// What programs mean.
#include "lang/cg/evaluate/evaluator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "lang/cg/reading.h"
#include "lang/cg/syntax/program_reader.h"

namespace raddle::cg::testing {
namespace {

Texel f4(float a, float b, float c, float d) { return {a, b, c, d}; }

TEST(CgEvaluator, ComputesTheExampleOfThePaper) {
  EXPECT_EQ(evaluate(R"(struct data_out { float4 sum : COLOR; };
      data_out multadd(float2 coord : TEXCOORD0, uniform sampler2D A : TEXUNIT0,
                       uniform sampler2D B : TEXUNIT1) {
        data_out r;
        float4 offset = {1.0f, 1.0f, 1.0f, 1.0f};
        r.sum = tex2D(A, coord) * tex2D(B, coord) + offset;
        return r;
      })",
                     3, 5),
            f4(10, 26, 1, 2));
}

TEST(CgEvaluator, SwizzlesMasksAndConstructs) {
  EXPECT_EQ(value_of("float4(p, p.yx)", 1, 2), f4(1, 2, 2, 1));
  EXPECT_EQ(value_of("p.xxyy.wzyx", 1, 2), f4(2, 2, 1, 1));
  EXPECT_EQ(
      evaluate("float4 main() : COLOR { float4 v = 1; v.zx = float2(5, 6); v.w += 2; return v; }"),
      f4(6, 1, 5, 3));
  EXPECT_EQ(value_of("(half4)3"), f4(3, 3, 3, 3));
}

TEST(CgEvaluator, KnowsTheUsualFunctions) {
  EXPECT_EQ(value_of("float4(dot(float3(1,2,3), float3(4,5,6)), dot(float2(1,2), float2(3,4)), "
                     "abs(-2), sign(-3))"),
            f4(32, 11, 2, -1));
  EXPECT_EQ(value_of("float4(lerp(2, 4, 0.5), clamp(7, 1, 3), saturate(-1), frac(-1.25))"),
            f4(3, 3, 0, 0.75F));
  EXPECT_EQ(value_of("float4(floor(-1.5), ceil(-1.5), round(2.5), trunc(-1.5))"),
            f4(-2, -1, 3, -1));
  EXPECT_EQ(value_of("float4(rcp(4), rsqrt(4), exp2(3), log2(8))"), f4(0.25F, 0.5F, 8, 3));
  EXPECT_EQ(value_of("float4(pow(2, 5), step(1, 0.5), step(1, 1), length(float2(3, 4)))"),
            f4(32, 0, 1, 5));
  EXPECT_EQ(value_of("float4(cross(float3(1,0,0), float3(0,1,0)), min(1, 2) + max(3, 4))"),
            f4(0, 0, 1, 5));
  EXPECT_EQ(
      value_of(
          "float4(normalize(float3(0, 4, 0)), any(bool2(false, true)) + all(bool2(false, true)))"),
      f4(0, 1, 0, 1));
}

TEST(CgEvaluator, HasTheLibrarysFunctionsNearTheirTrueValues) {
  const Texel a = value_of("float4(sin(p.x), cos(p.x), tan(p.x), exp(p.x))", 0.7F, 2);
  EXPECT_NEAR(a[0], std::sin(0.7), 1e-6);
  EXPECT_NEAR(a[1], std::cos(0.7), 1e-6);
  EXPECT_NEAR(a[2], std::tan(0.7), 1e-6);
  EXPECT_NEAR(a[3], std::exp(0.7), 1e-6);
  const Texel b = value_of("float4(log(p.y), asin(p.x), acos(-p.x), atan2(-p.y, -p.x))", 0.7F, 2);
  EXPECT_NEAR(b[0], std::log(2.0), 1e-6);
  EXPECT_NEAR(b[1], std::asin(0.7), 1e-4);
  EXPECT_NEAR(b[2], std::acos(-0.7), 1e-4);
  EXPECT_NEAR(b[3], std::atan2(-2.0, -0.7), 1e-4);
  const Texel c = value_of(
      "float4(smoothstep(0, 1, 0.25), fmod(-7.5, 2), distance(float2(1,1), float2(4,5)), "
      "log10(1000))");
  EXPECT_NEAR(c[0], 0.15625, 1e-6);
  EXPECT_NEAR(c[1], -1.5, 1e-6);
  EXPECT_NEAR(c[2], 5, 1e-5);
  EXPECT_NEAR(c[3], 3, 1e-5);
}

TEST(CgEvaluator, MultipliesMatricesAndVectorsOnBothSides) {
  const char* text = R"(float4 main() : COLOR {
    float2x2 m = {1, 2, 3, 4}; float2x2 n = {{0, 1}, {1, 0}}; float2 v = {5, 6};
    float2x2 mn = mul(m, n);
    return float4(mul(m, v), mul(v, m)) + float4(mn[0], transpose(mn)._m01_m11) * 100;
  })";
  EXPECT_EQ(evaluate(text), f4(17 + 200, 39 + 100, 23 + 400, 34 + 300));
}

TEST(CgEvaluator, RunsLoopsBranchesAndJumps) {
  EXPECT_EQ(evaluate(R"(float4 main(float2 p : TEXCOORD0) : COLOR {
    float s = 0, n = 0;
    for (int i = 0; i < 10; i++) { if (i == 3) continue; if (i > p.x) break; s += i; ++n; }
    int w = 5; while (w > 0) w -= 2;
    float d = 0; do { d += 1; } while (d < 3);
    return float4(s, n, w, d); })",
                     5, 0),
            f4(0 + 1 + 2 + 4 + 5, 5, -1, 3));
}

TEST(CgEvaluator, CallsFunctionsWithOutAndInOutAndReturnsEarly) {
  EXPECT_EQ(evaluate(R"(
    void change(float a, out float2 b, inout float c) { a = 100; b = a; if (c > 1) return; c += 10; }
    float pick(float x) { for (int i = 0; i < 4; i++) { if (i * 2 > x) return i; } return -1; }
    float pick(float2 x) { return 7; }
    float4 main() : COLOR { float4 v = 1; float a = 2; change(a, v.yz, v.x); change(a, v.yz, v.x);
      return float4(v.x, a + v.z, pick(3.0), pick(v.xy)); })"),
            f4(11, 102, 2, 7));
}

TEST(CgEvaluator, ComputesWithIntegersAsCDoes) {
  EXPECT_EQ(evaluate("float4 main() : COLOR { int a = 7.9, b = -7; return float4(a / 2, b / 2, b % "
                     "3, 9 / 3); }"),
            f4(3, -3, -1, 3));
  EXPECT_EQ(evaluate("float4 main() : COLOR { int i = 3; int j = i++ + ++i; return float4(i, j, "
                     "i--, 1 == 2 || 3 > 2); }"),
            f4(5, 8, 5, 1));
}

TEST(CgEvaluator, ReadsArraysByIndicesAndClampsThem) {
  const char* text = R"(static const float w[3] = {1, 10, 100};
    float4 main(float2 p : TEXCOORD0) : COLOR { float l[2] = {5, 6}; l[(int)p.x] = 9;
    return float4(w[(int)p.x], w[(int)p.y], l[0], l[1]); })";
  EXPECT_EQ(evaluate(text, 1, 2), f4(10, 100, 5, 9));
  EXPECT_EQ(evaluate(text, -3, 8), f4(1, 100, 5, 6));
}

TEST(CgEvaluator, ChoosesComponentByComponent) {
  EXPECT_EQ(value_of("float4(p, 0, 1) > 0.5 ? 7 : float4(1, 2, 3, 4)", 1, 0), f4(7, 2, 3, 7));
}

TEST(CgEvaluator, TakesUniformsByNameWithDefaults) {
  const CheckedProgram checked = read_program(
      "uniform float4 k[2] = {{1, 2, 3, 4}, {5, 6, 7, 8}}; float scale;\n"
      "float4 main() : COLOR { return k[1] * scale; }",
      "test.cg");
  const Interface interface = find_interface(checked.program, checked.entry, "t");
  Evaluator evaluator(checked.program, interface, {});
  const float two = 2;
  evaluator.set_uniform("scale", {&two, 1});
  EXPECT_EQ(evaluator.run(0, 0).outputs[0], f4(10, 12, 14, 16));
  EXPECT_THAT([&] { evaluator.set_uniform("skale", {&two, 1}); },
              ::testing::ThrowsMessage<Error>("the program has no uniform 'skale'"));
  EXPECT_THAT([&] { evaluator.set_uniform("k", {&two, 1}); },
              ::testing::ThrowsMessage<Error>("the uniform 'k' takes 8 numbers, not 1"));
}

TEST(CgEvaluator, StopsProgramsThatDoNotEnd) {
  EXPECT_THAT([] { evaluate("float4 main() : COLOR { while (true) {} return 0; }"); },
              ::testing::ThrowsMessage<Error>("the program does not terminate"));
}

TEST(CgEvaluator, FlushesDenormalsWhereAsked) {
  const CheckedProgram checked =
      read_program("float4 main() : COLOR { float t = 1e-20; return t * 1e-20; }", "test.cg");
  const Interface interface = find_interface(checked.program, checked.entry, "t");
  EXPECT_NE(Evaluator(checked.program, interface, {}).run(0, 0).outputs[0][0], 0);
  EXPECT_EQ(
      Evaluator(checked.program, interface, {}, {.flush_denormals = true}).run(0, 0).outputs[0][0],
      0);
}

}  // namespace
}  // namespace raddle::cg::testing
