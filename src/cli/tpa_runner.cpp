#include "cli/tpa_runner.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/nearest_name.h"
#include "cli/e_loader.h"
#include "cli/output.h"
#include "cli/simulated_run.h"
#include "lang/tpa/assembler.h"
#include "lang/tpa/disassembler.h"
#include "lang/tpa/encoding.h"
#include "machine/tpa/data_source.h"
#include "machine/tpa/host_check.h"
#include "machine/tpa/tpa_machine.h"

namespace raddle::cli {

namespace {

using machine::tpa::Program;
using machine::tpa::Symbol;
using machine::tpa::Word;

constexpr std::size_t kShownWords = 16;

std::optional<std::int64_t> integer_of(const std::string& text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (text.empty() || error != std::errc() || stop != end) return std::nullopt;
  return number;
}

// Symbols may be called as in the source of a higher language: A_ is _A_.
Symbol* symbol_called(Program& program, const std::string& name) {
  for (const std::string& spelling : {name, "_" + name, "_" + name + "_"})
    if (Symbol* found = program.find_symbol(spelling)) return found;
  return nullptr;
}

[[noreturn]] void refuse_name(const std::string& name, const std::string& path,
                              const tpa::ParameterValues& parameters, const Program& program) {
  std::vector<std::string> known;
  for (const auto& [parameter, value] : parameters) known.push_back(parameter);
  for (const Symbol& symbol : program.symbols) known.push_back(symbol.name);
  std::string hint = suggestion(name, known);
  if (hint.empty()) hint = fmt::format("it has {}", fmt::join(known, ", "));
  throw Error(fmt::format("the program has no parameter or array '{}'", name), path, hint);
}

// A program with what its arguments say: parameters first, as they decide how large arrays are.
LoadedTpaProgram load(const std::string& path, const std::vector<std::string>& arguments,
                      const machine::tpa::TpaParameters& parameters) {
  if (path.ends_with(".e")) return load_e_program(path, arguments, parameters);
  const std::vector<NamedValue> values = named_values(arguments);
  const std::string content = read_file(path);
  LoadedTpaProgram loaded;
  tpa::ParameterValues known;
  if (path.ends_with(".tpo")) {
    loaded.program = tpa::decode(content, path);
  } else {
    known = tpa::parameters_of(content, path);
    tpa::ParameterValues given;
    for (const NamedValue& value : values) {
      if (!known.contains(value.name)) continue;
      const auto number = integer_of(value.value);
      if (!number)
        throw Error(fmt::format("'{}' is no value for parameter {}", value.value, value.name), path,
                    "parameters are integers");
      given[value.name] = *number;
    }
    loaded.program = tpa::assemble(content, path, given);
  }
  for (const NamedValue& value : values) {
    if (known.contains(value.name)) continue;
    Symbol* symbol = symbol_called(loaded.program, value.name);
    if (symbol == nullptr) refuse_name(value.name, path, known, loaded.program);
    symbol->initial = machine::tpa::words_from(value.value, symbol->words);
  }
  return loaded;
}

// "NAME[:REST]".
NamedValue named_output(const char* option, const std::string& text) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  NamedValue output{text.substr(0, colon), {}};
  if (colon < text.size()) output.value = text.substr(colon + 1);
  if (output.name.empty())
    throw Error(fmt::format("{} '{}' names no array", option, text), {},
                fmt::format("write it as {} NAME", option));
  return output;
}

void check_outputs(const RunOptions& options, Program& program) {
  const auto check = [&](const NamedValue& output) {
    if (symbol_called(program, output.name) == nullptr)
      refuse_name(output.name, options.program, {}, program);
  };
  for (const std::string& text : options.ptx.shown) {
    const NamedValue output = named_output("--show", text);
    check(output);
    if (!output.value.empty() && integer_of(output.value).value_or(-1) < 0)
      throw Error(fmt::format("--show '{}' has no count", text), {}, "write it as --show NAME:8");
  }
  for (const std::string& text : options.ptx.dumped) {
    const NamedValue output = named_output("--dump", text);
    check(output);
    if (output.value.empty())
      throw Error(fmt::format("--dump '{}' names no file", text), {},
                  "write it as --dump NAME:FILE");
  }
}

std::string deliver_outputs(const RunOptions& options, Program& program,
                            const machine::tpa::FinalMemory& memory) {
  std::string text;
  for (const std::string& shown : options.ptx.shown) {
    const NamedValue output = named_output("--show", shown);
    const std::vector<Word> words = memory.words_of(symbol_called(program, output.name)->name);
    const std::size_t wanted =
        output.value.empty() ? kShownWords : static_cast<std::size_t>(*integer_of(output.value));
    text += fmt::format("{}:", output.name);
    for (std::size_t i = 0; i < std::min(wanted, words.size()); ++i)
      text += fmt::format(" {}", static_cast<std::int64_t>(words[i]));
    text += words.size() > wanted ? " …\n" : "\n";
  }
  for (const std::string& dumped : options.ptx.dumped) {
    const NamedValue output = named_output("--dump", dumped);
    machine::tpa::write_words(output.value,
                              memory.words_of(symbol_called(program, output.name)->name));
  }
  return text;
}

// What the program's .expect lines find wrong.
std::string failed_checks(const Program& program, const machine::tpa::FinalMemory& memory) {
  std::map<std::string, std::vector<Word>, std::less<>> initial;
  const machine::tpa::WordsOf words = [&](std::string_view name) -> const std::vector<Word>* {
    const Symbol* symbol = program.find_symbol(name);
    if (symbol == nullptr) return nullptr;
    std::vector<Word>& held = initial[std::string(name)];
    if (held.empty()) {
      held = symbol->initial;
      held.resize(symbol->words);
    }
    return &held;
  };
  std::string text;
  for (const machine::tpa::Expectation& expectation : program.expectations) {
    const std::string wrong = machine::tpa::difference(
        expectation.symbol, expectation.call, memory.words_of(expectation.symbol),
        machine::tpa::expected_words(expectation.call, words));
    if (!wrong.empty()) text += fmt::format("raddle: {}: {}\n", program.files.front(), wrong);
  }
  return text;
}

std::string fault_text(const machine::LaunchResult& result) {
  std::string text;
  for (const machine::Fault& fault : result.faults) {
    text += fmt::format("raddle: {}{}: {}\n", fault.location.empty() ? "" : fault.location + ": ",
                        name_of(fault.kind), fault.message);
  }
  return text;
}

ProgramRun run(const std::string& path, const RunOptions& options, const ProgramOutput& output,
               const std::string& result_file) {
  SimulatedRun run(options, output);
  machine::ParameterTable parameters = machine::load_parameters(options.settings.machine);
  for (const std::string& assignment : options.settings.assignments) parameters.set(assignment);
  const machine::tpa::TpaMachine machine(parameters);
  std::vector<std::string> arguments = options.arguments;
  arguments.insert(arguments.end(), options.ptx.arguments.begin(), options.ptx.arguments.end());
  LoadedTpaProgram loaded = load(path, arguments, machine.parameters());
  check_outputs(options, loaded.program);

  machine::DeviceDescription device;
  device.lines = device.samples = device.traces = true;
  machine::tpa::TpaRun done = machine.run(loaded.program, run.begin(path, device));
  run.end();

  run.print_error(loaded.warnings);
  if (options.verbose) run.print_error(loaded.notes);
  run.print(deliver_outputs(options, loaded.program, done.memory));
  run.print_error(fault_text(done.result));
  std::string wrong;
  if (done.result.complete) {
    wrong = failed_checks(loaded.program, done.memory);
    if (loaded.finish)
      wrong += loaded.finish(done.memory, {options.output_folder, options.settings.check});
  }
  run.print_error(wrong);
  return run.result({.launch = std::move(done.result),
                     .parameters = parameters,
                     .peaks = machine.peaks(),
                     .arguments = std::move(arguments),
                     .is_wrong = !wrong.empty()},
                    result_file);
}

std::string assemble(const std::string& path, const AsmOptions& options) {
  const machine::tpa::TpaParameters parameters(machine::load_parameters("tpa"));
  const LoadedTpaProgram loaded = load(path, options.arguments, parameters);
  if (options.verbose) print_error(loaded.notes);
  if (!loaded.assembly.empty() && !options.output.ends_with(".tpo")) {
    return options.output.empty() ? loaded.assembly : loaded.whole_assembly();
  }
  const Program& program = loaded.program;
  return options.output.ends_with(".tpo") ? tpa::encode(program) : tpa::disassemble(program);
}

std::string disassemble(const std::string& path) {
  return tpa::disassemble(tpa::decode(read_file(path), path));
}

}  // namespace

std::vector<NamedValue> named_values(const std::vector<std::string>& arguments) {
  std::vector<NamedValue> values;
  for (const std::string& argument : arguments) {
    const std::size_t sign = argument.find('=');
    if (sign == std::string::npos || sign == 0)
      throw Error(fmt::format("'{}' is no argument of this program", argument), {},
                  "arguments are written as NAME=VALUE, for example N=1024 or A_=input.txt");
    values.push_back({argument.substr(0, sign), argument.substr(sign + 1)});
  }
  return values;
}

ProgramFamily tpa_family() {
  ProgramFamily family;
  family.endings = {".e", ".tpa", ".tpo"};
  family.folder = "e";
  family.implementation = "tpa";
  family.machines = "tpa, tpa-baseline or cesm";
  family.default_machine = "tpa";
  family.launch_options = {"--arg", "--show", "--dump"};
  family.run = run;
  family.assemble = assemble;
  family.disassemble = disassemble;
  return family;
}

}  // namespace raddle::cli
