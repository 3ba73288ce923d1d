// Small changes to and questions about PTX text as clang writes it, before it goes into the
// executable.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace raddle::cuda {

bool has_kernel(std::string_view ptx);

// `.maxnreg N` on every kernel that does not say so itself: what nvcc's -maxrregcount asks for.
std::string limit_registers(std::string_view ptx, int max_registers);

// Names of the global and constant variables that other translation units can refer to.
std::vector<std::string> shared_variables(std::string_view ptx);

}  // namespace raddle::cuda
