// Runs programs of thick control flow processors: TPA assembly and its binaries.
#pragma once

#include <string>

#include "cli/program_family.h"
#include "machine/tpa/program.h"

namespace raddle::cli {

ProgramFamily tpa_family();

// One NAME=VALUE for each of a program's arguments. Throws Error.
struct NamedValue {
  std::string name;
  std::string value;
};
std::vector<NamedValue> named_values(const std::vector<std::string>& arguments);

}  // namespace raddle::cli
