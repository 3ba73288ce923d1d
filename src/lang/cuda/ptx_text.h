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

// Functions of the device as translation units see each other's, and what they need of others.
struct DeviceSymbols {
  std::vector<std::string> functions;
  std::vector<std::string> weak_functions;  // templates and inline functions: many may define one
  std::vector<std::string> wanted_functions;
  std::vector<std::string> wanted_variables;
};
DeviceSymbols device_symbols(std::string_view ptx);

// Names of the global and constant variables that other translation units can refer to.
std::vector<std::string> shared_variables(std::string_view ptx);

}  // namespace raddle::cuda
