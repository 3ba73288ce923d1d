// Runs compiled e programs on the TPA machine.
#pragma once

#include <string>
#include <vector>

#include "lang/e/e_program.h"
#include "machine/tpa/tpa_machine.h"

namespace raddle::e::test {

struct MachineRun {
  machine::LaunchResult result;
  SharedData memory;   // of program.shared, in that order
  std::string faults;  // empty: it ran to its end
  std::vector<std::string> fault_places;
};

// The code with the first contents of its arrays.
machine::tpa::Program code_of(const CompiledProgram& program);
MachineRun run_code(const CompiledProgram& program, const machine::tpa::Program& code,
                    const std::string& machine, const std::vector<std::string>& assignments = {});

// `assignments` are those of --set.
MachineRun run_on_machine(const CompiledProgram& program, const std::string& machine = "tpa",
                          const std::vector<std::string>& assignments = {});

}  // namespace raddle::e::test
