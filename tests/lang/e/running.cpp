#include "running.h"

#include "lang/tpa/assembler.h"
#include "machine/parameters.h"

namespace raddle::e::test {

machine::tpa::Program code_of(const CompiledProgram& program) {
  machine::tpa::Program code = raddle::tpa::assemble(program.assembly, "program.tpa");
  for (std::size_t i = 0; i < program.initial.size(); ++i) {
    machine::tpa::Symbol* symbol = code.find_symbol(program.symbol_of(i));
    symbol->initial.assign(program.initial[i].begin(), program.initial[i].end());
  }
  return code;
}

MachineRun run_on_machine(const CompiledProgram& program, const std::string& machine,
                          const std::vector<std::string>& assignments) {
  return run_code(program, code_of(program), machine, assignments);
}

MachineRun run_code(const CompiledProgram& program, const machine::tpa::Program& code,
                    const std::string& machine, const std::vector<std::string>& assignments) {
  machine::ParameterTable table = machine::load_parameters(machine);
  for (const std::string& assignment : assignments) table.set(assignment);
  const machine::tpa::TpaMachine tpa(table);
  machine::tpa::TpaRun done = tpa.run(code, {});
  MachineRun run;
  for (std::size_t i = 0; i < program.initial.size(); ++i) {
    const std::vector<machine::tpa::Word> words = done.memory.words_of(program.symbol_of(i));
    run.memory.emplace_back(words.begin(), words.end());
  }
  for (const machine::Fault& fault : done.result.faults) run.faults += fault.message + "\n";
  for (const machine::Fault& fault : done.result.faults) run.fault_places.push_back(fault.location);
  run.result = std::move(done.result);
  return run;
}

}  // namespace raddle::e::test
