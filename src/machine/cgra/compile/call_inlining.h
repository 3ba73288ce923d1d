// A kernel without calls: a grid has no return addresses, so what is called becomes part of the
// kernel, once for each call, before pieces are formed. Arguments and results are registers then.
// What is left of calls are those of the device library (printf, malloc, free, assert), as one
// operation each, with arguments and result in registers.
#pragma once

#include "kernel/program.h"

namespace raddle::machine::cgra {

// A call through a pointer becomes a choice among the functions whose address is taken and whose
// signature fits. Throws Error that names the function and the line for recursion, for what is not
// defined, and where the kernel would become too large.
kernel::Function inline_calls(const kernel::Program& program, kernel::FunctionRef kernel);

}  // namespace raddle::machine::cgra
