#include "lang/e/e_program.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/nearest_name.h"
#include "lang/e/diagnostics.h"
#include "lang/e/interpreter.h"
#include "lang/e/lowering.h"
#include "lang/e/parser.h"
#include "lang/e/technique.h"
#include "machine/tpa/data_source.h"
#include "machine/tpa/program.h"

namespace raddle::e {
namespace {

constexpr std::string_view kTechnique = "--technique=";
constexpr std::string_view kOrdering = "--omp=";

std::int64_t number_of(std::string_view text, std::string_view name, const char* hint) {
  std::int64_t value = 0;
  const auto [rest, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc{} || rest != text.data() + text.size()) {
    throw Error(fmt::format("'{}' expects a number, got '{}'", name, text), {}, hint);
  }
  return value;
}

ForcedTechnique parse_technique(std::string_view text) {
  ForcedTechnique forced;
  const std::size_t at = text.find('@');
  forced.name = std::string(text.substr(0, at));
  if (at != std::string_view::npos) {
    forced.line = static_cast<std::uint32_t>(
        number_of(text.substr(at + 1), "--technique=NAME@LINE", "for example --technique=O2@12"));
  }
  if (find_technique(forced.name) == nullptr) {
    throw Error(fmt::format("unknown technique '{}'", forced.name), {},
                "multioperations: FS, S2, BF, O2, ML; multiprefixes: FMP, 3MP, O3M, MPL, MPS, MMP");
  }
  return forced;
}

Ordering parse_ordering(std::string_view text) {
  if (text == "standard") return Ordering::kStandard;
  if (text == "balanced") return Ordering::kBalanced;
  if (text == "logarithmic") return Ordering::kLogarithmic;
  throw Error(fmt::format("unknown ordering '{}'", text), {},
              "the orderings are standard, balanced and logarithmic");
}

// Before their contents are made, which may take more than this computer has.
void check_memory(const Program& program, const CompileOptions& options, Diagnostics& diagnostics) {
  auto end = static_cast<std::int64_t>(machine::tpa::kFirstAddress);
  for (std::size_t i = 0; i < program.shared.size(); ++i) {
    end += program.shared[i]->words() * 8;
    if (end <= options.memory_bytes) continue;
    diagnostics.error(program.shared_declarations[i]->position,
                      fmt::format("{} ends at byte {}, but shared memory has {} bytes",
                                  in_quotes(program.shared[i]->name), end, options.memory_bytes),
                      "raise it with --set memory.bytes=…");
    return;
  }
}

}  // namespace

bool is_compiler_argument(std::string_view argument) {
  return argument.starts_with(kTechnique) || argument.starts_with(kOrdering);
}

Arguments parse_arguments(const std::vector<std::string>& arguments, CompileOptions& options) {
  Arguments result;
  for (const std::string& argument : arguments) {
    const std::string_view text = argument;
    if (text.starts_with(kTechnique)) {
      options.techniques.push_back(parse_technique(text.substr(kTechnique.size())));
      continue;
    }
    if (text.starts_with(kOrdering)) {
      options.ordering = parse_ordering(text.substr(kOrdering.size()));
      continue;
    }
    const std::size_t equals = text.find('=');
    if (text.starts_with("--")) {
      const std::string option(text.substr(0, equals));
      const std::vector<std::string> known = {"--technique", "--omp"};
      const std::string near = suggestion(option, known);
      throw Error(fmt::format("unknown option '{}' of an e program", option), {},
                  near.empty() ? "its options are --technique=O2 and --omp=balanced" : near);
    }
    if (equals == std::string_view::npos || equals == 0) {
      throw Error(fmt::format("an e program cannot take the argument '{}'", argument), {},
                  "give N=4096 for a parameter, A_=FILE for a shared array, --technique=O2, "
                  "--omp=balanced");
    }
    const std::string name(text.substr(0, equals));
    const std::string_view value = text.substr(equals + 1);
    if (name.back() == '_') {
      result.inputs[name] = std::string(value);
    } else {
      result.parameters[name] = number_of(value, name, "parameters are given as NAME=NUMBER");
    }
  }
  return result;
}

CompiledProgram compile(std::string_view text, const std::string& file_name,
                        const std::filesystem::path& folder, const Arguments& arguments,
                        const CompileOptions& options) {
  Diagnostics diagnostics(read_source(text, file_name, folder));
  CompiledProgram compiled;
  compiled.program = parse(diagnostics.text(), diagnostics);
  diagnostics.throw_if_errors();
  check(compiled.program, arguments.parameters, diagnostics);
  diagnostics.throw_if_errors();
  check_memory(compiled.program, options, diagnostics);
  diagnostics.throw_if_errors();
  compiled.initial = initial_data(compiled.program, folder, arguments.inputs, diagnostics);
  diagnostics.throw_if_errors();
  Lowered lowered = lower(compiled.program, compiled.initial, options, diagnostics);
  diagnostics.throw_if_errors();
  compiled.assembly = std::move(lowered.text);
  compiled.notes = std::move(lowered.notes);
  compiled.warnings = diagnostics.render_warnings();
  return compiled;
}

CompiledProgram compile_file(const std::filesystem::path& file, const Arguments& arguments,
                             const CompileOptions& options) {
  return compile(read_file(file), file.string(), file.parent_path(), arguments, options);
}

std::string whole_assembly(const CompiledProgram& compiled) {
  std::string text = compiled.assembly;
  for (std::size_t i = 0; i < compiled.initial.size(); ++i) {
    std::vector<std::int64_t> words = compiled.initial[i];
    while (!words.empty() && words.back() == 0) words.pop_back();
    if (words.empty()) continue;
    const std::string directive =
        fmt::format(".shared {} {}", compiled.symbol_of(i), compiled.program.shared[i]->words());
    const std::size_t place = text.find(directive + "\n");
    text.insert(place + directive.size(), fmt::format(" = {}", fmt::join(words, ", ")));
  }
  return text;
}

std::vector<std::filesystem::path> finish(const CompiledProgram& compiled, const SharedData& final,
                                          const std::filesystem::path& folder,
                                          std::string* printed) {
  std::string ignored;
  run_checks(compiled.program, compiled.initial, final, printed != nullptr ? *printed : ignored);
  std::vector<std::filesystem::path> written;
  for (const Output& output : compiled.program.outputs) {
    for (std::size_t i = 0; i < compiled.program.shared.size(); ++i) {
      if (compiled.program.shared[i] != output.symbol) continue;
      const std::filesystem::path file = folder / output.file;
      std::filesystem::create_directories(file.parent_path());
      std::vector<machine::tpa::Word> words(final[i].begin(), final[i].end());
      words.resize(static_cast<std::size_t>(output.symbol->words()));  // the last may be 0
      machine::tpa::write_words(file.string(), words, form_of(output.symbol->type));
      written.push_back(file);
    }
  }
  return written;
}

}  // namespace raddle::e
