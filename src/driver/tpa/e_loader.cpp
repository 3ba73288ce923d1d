#include "driver/tpa/e_loader.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <span>

#include "base/error.h"
#include "lang/e/e_program.h"
#include "lang/e/interpreter.h"
#include "lang/tpa/assembler.h"

namespace raddle::driver::tpa {
namespace {

using machine::tpa::Word;

e::CompileOptions options_for(const machine::tpa::TpaParameters& parameters) {
  e::CompileOptions options;
  options.backends = parameters.backends_of_frontend();
  options.flows = std::int64_t{parameters.front.flows} * parameters.front.count;
  options.step_cache_lines = std::min(parameters.step_cache_lines, parameters.scratchpad_entries);
  const auto cycles = [](Cycle cycle) { return static_cast<std::int64_t>(cycle.count()); };
  options.memory_segment = cycles(parameters.back.memory_segment);
  options.pipeline_stages = cycles(parameters.back.stages_before + parameters.back.stages_after);
  options.frontend_write_latency = cycles(parameters.front.shared_write_cycles);
  options.multioperations = parameters.multioperations;
  options.all_techniques = parameters.optimised;
  options.memory_bytes = static_cast<std::int64_t>(parameters.memory_bytes.count());
  options.interleaved = parameters.back.interleaved;
  return options;
}

// The words of each array up to the last that is not 0.
e::SharedData memory_of(const e::CompiledProgram& compiled,
                        const machine::tpa::FinalMemory& memory) {
  e::SharedData data;
  for (std::size_t i = 0; i < compiled.initial.size(); ++i) {
    std::span<const Word> words = memory.view_of(compiled.symbol_of(i));
    while (!words.empty() && words.back() == 0) words = words.first(words.size() - 1);
    data.emplace_back(words.begin(), words.end());
  }
  return data;
}

// What differs from the synchronous semantics; empty: nothing.
std::string difference_to_interpreter(const e::CompiledProgram& compiled,
                                      const e::SharedData& found) {
  e::SharedData expected = compiled.initial;
  e::interpret(compiled.program, expected);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    for (std::size_t k = 0; k < expected[i].size(); ++k) {
      const std::int64_t held = k < found[i].size() ? found[i][k] : 0;
      if (expected[i][k] == held) continue;
      const e::Symbol& symbol = *compiled.program.shared[i];
      return fmt::format("raddle: {}: {}[{}] is {}, the interpreter has {}\n",
                         compiled.program.file_name, symbol.name, k,
                         e::number_text(symbol.type, held),
                         e::number_text(symbol.type, expected[i][k]));
    }
  }
  return {};
}

Finished finish_run(const e::CompiledProgram& compiled, const machine::tpa::FinalMemory& memory,
                    const FinishOptions& options) {
  Finished finished;
  const bool is_read =
      options.check || !compiled.program.checks.empty() || !compiled.program.outputs.empty();
  if (!is_read) return finished;
  const e::SharedData final = memory_of(compiled, memory);
  try {
    if (options.check) finished.wrong = difference_to_interpreter(compiled, final);
    e::finish(compiled, final, options.output_folder, &finished.printed);
  } catch (const Error& error) {
    finished.wrong += "raddle: " + error.full_text() + "\n";
  }
  return finished;
}

}  // namespace

LoadedTpaProgram load_e_program(const std::string& path, const std::vector<std::string>& arguments,
                                const machine::tpa::TpaParameters& parameters) {
  e::CompileOptions options = options_for(parameters);
  e::Arguments parsed = e::parse_arguments(arguments, options);
  const auto compiled =
      std::make_shared<const e::CompiledProgram>(e::compile_file(path, parsed, options));
  LoadedTpaProgram loaded;
  loaded.program = raddle::tpa::assemble(compiled->assembly, path);
  // A result names its program, not where it lay.
  for (std::string& file : loaded.program.files) {
    file = std::filesystem::path(file).filename().string();
  }
  for (std::size_t i = 0; i < compiled->initial.size(); ++i) {
    const std::vector<std::int64_t>& words = compiled->initial[i];
    loaded.program.find_symbol(compiled->symbol_of(i))->initial.assign(words.begin(), words.end());
    loaded.forms[compiled->symbol_of(i)] = e::form_of(compiled->program.shared[i]->type);
  }
  for (const std::string& note : compiled->notes) loaded.notes += note + "\n";
  loaded.warnings = compiled->warnings;
  loaded.assembly = [compiled] { return e::whole_assembly(*compiled); };
  loaded.finish = [compiled](const machine::tpa::FinalMemory& memory,
                             const FinishOptions& finish_options) {
    return finish_run(*compiled, memory, finish_options);
  };
  return loaded;
}

}  // namespace raddle::driver::tpa
