// Random Cg programs that end: expressions of all types, branches and loops whose points part ways,
// also inside functions, early returns, breaks and continues, out parameters, arrays and texels.
#pragma once

#include <cstdint>
#include <string>

#include "lang/cg/running.h"

namespace raddle::cg::testing {

std::string random_program(std::uint32_t seed);
// Values for the uniforms that every random program has.
Uniforms random_uniforms(std::uint32_t seed);

}  // namespace raddle::cg::testing
