// Runs a program text on a TPA with changed parameters and gives its memory back.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lang/tpa/assembler.h"
#include "machine/tpa/tpa_machine.h"

namespace raddle::machine::tpa {

using Words = std::vector<Word>;

struct Outcome {
  std::unique_ptr<Program> program;
  TpaRun run;

  Words words(const std::string& symbol) const { return run.memory.words_of(symbol); }
  std::uint64_t cycles() const { return run.result.cycles; }
  std::uint64_t steps() const { return run.memory.processor->steps(); }
  std::string fault() const {
    if (run.result.faults.empty()) return "none";
    const Fault& fault = run.result.faults.front();
    return fault.location + ": " + fault.message;
  }
  double stat(const std::string& component, const std::string& name) const {
    for (const sim::StatValue& value : run.result.stats)
      if (value.component == component && value.name == name) return value.value;
    return -1;
  }
};

struct TpaSetup {
  std::string machine = "tpa";
  std::vector<std::string> assignments;
  raddle::tpa::ParameterValues parameters;
  std::map<std::string, Words> data;
};

inline Outcome run_text(const std::string& text, const TpaSetup& setup = {}) {
  ParameterTable table = load_parameters(setup.machine);
  for (const std::string& assignment : setup.assignments) table.set(assignment);
  Outcome outcome;
  outcome.program =
      std::make_unique<Program>(raddle::tpa::assemble(text, "test.tpa", setup.parameters));
  for (const auto& [name, words] : setup.data) outcome.program->find_symbol(name)->initial = words;
  const TpaMachine machine(table);
  LaunchOptions options;
  options.control = RunControl(Cycle(20'000'000));
  outcome.run = machine.run(*outcome.program, options);
  return outcome;
}

}  // namespace raddle::machine::tpa
