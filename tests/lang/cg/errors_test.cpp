// The exact words for what is wrong with a program.
#include <gtest/gtest.h>

#include <span>
#include <string>
#include <string_view>

#include "lang/cg/reading.h"

namespace raddle::cg::testing {
namespace {

struct Row {
  std::string_view body;
  std::string_view message;  // its first line, without the place
  std::string_view hint = {};
};

void expect_rows(std::span<const Row> rows) {
  for (const Row& row : rows) {
    const std::string text = body_error(row.body);
    const std::size_t start = text.find("error: ");
    ASSERT_NE(start, std::string::npos) << "of " << row.body << ": " << text;
    EXPECT_EQ(text.substr(start + 7, text.find('\n') - start - 7), row.message) << row.body;
    const std::size_t hint = text.find("\nhint: ");
    EXPECT_EQ(hint == std::string::npos ? "" : text.substr(hint + 7), row.hint) << row.body;
  }
}

TEST(CgErrors, ShowTheLineWithACaret) {
  EXPECT_EQ(body_error("  float3 v = flor(k.xyz);"),
            "test.cg:2:14: error: unknown function 'flor'\n"
            "    float3 v = flor(k.xyz);\n"
            "               ^~~~\n"
            "hint: did you mean 'floor'?");
  EXPECT_EQ(body_error("\tp.x = 1 +;"),
            "test.cg:2:11: error: expected an expression before ';'\n"
            "  \tp.x = 1 +;\n"
            "  \t         ^");
}

TEST(CgErrors, AreReportedTogetherInTheirOrder) {
  EXPECT_EQ(body_error("float a = b;\nfloat c = ;\nfloat d = e;"),
            "test.cg:2:11: error: unknown name 'b'\n  float a = b;\n            ^\n"
            "test.cg:3:11: error: expected an expression before ';'\n  float c = ;\n            ^\n"
            "test.cg:4:11: error: unknown name 'e'\n  float d = e;\n            ^");
}

TEST(CgErrors, OfADeclarationAreNotFollowedByThoseOfItsUses) {
  EXPECT_EQ(body_error("float a = b;\np.x = a + a;"),
            "test.cg:2:11: error: unknown name 'b'\n  float a = b;\n            ^");
  EXPECT_EQ(body_error("float3 a = float2(1, 2);\nfloat c = a.x;\np.x = c;"),
            "test.cg:2:12: error: the variable needs a float3, not a float2\n"
            "  float3 a = float2(1, 2);\n             ^~~~~~");
  EXPECT_EQ(body_error("float a = dot(k, k;\np.x = a;"),
            "test.cg:2:19: error: expected ')' before ';'\n"
            "  float a = dot(k, k;\n                    ^");
  // In another scope it is unknown all the same.
  EXPECT_NE(body_error("{ float a = b; }\np.x = a;").find("unknown name 'a'"), std::string::npos);
}

TEST(CgErrors, OfAStructAreNotFollowedByThoseOfItsUses) {
  const std::string text = error_of(
      "struct v { float4 c };\nfloat4 f(v i) { return i.c; }\n"
      "float4 main(v i : COLOR) : COLOR { v j = v(i.c); return f(j); }");
  EXPECT_NE(text.find("expected ';' before '}'"), std::string::npos) << text;
  EXPECT_EQ(text.find("unknown"), std::string::npos) << text;
}

TEST(CgErrors, OfNames) {
  constexpr Row kRows[] = {
      {"float a = kk;", "unknown name 'kk'"},
      {"frobnicate(1);", "unknown function 'frobnicate'"},
      {"texture2D(A, p.xy);", "unknown function 'texture2D'", "tex2D(sampler, point) in Cg"},
      {"A.Sample(p.xy);", "a sampler2D has no field 'Sample'",
       "tex2D(sampler, point) reads a texel"},
      {"float a = tex3D(A, k.xyz);", "'s' needs a sampler3D, not a sampler2D"},
      {"float a = noise(p);", "'noise' is not supported", "docs/cg.md lists what is supported"},
      {"float a; float a;", "'a' is declared twice", "it is already declared on line 2"},
      {"const float a = 1; a = 2;", "'a' is const and cannot be changed"},
      {"foo v;", "unknown type 'foo'"},
      {"string v;", "the type 'string' is not supported"},
      {"void v;", "a variable cannot be void"},
      {"float v[];", "the array 'v' needs its size"},
      {"float a = 1e39;", "'1e39' is too large for a float"},
      {"float a = 3zz;", "malformed number '3zz'"},
      {"@float a = 1;", "unexpected character '@'"},
      {"break;", "'break' outside of a loop"},
      {"switch (1) {}", "'switch' is not supported", "use if and else"},
      {"else p.x = 1;", "'else' without an 'if' before it"},
  };
  expect_rows(kRows);
}

TEST(CgErrors, OfTypes) {
  constexpr Row kRows[] = {
      {"float3 v = k.xy;", "the variable needs a float3, not a float2"},
      {"float2 v = k.xy + k.xyz;", "'+' does not take a float2 and a float3",
       "swizzle one side to the other's size"},
      {"float4x4 m; float4 v = m * k;", "'*' does not take a float4x4 and a float4",
       "mul(a, b) multiplies matrices and vectors"},
      {"float v = p.z;", "a float2 has no component 'z'"},
      {"float v = k.xg;", "'xg' is not a swizzle", "one to four of xyzw, or of rgba, not mixed"},
      {"p.xx = k.xy;", "the left side names a component twice"},
      {"if (p) {}", "'if' needs a scalar, not a float2", "use any(…) or all(…)"},
      {"p + p = p;", "the left side is not a variable"},
      {"float4 v = texRECT(A, p);", "'texRECT' reads a samplerRECT, not a sampler2D", "use tex2D"},
      {"float4 v = tex2D(A, 1);", "'tex2D' needs a float2 as coordinates, not an int"},
      {"float3 v = cross(p, p);", "'cross' takes float3, not float2"},
      {"float v = dot(p, k);", "'dot' takes vectors of one size, not float2 and float4"},
      {"float v = min(1);", "'min' takes 2 arguments, not 1"},
      {"float4 v = float4(1, 2);", "a float4 takes 4 numbers, not 2"},
      {"float v[2] = {1, 2, 3};", "a float[2] takes 2 values, not 3"},
      {"float v = k[4];", "index 4 is outside the 4 elements of float4"},
      {"float a[3]; float v = a[p.x > 1 ? p : p];", "an index must be a scalar, not a float2"},
      {"int v = (int)p.x & 2;", "'&' is not supported",
       "r5xx has no operations on bits: it computes with floats only"},
      {"int v = 1; v <<= 2;", "'<<=' is not supported",
       "r5xx has no operations on bits: it computes with floats only"},
      {"int v = ~1;", "'~' is not supported",
       "r5xx has no operations on bits: it computes with floats only"},
      {"float v = (p > 1) ? k : k;",
       "a condition of type bool2 cannot choose between values of type float4"},
      {"float v = smoothstep(k, p, p);", "no 'smoothstep' takes (float4, float2, float2)"},
      {"float a[k.x];", "the size of an array must be a constant integer"},
      {"float a[2000];", "an array has 1 to 1024 elements, not 2000"},
      {"float a[2][2][2];", "an array has two dimensions at most"},
  };
  expect_rows(kRows);
}

TEST(CgErrors, OfFunctionsAndStructs) {
  EXPECT_EQ(
      error_of(
          "void f(out float2 x) { x = 1; }\nfloat4 main() : COLOR { float3 v; f(v.x); return 0; }"),
      "test.cg:2:39: error: the argument for 'x' is written by 'f' and must be a float2, not a "
      "float\n"
      "  float4 main() : COLOR { float3 v; f(v.x); return 0; }\n"
      "                                        ^");
  EXPECT_EQ(error_of("struct s { float a; };\nfloat4 main() : COLOR { s v; return v.b; }"),
            "test.cg:2:39: error: struct s has no field 'b'\n"
            "  float4 main() : COLOR { s v; return v.b; }\n"
            "                                        ^");
}

TEST(CgErrors, OfWhatTheShaderHasToDoWithTheOutside) {
  EXPECT_EQ(error_of("float4 main(float2 p : NORMAL) : COLOR { return p.x; }"),
            "test.cg:1:20: error: the input 'p' cannot be NORMAL\n"
            "  float4 main(float2 p : NORMAL) : COLOR { return p.x; }\n"
            "                     ^\n"
            "hint: inputs are TEXCOORDn, COLORn, POSITION and WPOS");
  EXPECT_EQ(error_of("float4 main(float2 p : TEXCOORD0, uniform sampler2D a[2]) : COLOR { return "
                     "tex2D(a[(int)p.x], p); }"),
            "test.cg:1:83: error: which sampler this is must be known at compile time\n"
            "  float4 main(float2 p : TEXCOORD0, uniform sampler2D a[2]) : COLOR { return "
            "tex2D(a[(int)p.x], p); }\n" +
                std::string(84, ' ') + "^");
  EXPECT_EQ(error_of("float4 main() { return 0; }"),
            "test.cg:1:8: error: the result has no semantic\n"
            "  float4 main() { return 0; }\n"
            "         ^~~~\n"
            "hint: give it COLOR, COLOR0 to COLOR3, or DEPTH");
  const auto first_line = [](const char* text) {
    const std::string error = error_of(text);
    return error.substr(0, error.find('\n'));
  };
  EXPECT_EQ(first_line("float4 main() : COLOR7 { return 0; }"),
            "test.cg:1:8: error: only 4 outputs exist, and COLOR7 is not one of them");
  EXPECT_EQ(first_line("float4 main() : NORMAL { return 0; }"),
            "test.cg:1:8: error: the result cannot be NORMAL");
  EXPECT_EQ(first_line("float4 main() : DEPTH { return 0; }"),
            "test.cg:1:8: error: the depth is a float, 'the result' is a float4");
  EXPECT_EQ(first_line("float main(out float d : DEPTH) : DEPTH { d = 1; return 0; }"),
            "test.cg:1:7: error: two outputs have semantic DEPTH");
  EXPECT_EQ(first_line("float4 main(uniform sampler2D a : TEXUNIT16) : COLOR { return 0; }"),
            "test.cg:1:31: error: 'a' exceeds the limit of 16 samplers");
  EXPECT_EQ(first_line("float4 main(uniform float4 a[300]) : COLOR { return 0; }"),
            "test.cg:1:28: error: 'a' does not fit into the 256 constant registers");
  EXPECT_EQ(
      first_line("float4 main(uniform float4 a : C3, uniform float4 b : C3) : COLOR { return 0; }"),
      "test.cg:1:51: error: 'b' asks for register c3, which another uniform uses");
  EXPECT_EQ(error_of("float4 f() : COLOR { return 0; }\nfloat4 g() : COLOR { return 0; }"),
            "test.cg: the function to run is ambiguous\n"
            "hint: name it main, or choose it with --cc '-entry NAME'");
  EXPECT_EQ(first_line("void main() {}"), "test.cg:1:6: error: 'main' writes no output");
}

TEST(CgErrors, OfCallsThatCannotBeSayWhy) {
  EXPECT_EQ(
      error_of("float f(float x) { return f(x - 1); }\nfloat4 main() : COLOR { return f(1); }"),
      "test.cg:1:27: error: 'f' calls itself, which is not supported\n"
      "  float f(float x) { return f(x - 1); }\n"
      "                            ^\n"
      "hint: functions are inlined; write a loop");
  EXPECT_EQ(error_of("float f(float x);\nfloat4 main() : COLOR { return f(1); }"),
            "test.cg:1:7: error: 'f' is called, but has no body\n"
            "  float f(float x);\n"
            "        ^");
  EXPECT_EQ(error_of("float f(float x);\nfloat g(float x) { return f(x); }\n"
                     "float f(float x) { return g(x); }\nfloat4 main() : COLOR { return f(1); }"),
            "test.cg:3:7: error: 'f' calls itself, which is not supported\n"
            "  float f(float x) { return g(x); }\n"
            "        ^\n"
            "hint: functions are inlined; write a loop");
  EXPECT_EQ(error_of("struct s : shape { float a; };\nfloat4 main() : COLOR { return 0; }"),
            "test.cg:1:12: error: interfaces are not supported\n"
            "  struct s : shape { float a; };\n"
            "             ^~~~~\n"
            "hint: call the functions of the struct itself");
}

TEST(CgErrors, OfTexturesSayWhichCoordinatesTheyNeed) {
  constexpr Row kRows[] = {
      {"float4 v = tex2D(A, 1);", "'tex2D' needs a float2 as coordinates, not an int"},
      {"float4 v = tex2Dproj(A, p);",
       "'tex2Dproj' needs a float3 or float4 as coordinates, not a float2"},
      {"float4 v = tex2Dlod(A, p);", "'tex2Dlod' needs a float4 as coordinates, not a float2"},
      {"float4 v = tex2D(A, p, p);", "'tex2D' needs an int2 as offset, not a float2"},
      {"float4 v = tex2Dsize(A, 0, 1).xyxy;", "'tex2Dsize' takes 1 to 2 arguments, not 3"},
      {"float4 v = tex2D(A, p, 1, p);", "'tex2D' needs a float2 as derivative, not an int"},
      {"float4 v = texRECTproj(A, k);", "'texRECTproj' reads a samplerRECT, not a sampler2D",
       "use tex2Dproj"},
  };
  expect_rows(kRows);
}

TEST(CgErrors, OfTextThatIsNestedTooDeeplyAreNoCrash) {
  EXPECT_NE(body_error("float a = " + std::string(10000, '(')).find("nested too deeply"),
            std::string::npos);
  EXPECT_NE(body_error(std::string(10000, '{')).find("nested too deeply"), std::string::npos);
}

}  // namespace
}  // namespace raddle::cg::testing
