// Programs of thick control flow processors: e, TPA assembly and its binaries.
#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "base/atomic_file.h"
#include "base/console.h"
#include "base/error.h"
#include "base/nearest_name.h"
#include "driver/driver.h"
#include "driver/simulated_run.h"
#include "driver/tpa/e_loader.h"
#include "lang/tpa/assembler.h"
#include "lang/tpa/disassembler.h"
#include "lang/tpa/encoding.h"
#include "lang/tpa/isa_reference.h"
#include "machine/tpa/data_source.h"
#include "machine/tpa/host_check.h"
#include "machine/tpa/tpa_machine.h"

namespace raddle::driver::tpa {

namespace {

using machine::tpa::Program;
using machine::tpa::Symbol;
using machine::tpa::Word;

constexpr std::size_t kShownWords = 16;

struct NamedValue {
  std::string name;
  std::string value;
};

// One NAME=VALUE for each of a program's arguments.
std::vector<NamedValue> named_values(const std::vector<std::string>& arguments) {
  std::vector<NamedValue> values;
  for (const std::string& argument : arguments) {
    const std::size_t sign = argument.find('=');
    if (sign == std::string::npos || sign == 0)
      throw Error(fmt::format("'{}' is not an argument of this program", argument), {},
                  "arguments are written as NAME=VALUE, for example N=1024 or A_=input.txt");
    values.push_back({argument.substr(0, sign), argument.substr(sign + 1)});
  }
  return values;
}

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
                              const raddle::tpa::ParameterValues& parameters,
                              const Program& program) {
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
  const raddle::tpa::MemoryLimits limits{parameters.memory_bytes.count(),
                                         parameters.front.memory_bytes.count()};
  if (path.ends_with(".e")) return load_e_program(path, arguments, parameters);
  const std::vector<NamedValue> values = named_values(arguments);
  const std::string content = read_file(path);
  LoadedTpaProgram loaded;
  raddle::tpa::ParameterValues known;
  if (path.ends_with(".tpo")) {
    loaded.program = raddle::tpa::decode(content, path);
  } else {
    known = raddle::tpa::parameters_of(content, path, {}, limits);
    raddle::tpa::ParameterValues given;
    for (const NamedValue& value : values) {
      if (!known.contains(value.name)) continue;
      const auto number = integer_of(value.value);
      if (!number)
        throw Error(fmt::format("'{}' is not a value for parameter {}", value.value, value.name),
                    path, "parameters are integers");
      given[value.name] = *number;
    }
    loaded.program = raddle::tpa::assemble(content, path, given, limits);
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
    throw Error(fmt::format("{} '{}' lacks an array name", option, text), {},
                fmt::format("write it as {} NAME", option));
  return output;
}

void check_outputs(const RunJob& job, Program& program) {
  const LaunchArguments& launch = job.request.launch;
  const auto check = [&](const NamedValue& output) {
    if (symbol_called(program, output.name) == nullptr)
      refuse_name(output.name, job.program.asked, {}, program);
  };
  for (const std::string& text : launch.shown) {
    const NamedValue output = named_output("--show", text);
    check(output);
    if (!output.value.empty() && integer_of(output.value).value_or(-1) < 0)
      throw Error(fmt::format("--show '{}' lacks a count", text), {}, "write it as --show NAME:8");
  }
  for (const std::string& text : launch.dumped) {
    const NamedValue output = named_output("--dump", text);
    check(output);
    if (output.value.empty())
      throw Error(fmt::format("--dump '{}' lacks a file name", text), {},
                  "write it as --dump NAME:FILE");
  }
}

std::string deliver_outputs(const LaunchArguments& launch, LoadedTpaProgram& loaded,
                            const machine::tpa::FinalMemory& memory) {
  Program& program = loaded.program;
  const auto form_of = [&](const Symbol& symbol) {
    const auto known = loaded.forms.find(symbol.name);
    return known == loaded.forms.end() ? machine::tpa::WordForm::kInteger : known->second;
  };
  std::string text;
  for (const std::string& shown : launch.shown) {
    const NamedValue output = named_output("--show", shown);
    const Symbol& symbol = *symbol_called(program, output.name);
    const std::vector<Word> words = memory.words_of(symbol.name);
    const std::size_t wanted =
        output.value.empty() ? kShownWords : static_cast<std::size_t>(*integer_of(output.value));
    text += fmt::format("{}:", output.name);
    for (std::size_t i = 0; i < std::min(wanted, words.size()); ++i)
      text += " " + machine::tpa::text_of(words[i], form_of(symbol));
    text += words.size() > wanted ? " …\n" : "\n";
  }
  for (const std::string& dumped : launch.dumped) {
    const NamedValue output = named_output("--dump", dumped);
    const Symbol& symbol = *symbol_called(program, output.name);
    machine::tpa::write_words(output.value, memory.words_of(symbol.name), form_of(symbol));
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

class TpaDriver : public Driver {
 public:
  TpaDriver()
      : Driver({.name = "tpa",
                .endings = {".e", ".tpa", ".tpo"},
                .explained = {".e"},
                .folder = "e",
                .form = machine::ProgramForm::kThickControlFlow,
                .default_machine = "tpa",
                .launch_options = {"--arg", "--show", "--dump"},
                .has_assembly = true}) {}

  ProgramRun run(const RunJob& job) const override;

  std::string assemble(const FoundProgram& program, const AssemblyRequest& request) const override {
    const machine::tpa::TpaParameters parameters(
        machine::load_parameters(family().default_machine));
    const LoadedTpaProgram loaded = load(program.path, request.arguments, parameters);
    if (request.verbose) print_error(loaded.notes);
    const bool binary = request.output.ends_with(".tpo");
    if (loaded.assembly && !binary) return loaded.assembly();
    return binary ? raddle::tpa::encode(loaded.program) : raddle::tpa::disassemble(loaded.program);
  }

  std::string disassemble(const FoundProgram& program) const override {
    return raddle::tpa::disassemble(raddle::tpa::decode(read_file(program.path), program.path));
  }

  std::string instruction_set() const override { return raddle::tpa::isa_reference(); }
};
RADDLE_REGISTER_DRIVER(TpaDriver);

ProgramRun TpaDriver::run(const RunJob& asked) const {
  RunJob job = asked;
  // Only e programs have an interpreter to check against.
  if (job.program.path.ends_with(".e")) job.traits.honours.add(machine::RunOption::kCheck);
  job.traits.forms = {machine::ProgramForm::kThickControlFlow};
  job.traits.finds = Checks();
  const RunRequest& request = job.request;
  SimulatedRun run(job);
  const machine::tpa::TpaMachine machine(job.parameters);
  std::vector<std::string> arguments = request.arguments;
  arguments.insert(arguments.end(), request.launch.arguments.begin(),
                   request.launch.arguments.end());
  LoadedTpaProgram loaded = load(job.program.path, arguments, machine.parameters());
  check_outputs(job, loaded.program);

  machine::tpa::TpaRun done = machine.run(loaded.program, run.begin(job.program.path));
  run.end(machine);

  run.print_error(loaded.warnings);
  if (request.verbose) run.print_error(loaded.notes);
  run.print(deliver_outputs(request.launch, loaded, done.memory));
  std::string wrong;
  if (done.result.complete) {
    try {
      wrong = failed_checks(loaded.program, done.memory);
      if (loaded.finish) {
        // The compiler has the first words, too, and large arrays are copied below.
        for (Symbol& symbol : loaded.program.symbols) symbol.initial = std::vector<Word>();
        const Finished finished =
            loaded.finish(done.memory, {request.output_folder, checks_results(request)});
        run.print(finished.printed);
        wrong += finished.wrong;
      }
    } catch (const Stopped& stopped) {
      SimulatedRun::mark_stopped(done.result, stopped);
    }
  }
  run.print_error(wrong);
  return run.result({.launch = std::move(done.result),
                     .machine = machine,
                     .arguments = std::move(arguments),
                     .is_wrong = !wrong.empty()});
}

}  // namespace
}  // namespace raddle::driver::tpa
