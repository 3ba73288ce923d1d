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

// The text with its symbols as the host's half registers them: without the suffix that clang gives
// to what is private to a file. A file that is not relocatable has its own copy of every inline
// variable and every variable template, so they are not weak.
std::string with_registered_names(std::string_view ptx, bool relocatable);

// Functions of the device as translation units see each other's, and what they need of others.
struct DeviceSymbols {
  std::vector<std::string> functions;
  std::vector<std::string> weak_functions;  // templates and inline functions: many may define one
  std::vector<std::string> wanted_functions;
  std::vector<std::string> wanted_variables;
};
DeviceSymbols device_symbols(std::string_view ptx);

// Names of the global and constant variables that other translation units can refer to.
struct SharedVariables {
  std::vector<std::string> variables;
  std::vector<std::string> weak_variables;  // many may define one
};
SharedVariables shared_variables(std::string_view ptx);

}  // namespace raddle::cuda
