// Helpers of the Cg tests: what a program evaluates to, and what is said of a wrong one.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "lang/cg/evaluate/evaluator.h"

namespace raddle::cg::testing {

// The error's full text, or nothing.
std::string error_of(std::string_view text);
// The error of `float4 main(…) : COLOR { BODY return 0; }`, which has the body in its second line.
std::string body_error(std::string_view body);
// What main() makes of one point; sampler unit u gives (x, y, u, 1) at (x, y).
Texel evaluate(std::string_view text, float x = 0, float y = 0);
// The value of one expression of type float4.
Texel value_of(std::string_view expression, float x = 0, float y = 0);

}  // namespace raddle::cg::testing
