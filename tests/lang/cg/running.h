// Compiled programs against the evaluator: the same program, compiled, on the processor without
// time, must give the same bits.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lang/cg/compiler.h"
#include "lang/cg/evaluate/evaluator.h"

namespace raddle::cg::testing {

// What a buffer holds at a texel; coordinates are taken to whole texels within 8 x 8.
Texel texel_of(unsigned unit, float x, float y);

using Uniforms = std::map<std::string, std::vector<float>>;

inline constexpr unsigned kDomainWidth = 8;
inline constexpr unsigned kDomainHeight = 6;

// All outputs of all points in the order target, y, x.
std::vector<Texel> run_compiled(const CompiledShader& compiled, const Uniforms& uniforms = {});
std::vector<Texel> run_evaluated(std::string_view text, const Options& options,
                                 const Uniforms& uniforms = {}, FloatRules rules = {});

// Empty where the program gives the same bits evaluated, compiled without and with improvements;
// else the first difference. NaNs are all alike.
std::string difference(std::string_view text, const Uniforms& uniforms = {});

// Empty where what the program draws compiled is what the interpreter draws with IEEE arithmetic
// and C's functions, within the tolerance, which is relative beyond 1.
std::string picture_difference(std::string_view text, const Uniforms& uniforms = {},
                               float tolerance = 2e-4F);

}  // namespace raddle::cg::testing
