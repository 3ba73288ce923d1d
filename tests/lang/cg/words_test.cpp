// What the compiler makes of small programs, word by word.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/error.h"
#include "lang/cg/compiler.h"
#include "lang/ctm/disassembler.h"
#include "machine/overlay/configuration.h"

namespace raddle::cg {
namespace {

using machine::overlay::InstructionType;
using machine::overlay::Shader;
using ::testing::HasSubstr;
using ::testing::Not;

std::string program_of(std::string_view body) {
  return "float4 main(float2 p : TEXCOORD0, uniform sampler2D A, uniform sampler2D B, uniform "
         "float4 k, uniform float s) "
         ": COLOR {\n" +
         std::string(body) + "\n}";
}

Shader shader_of(std::string_view body, const Options& options = {}) {
  return compile(program_of(body), "test.cg", options).shader;
}

// The code without its directives, words and halves one a line.
std::string words_of(std::string_view body, const Options& options = {}) {
  const std::string text = ctm::disassemble(shader_of(body, options));
  const std::size_t start = text.find("main:\n");
  return text.substr(start + 6);
}

std::size_t count(const Shader& shader, InstructionType type) {
  return static_cast<std::size_t>(
      std::ranges::count_if(shader.code, [&](const auto& word) { return word.type == type; }));
}

Options with(int level, bool strict, bool fused) {
  Options options;
  options.level = level;
  options.strict = strict;
  options.fused_mad = fused;
  return options;
}

TEST(CgWords, AreThoseOfThePaperForItsExample) {
  EXPECT_EQ(words_of("float4 one = {1, 1, 1, 1}; return tex2D(B, p) * tex2D(A, p) + one;"),
            "    TEX r1 r0.rg s1\n    TEX r0 r0.rg s0\n    MAD o0 r1 r0 1\n    mad o0 r1 r0 1\n    "
            "END\n");
}

TEST(CgWords, MakeOneOfAProductAndASum) {
  EXPECT_EQ(shader_of("return tex2D(A, p) * k + s;").code.size(), 2u);
  EXPECT_EQ(shader_of("return tex2D(A, p) * k + s;", with(1, true, false)).code.size(), 2u);
  // Rounded once, it would not be the same: then strictly it is two.
  EXPECT_EQ(shader_of("return tex2D(A, p) * k + s;", with(1, true, true)).code.size(), 3u);
  EXPECT_EQ(shader_of("return tex2D(A, p) * k + s;", with(1, false, true)).code.size(), 2u);
}

TEST(CgWords, TakeModifiersClampAndFactorsIntoTheOperation) {
  EXPECT_THAT(words_of("return saturate(-abs(tex2D(A, p)) * k);"),
              HasSubstr("MAD_sat o0 -|r0| c0 -0"));
  EXPECT_THAT(words_of("return (tex2D(A, p) + k) * 4;"), HasSubstr("MAD_x4 o0"));
  EXPECT_THAT(words_of("return (tex2D(A, p) + k) / 2;"), HasSubstr("MAD_d2 o0"));
}

TEST(CgWords, TakeSumsAndDifferencesIntoAnOperand) {
  EXPECT_EQ(shader_of("return lerp(tex2D(A, p), tex2D(B, p), s);").code.size(), 3u);
  EXPECT_THAT(words_of("return k * (1 - tex2D(A, p));"), HasSubstr("(1-r0)"));
  EXPECT_EQ(shader_of("return tex2D(A, p) > tex2D(B, p) ? k : -k;").code.size(), 3u);
}

TEST(CgWords, HoldAVectorAndAScalarOperation) {
  const Shader shader =
      shader_of("float4 t = tex2D(A, p); return float4(t.xyz * k.xyz, rcp(t.w));");
  ASSERT_EQ(shader.code.size(), 2u);
  EXPECT_EQ(shader.code[1].scalar.op, machine::overlay::ScalarOp::kRcp);
  EXPECT_EQ(shader.code[1].vector.op, machine::overlay::VectorOp::kMad);
}

TEST(CgWords, ComputeEqualValuesOnceAndDropTheUnused) {
  EXPECT_EQ(count(shader_of("float4 unused = tex2D(B, p) * k; return tex2D(A, p) + tex2D(A, p);"),
                  InstructionType::kTex),
            1u);
  EXPECT_EQ(shader_of("float a = dot(k, k); float b = dot(k, k); return a + b;").code.size(), 2u);
}

TEST(CgWords, ReadOnlyTheChannelsThatAreUsed) {
  EXPECT_THAT(words_of("return tex2D(A, p).zzzz * s;"), HasSubstr("TEX r0.a r0.rg s0.rgbb"));
}

TEST(CgWords, UnrollShortLoopsAndTurnLongOnes) {
  const Shader unrolled =
      shader_of("float4 sum = 0; for (int i = 0; i < 5; i++) sum += tex2D(A, p + i); return sum;");
  EXPECT_EQ(count(unrolled, InstructionType::kFlow), 0u);
  EXPECT_EQ(count(unrolled, InstructionType::kTex), 5u);
  const Shader turned = shader_of(
      "float4 sum = 0; for (int i = 0; i < 200; i++) sum += tex2D(A, p + i); return sum;");
  EXPECT_EQ(count(turned, InstructionType::kFlow), 2u);
  EXPECT_EQ(count(turned, InstructionType::kTex), 1u);
  ASSERT_EQ(turned.loops.size(), 1u);
  EXPECT_EQ(turned.loops[0].count, 200);
  EXPECT_EQ(
      count(shader_of(
                "float4 sum = 0; for (int i = 0; i < 2; i++) sum += tex2D(A, p + i); return sum;",
                with(0, false, false)),
            InstructionType::kTex),
      1u);
}

TEST(CgWords, MoveWhatDoesNotChangeBeforeTheLoop) {
  const std::string words = words_of(
      "float4 sum = 0; for (int i = 0; i < 200; i++) sum += tex2D(A, p + i) * sin(k.x); return "
      "sum;");
  EXPECT_LT(words.find("sin"), words.find("LOOP"));
}

TEST(CgWords, SelectOrPredicateShortBranchesAndJumpOverLongOnes) {
  const std::string selected = words_of("float4 t = tex2D(A, p); if (t.x > s) t = k; return t;");
  EXPECT_THAT(selected, HasSubstr("CMP"));
  EXPECT_THAT(selected, Not(HasSubstr("IF")));
  const std::string predicated = words_of(
      "float a = p.x, b = p.y, c = 1; if (a > s) { a += 1; b *= 3; c = 2; } return float4(a, b, c, "
      "1);");
  EXPECT_THAT(predicated, HasSubstr("pred>=0"));
  EXPECT_THAT(predicated, HasSubstr("(!p.a)"));
  EXPECT_THAT(predicated, Not(HasSubstr("IF")));
  const std::string jumped =
      words_of("float4 t = k; if (p.x > s) { t = sin(tex2D(A, p)) * exp2(t) + cos(t); } return t;");
  EXPECT_THAT(jumped, HasSubstr("IF"));
  EXPECT_THAT(jumped, HasSubstr("ENDIF"));
}

TEST(CgWords, DescribeWhatTheHostGives) {
  const Shader shader = compile(R"(#pragma raddle image=random:4x4 domain=4x4
    uniform float4 lights[3]; uniform float2 size : C7 = {4, 2};
    struct r { float4 c : COLOR1; };
    r main(float2 p : TEXCOORD0, uniform sampler2D image : TEXUNIT3) {
      r o; o.c = tex2D(image, p * size) + lights[2] * 3.5; return o; })",
                                "test.cg")
                            .shader;
  EXPECT_EQ(shader.name, "main");
  EXPECT_EQ(shader.defaults, (std::vector<std::string>{"image=random:4x4", "domain=4x4"}));
  ASSERT_EQ(shader.constant_names.size(), 2u);
  EXPECT_EQ(shader.constant_names[0].name, "size");
  EXPECT_EQ(shader.constant_names[0].number, 7);
  EXPECT_EQ(shader.constant_names[1].name, "lights");
  EXPECT_EQ(shader.constant_names[1].number, 0);
  EXPECT_EQ(shader.constant_names[1].count, 3);
  ASSERT_EQ(shader.sampler_names.size(), 1u);
  EXPECT_EQ(shader.sampler_names[0].number, 3);
  ASSERT_EQ(shader.output_names.size(), 1u);
  EXPECT_EQ(shader.output_names[0].name, "c");
  EXPECT_EQ(shader.output_names[0].number, 1);
  bool has_literal = false;
  for (const auto& constant : shader.constants)
    has_literal = has_literal || (constant.number == 8 && constant.value[0] == 3.5F);
  EXPECT_TRUE(has_literal);
}

std::string refusal(const std::string& text) {
  try {
    compile(text, "test.cg");
  } catch (const Error& error) {
    return error.full_text();
  }
  return {};
}

TEST(CgWords, AreRefusedWhereTheProcessorIsTooSmall) {
  std::string long_body = "float4 t = k;\n";
  for (int i = 0; i < 200; ++i)
    long_body += "t = sin(t) * tex2D(A, t.xy + " + std::to_string(i) + ");\n";
  EXPECT_THAT(
      refusal(program_of(long_body + "return t;")),
      ::testing::MatchesRegex("test.cg:1:8: error: the program has [0-9]+ instructions, the "
                              "processor holds 512\n  float4 main\\(.*\n *\\^~~~\nhint: most "
                              "come from lines [0-9]+ \\([0-9]+\\), [0-9]+ \\([0-9]+\\) and "
                              "[0-9]+ \\([0-9]+\\); split it into two passes"));
  std::string wide = "float4 t = 0;\n";
  for (int i = 0; i < 1100; ++i)
    wide += "t += tex2D(A, p + t.xy) * " + std::to_string(i) + ".37;\n";
  EXPECT_THAT(refusal(program_of(wide + "return t;")),
              HasSubstr("the program needs more than 256 constant registers"));
  std::string nested = "float t = 0;\n";
  for (int i = 0; i < 40; ++i)
    nested += "if (p.x > " + std::to_string(i) + ") { t += tex2D(A, p + t).x;\n";
  EXPECT_THAT(refusal(program_of(nested + std::string(40, '}') + "return t;")),
              HasSubstr("error: branches are nested more than 32 deep\n  if (p.x > 32) "));
}

TEST(CgWords, DivideCoordinatesInTheTexItself) {
  EXPECT_EQ(words_of("return tex2Dproj(A, float3(p, s)) + tex2Dproj(B, tex2D(B, p));"),
            words_of("return tex2Dproj(A, float3(p, s)) + tex2Dproj(B, tex2D(B, p).xyzw);"));
  EXPECT_THAT(words_of("return tex2Dproj(A, tex2D(B, p));"), HasSubstr("TXP r0 r0.rgrb s0\n"));
  // Levels are not there, so nothing is computed for them.
  EXPECT_EQ(words_of("return tex2Dlod(A, float4(p, 0, log2(s)));"),
            words_of("return tex2D(A, p);"));
  EXPECT_EQ(words_of("return tex2D(A, p, k.xy * s, k.zw);"), words_of("return tex2D(A, p);"));
}

TEST(CgWords, WriteTheDepthFromTheScalarHalf) {
  const Shader shader =
      compile(
          "float4 main(float2 p : TEXCOORD0, out float z : DEPTH) : COLOR { z = p.x * 0.5; "
          "return p.xyxy; }",
          "test.cg")
          .shader;
  EXPECT_EQ(outputs_written(shader), 0b10001U);
  EXPECT_THAT(ctm::disassemble(shader), HasSubstr(".name depth z\n"));
  EXPECT_THAT(ctm::disassemble(shader), HasSubstr(" depth\n"));
}

TEST(CgWords, WarnOfVectorsThatAreCut) {
  const CompiledShader compiled =
      compile("float4 main(uniform float4 k) : COLOR { float2 v = k; return v.xyxy; }", "test.cg");
  ASSERT_EQ(compiled.warnings.size(), 1u);
  EXPECT_EQ(compiled.warnings[0],
            "test.cg:1:52: warning: float4 is truncated to float2 here\n"
            "  float4 main(uniform float4 k) : COLOR { float2 v = k; return v.xyxy; }\n"
            "                                                     ^\n"
            "hint: write the swizzle to make the truncation explicit");
}

}  // namespace
}  // namespace raddle::cg
