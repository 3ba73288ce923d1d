// Machines that execute programs of their own instead of kernels, such as the TPA with its
// assembly. They have tables in machines/ like all others, but no Machine: whoever asks for one is
// told which programs they run.
#pragma once

#include <string>
#include <string_view>

#include "machine/parameters.h"

namespace raddle::machine {

struct ProgramMachine {
  std::string implementation;  // as `machine = "…"` of the tables has it
  std::string programs;        // "programs ending in .e and .tpa"
  // Throws Error for values out of range.
  void (*check)(const ParameterTable&) = nullptr;
};

// One static object beside the machine.
class ProgramMachineRegistration {
 public:
  explicit ProgramMachineRegistration(ProgramMachine machine);
};

// Null: there is none of that name.
const ProgramMachine* find_program_machine(std::string_view implementation);

}  // namespace raddle::machine
