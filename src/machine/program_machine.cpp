#include "machine/program_machine.h"

#include <map>
#include <utility>

#include "base/error.h"

namespace raddle::machine {
namespace {

// Written only while static objects are made, before there is a second thread.
std::map<std::string, ProgramMachine, std::less<>>& known_machines() {
  static std::map<std::string, ProgramMachine, std::less<>> known;
  return known;
}

}  // namespace

ProgramMachineRegistration::ProgramMachineRegistration(ProgramMachine machine) {
  std::string name = machine.implementation;
  const bool is_new = known_machines().emplace(std::move(name), std::move(machine)).second;
  RADDLE_ASSERT(is_new);
}

const ProgramMachine* find_program_machine(std::string_view implementation) {
  const auto found = known_machines().find(implementation);
  return found == known_machines().end() ? nullptr : &found->second;
}

}  // namespace raddle::machine
