// The semantic check of an e program: what every name means, where every value lives (constant,
// once a flow, once a fiber), and the rules that follow: a value per fiber cannot go into a
// variable of the flow, a flow's variables are read-only in the flows it starts, fiber variables
// belong to one thickness, and so on. Constants are replaced by their numbers.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "lang/e/ast.h"
#include "lang/e/diagnostics.h"

namespace raddle::e {

// Values of parameters given on the command line, by name.
using ParameterValues = std::map<std::string, std::int64_t>;

void check(Program& program, const ParameterValues& values, Diagnostics& diagnostics);

}  // namespace raddle::e
