// A kernel without calls, for machines that have no return addresses (the grids of fabrics, flows):
// what is called becomes part of the kernel, once for each call. Arguments and results are
// registers then. What is left of calls are those of the device library (printf, malloc, free,
// assert), as one operation each, with arguments and result in registers.
#pragma once

#include <string_view>

#include "kernel/program.h"

namespace raddle::kernel {

// A call through a pointer becomes a choice among the functions whose address is taken and whose
// signature fits. `target`: what messages call the machine, "a fabric". Throws Error that names the
// function and the line for recursion, for what is not defined, and where the kernel would become
// too large.
Function inline_calls(const Program& program, FunctionRef kernel, std::string_view target);

}  // namespace raddle::kernel
