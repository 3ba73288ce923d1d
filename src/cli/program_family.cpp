#include "cli/program_family.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "cli/ddm_runner.h"
#include "cli/overlay_runner.h"
#include "cli/tpa_runner.h"

namespace raddle::cli {

std::span<const ProgramFamily> program_families() {
  static const std::vector<ProgramFamily> families = {tpa_family(), overlay_family(), ddm_family()};
  return families;
}

const ProgramFamily* family_of(std::string_view path) {
  for (const ProgramFamily& family : program_families()) {
    for (const std::string& ending : family.endings)
      if (path.ends_with(ending)) return &family;
  }
  return nullptr;
}

std::string default_machine(const std::string& program) {
  std::string reference = experiment::RunSettings().machine;
  try {
    const FoundProgram found = find_program(program);
    return found.family == nullptr ? reference : found.family->default_machine;
  } catch (const Error&) {
    return reference;  // whoever runs it says what is wrong
  }
}

void check_runs_on(const ProgramFamily& family, const std::string& path,
                   const machine::ParameterTable& parameters) {
  if (parameters.machine() == family.implementation ||
      std::ranges::count(family.further_implementations, parameters.machine()) != 0) {
    return;
  }
  throw Error(fmt::format("machine '{}' does not run programs ending in {}", parameters.name(),
                          fmt::join(family.endings, ", ")),
              path, fmt::format("choose {} with -m", family.machines));
}

}  // namespace raddle::cli
