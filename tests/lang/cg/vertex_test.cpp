// The vertex program on the host: what its corners give the fragment program.
#include <gtest/gtest.h>

#include <string>

#include "base/error.h"
#include "lang/cg/compiler.h"

namespace raddle::cg {
namespace {

constexpr const char* kFragment =
    "float4 main_fragment(float2 t : TEXCOORD0) : COLOR { return t.xyxy; }\n";

std::string error_of(const std::string& vertex) {
  try {
    compile(vertex + kFragment, "test.cg").vertex->run(8, 4);
  } catch (const Error& error) {
    return error.full_text();
  }
  return {};
}

TEST(CgVertex, InterpolatesBetweenTheCentresOfPoints) {
  const CompiledShader compiled = compile(
      "float4 main_vertex(float4 p : POSITION, float2 t : TEXCOORD0, out float2 o : TEXCOORD3, "
      "uniform float4x4 m) : POSITION { o = t * float2(8, 2) + 1; return mul(m, p); }\n"
      "float4 main_fragment(float2 t : TEXCOORD3) : COLOR { return t.xyxy; }",
      "test.cg");
  const Quad quad = compiled.vertex->run(8, 4);
  EXPECT_EQ(quad.width, 8u);
  EXPECT_EQ(quad.height, 4u);
  ASSERT_EQ(quad.planes.size(), 1u);
  // 1 + 8u and 1 + 2v at (x + 0.5) / 8 and (y + 0.5) / 4.
  const auto& [start, right, below] = quad.planes[0].values;
  EXPECT_FLOAT_EQ(start[0], 1.5F);
  EXPECT_FLOAT_EQ(start[1], 1.25F);
  EXPECT_FLOAT_EQ(right[0], 1.0F);
  EXPECT_FLOAT_EQ(right[1], 0.0F);
  EXPECT_FLOAT_EQ(below[0], 0.0F);
  EXPECT_FLOAT_EQ(below[1], 0.5F);
  EXPECT_TRUE(quad.notes.empty());
}

TEST(CgVertex, CoversThePointsWhoseCentresLieInTheQuad) {
  const CompiledShader compiled = compile(
      "float4 main_vertex(float4 p : POSITION, float2 t : TEXCOORD0, out float2 o : TEXCOORD0) : "
      "POSITION { o = t; return float4(p.x - 0.5, p.y, 0, 1); }\n" +
          std::string(kFragment),
      "test.cg");
  // x from -0.5 to 0.5 of -1 to 1, y from 0 to 1 upwards: the middle half of the upper half.
  const Quad quad = compiled.vertex->run(8, 4);
  EXPECT_EQ(quad.x, 2u);
  EXPECT_EQ(quad.width, 4u);
  EXPECT_EQ(quad.y, 0u);
  EXPECT_EQ(quad.height, 2u);
  // The quad's coordinates are 0 at its left side, which is two points from that of the domain.
  EXPECT_FLOAT_EQ(quad.planes[0].values[0][0], -0.375F);
  EXPECT_FLOAT_EQ(quad.planes[0].values[1][0], 0.25F);
}

TEST(CgVertex, TakesUniformsByNameAndField) {
  CompiledShader compiled = compile(
      "struct input { float2 size; float k; };\n"
      "float4 main_vertex(float4 p : POSITION, float2 t : TEXCOORD0, out float2 o : TEXCOORD0, "
      "uniform input IN) : POSITION { o = t * IN.size + IN.k; return float4(p.xy * 2 - 1, 0, 1); "
      "}\n" +
          std::string(kFragment),
      "test.cg");
  EXPECT_TRUE(compiled.vertex->has_uniform("IN.size"));
  EXPECT_FALSE(compiled.vertex->has_uniform("IN.sizes"));
  compiled.vertex->set_uniform("IN.size", {4, 8});
  compiled.vertex->set_uniform("IN.k", {3});
  const Quad quad = compiled.vertex->run(4, 4);
  EXPECT_FLOAT_EQ(quad.planes[0].values[0][0], 3.5F);
  EXPECT_FLOAT_EQ(quad.planes[0].values[0][1], 4.0F);
  EXPECT_FLOAT_EQ(quad.planes[0].values[2][1], 2.0F);
}

TEST(CgVertex, SaysWhatIsNotExact) {
  const CompiledShader compiled = compile(
      "float4 main_vertex(float4 p : POSITION, float2 t : TEXCOORD0, out float o : TEXCOORD0) : "
      "POSITION { o = t.x * t.y; return float4(p.xy * 2 - 1, 0, 1); }\n"
      "float4 main_fragment(float t : TEXCOORD0, float2 u : TEXCOORD1) : COLOR { return t + "
      "u.xyxy; }",
      "test.cg");
  EXPECT_EQ(
      compiled.vertex->run(4, 4).notes,
      (std::vector<std::string>{
          "test.cg:1:8: warning: 't' is not planar; the plane at the top left is used",
          "test.cg:1:8: warning: the vertex program does not write TEXCOORD1 ('u'); it is the "
          "quad's coordinates"}));
}

TEST(CgVertex, SaysWhatIsWrong) {
  EXPECT_EQ(error_of("float2 main_vertex(float2 t : TEXCOORD0) : TEXCOORD0 { return t; }\n"),
            "test.cg:1:8: the vertex program writes no POSITION");
  EXPECT_EQ(error_of("float4 main_vertex(float4 p : POSITION, uniform sampler2D s) : POSITION { "
                     "return tex2D(s, p.xy); }\n"),
            "test.cg:1:8: the vertex program reads a texture, which is not supported");
  EXPECT_EQ(error_of("float4 main_vertex(float4 p : POSITION, uniform sampler2D s) : POSITION { "
                     "return p * tex2Dsize(s, 0).x; }\n"),
            "test.cg:1:8: the vertex program reads a texture, which is not supported");
  EXPECT_EQ(error_of("float4 main_vertex(float4 p : POSITION) : POSITION { return float4(p.x + "
                     "p.y, p.y, 0, 1); }\n"),
            "test.cg:1:8: the corners that the vertex program computes are not those of a "
            "rectangle\nhint: sides must be parallel to those of the domain");
}

TEST(CgVertex, IsMissedWhereInputsAreMoreThanThePoint) {
  const CompiledShader compiled = compile(
      "float4 main(float2 a : TEXCOORD0, float2 b : TEXCOORD1, float4 c : COLOR, float2 d : "
      "TEXCOORD2) : COLOR { return float4(a, b) + c; }",
      "test.cg");
  ASSERT_EQ(compiled.warnings.size(), 2u);
  EXPECT_EQ(compiled.warnings[0].substr(0, compiled.warnings[0].find('\n')),
            "test.cg:1:42: warning: the input 'b' is the point of the domain: there is no vertex "
            "program that gives it another value");
  EXPECT_EQ(compiled.warnings[1].substr(0, compiled.warnings[1].find('\n')),
            "test.cg:1:64: warning: the input 'c' is 1: there is no vertex program");
}

TEST(CgVertex, WarnsOfFunctionsThatMayNotReturn) {
  const CompiledShader compiled =
      compile("float f(float x) { if (x > 0) return 1; }\nfloat4 main() : COLOR { return f(1); }",
              "test.cg");
  ASSERT_EQ(compiled.warnings.size(), 1u);
  EXPECT_EQ(
      compiled.warnings[0],
      "test.cg:1:7: warning: 'f' can end without returning a float; it returns 0 in that case\n"
      "  float f(float x) { if (x > 0) return 1; }\n        ^");
}

}  // namespace
}  // namespace raddle::cg
