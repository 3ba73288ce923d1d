#include "lang/cg/reading.h"

#include "base/error.h"
#include "lang/cg/compiler.h"
#include "lang/cg/syntax/program_reader.h"

namespace raddle::cg::testing {

std::string error_of(std::string_view text) {
  try {
    compile(text, "test.cg");
  } catch (const Error& error) {
    return error.full_text();
  }
  return {};
}

std::string body_error(std::string_view body) {
  return error_of(
      "float4 main(float2 p : TEXCOORD0, uniform sampler2D A, uniform float4 k) : COLOR {\n" +
      std::string(body) + "\nreturn 0; }");
}

Texel evaluate(std::string_view text, float x, float y) {
  const CheckedProgram checked = read_program(text, "test.cg");
  const Interface interface = find_interface(checked.program, checked.entry, "test.cg");
  Evaluator evaluator(checked.program, interface, [](unsigned unit, float s, float t) {
    return Texel{s, t, static_cast<float>(unit), 1};
  });
  return evaluator.run(x, y).outputs[0];
}

Texel value_of(std::string_view expression, float x, float y) {
  return evaluate(
      "float4 main(float2 p : TEXCOORD0) : COLOR { return " + std::string(expression) + "; }", x,
      y);
}

}  // namespace raddle::cg::testing
