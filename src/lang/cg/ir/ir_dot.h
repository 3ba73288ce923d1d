// A shader as a DOT drawing: a box for each value with what computes it and its source line, an
// edge from each value that it reads, and a frame around each branch and loop.
#pragma once

#include <functional>
#include <string>

#include "lang/cg/ir/ir.h"

namespace raddle::cg {

std::string print_dot(const IrProgram& program, const std::string& name,
                      const std::function<std::uint32_t(Place)>& line_of);

}  // namespace raddle::cg
