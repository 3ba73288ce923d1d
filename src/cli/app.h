// The command line: which commands there are, their options and help, and what becomes of faults.
// Errors of the user are printed as "raddle: what" with a hint and give 1, usage faults 2, faults
// of Raddle itself 70.
#pragma once

#include <string>
#include <vector>

namespace raddle::cli {

// `arguments` begins with the program's name; called by the alias of a tool, such as
// `nvcc`, it is that tool.
int run_app(const std::vector<std::string>& arguments);

}  // namespace raddle::cli
