#include "lang/cg/syntax/program_reader.h"

#include <fmt/format.h>

#include <optional>
#include <set>

#include "base/error.h"
#include "base/nearest_name.h"
#include "lang/cg/syntax/library.h"
#include "lang/cg/syntax/parser.h"

namespace raddle::cg {
namespace {

std::uint32_t find_entry(const Program& program, std::string_view name,
                         const std::string& file_name) {
  std::set<std::uint32_t> called;
  std::vector<std::string> names;
  std::vector<std::uint32_t> roots;
  for (const Function& function : program.functions) {
    called.insert(function.calls.begin(), function.calls.end());
  }
  const std::string_view wanted = name.empty() ? "main" : name;
  for (std::uint32_t i = 0; i < program.functions.size(); ++i) {
    const Function& function = program.functions[i];
    if (function.is_library || !function.body) continue;
    if (function.name == wanted) return i;
    names.push_back(function.name);
    if (!called.contains(i)) roots.push_back(i);
  }
  if (!name.empty())
    throw Error(fmt::format("the program has no function '{}'", name), file_name,
                suggestion(name, names));
  if (roots.size() == 1) return roots[0];
  // A file with a vertex program as well.
  for (const std::uint32_t root : roots) {
    if (program.functions[root].name == "main_fragment") return root;
  }
  if (roots.empty()) throw Error("the program has no function", file_name);
  throw Error("the function to run is ambiguous", file_name,
              "name it main, or choose it with --cc '-entry NAME'");
}

std::set<std::uint32_t> reached(const Program& program, std::uint32_t from) {
  std::set<std::uint32_t> found{from};
  std::vector<std::uint32_t> left{from};
  while (!left.empty()) {
    const std::uint32_t next = left.back();
    left.pop_back();
    for (const std::uint32_t called : program.functions[next].calls) {
      if (found.insert(called).second) left.push_back(called);
    }
  }
  return found;
}

// Functions are inlined: each needs a body, and none may come back to itself.
class CallCheck {
 public:
  CallCheck(const Program& program, Diagnostics& diagnostics)
      : program_(program), diagnostics_(diagnostics) {}

  void visit(std::uint32_t index) {
    const Function& function = program_.functions[index];
    if (!function.body) {
      if (done_.insert(index).second)
        diagnostics_.error(function.place,
                           fmt::format("'{}' is called, but has no body", function.name));
      return;
    }
    if (open_.contains(index)) {
      diagnostics_.error(function.place,
                         fmt::format("'{}' calls itself, which is not supported", function.name),
                         "functions are inlined; write a loop");
      return;
    }
    if (!done_.insert(index).second) return;
    open_.insert(index);
    for (const std::uint32_t called : function.calls) visit(called);
    open_.erase(index);
  }

 private:
  const Program& program_;
  Diagnostics& diagnostics_;
  std::set<std::uint32_t> open_, done_;
};

std::optional<std::uint32_t> find_vertex(const Program& program, std::uint32_t entry) {
  for (std::uint32_t i = 0; i < program.functions.size(); ++i) {
    const Function& function = program.functions[i];
    if (function.name == "main_vertex" && function.body && i != entry) return i;
  }
  return std::nullopt;
}

// The uniforms that #pragma parameter gives a value to.
void set_parameters(const std::vector<ParameterPragma>& parameters, Program& program) {
  for (const std::uint32_t index : program.globals) {
    Variable& variable = program.variables[index];
    if (variable.storage != Storage::kUniform || variable.initial || !variable.type.is_scalar())
      continue;
    for (const ParameterPragma& parameter : parameters) {
      if (parameter.name != variable.name) continue;
      variable.initial = std::make_unique<Expr>();
      variable.initial->place = variable.place;
      variable.initial->type = variable.type;
      variable.initial->number = parameter.value;
    }
  }
}

}  // namespace

CheckedProgram read_program(std::string_view text, const std::string& file_name,
                            const Options& options) {
  CheckedProgram result;
  {
    Diagnostics diagnostics(library_text(), "library.cg");
    const std::vector<Token> tokens = preprocess(diagnostics, {}).tokens;
    Parser(tokens, result.program, diagnostics, true).parse();
    for (const Function& function : result.program.functions)
      RADDLE_ASSERT(function.diagnostics.empty());
    RADDLE_ASSERT(!diagnostics.has_errors());
  }
  Diagnostics diagnostics(text, file_name);
  result.sources = diagnostics.shared_sources();
  const Preprocessed preprocessed =
      preprocess(diagnostics, options.macros, options.include_folders);
  result.pragmas = preprocessed.pragmas;
  Parser(preprocessed.tokens, result.program, diagnostics, false).parse();
  const auto throw_errors = [&](const std::set<std::uint32_t>& functions) {
    for (const std::uint32_t function : functions)
      diagnostics.put(result.program.functions[function].diagnostics);
    diagnostics.throw_if_errors();
  };
  if (diagnostics.has_errors()) {
    std::set<std::uint32_t> all;
    for (std::uint32_t i = 0; i < result.program.functions.size(); ++i) all.insert(i);
    throw_errors(all);
  }
  result.entry = find_entry(result.program, options.entry, file_name);
  result.vertex = find_vertex(result.program, result.entry);
  std::set<std::uint32_t> used = reached(result.program, result.entry);
  if (result.vertex) used.merge(reached(result.program, *result.vertex));
  CallCheck calls(result.program, diagnostics);
  calls.visit(result.entry);
  if (result.vertex) calls.visit(*result.vertex);
  throw_errors(used);
  set_parameters(preprocessed.parameters, result.program);
  for (const Diagnostic& diagnostic : diagnostics.all())
    result.warnings.push_back(diagnostics.render(diagnostic));
  return result;
}

}  // namespace raddle::cg
