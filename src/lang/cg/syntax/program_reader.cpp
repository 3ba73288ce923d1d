#include "lang/cg/syntax/program_reader.h"

#include <fmt/format.h>

#include <set>

#include "base/error.h"
#include "base/nearest_name.h"
#include "lang/cg/syntax/library.h"
#include "lang/cg/syntax/parser.h"

namespace raddle::cg {
namespace {

void note_calls(const Expr& expression, std::set<std::uint32_t>& called) {
  if (expression.kind == ExprKind::kCall) called.insert(expression.index);
  for (const ExprPtr& operand : expression.operands) note_calls(*operand, called);
}

void note_calls(const Stmt& statement, std::set<std::uint32_t>& called) {
  for (const ExprPtr& expression : statement.expressions) note_calls(*expression, called);
  if (statement.condition) note_calls(*statement.condition, called);
  if (statement.step) note_calls(*statement.step, called);
  for (const StmtPtr& inner : statement.body) note_calls(*inner, called);
  if (statement.loop_body) note_calls(*statement.loop_body, called);
}

}  // namespace

CheckedProgram read_program(std::string_view text, const std::string& file_name,
                            const std::vector<PredefinedMacro>& macros) {
  CheckedProgram result;
  {
    Diagnostics diagnostics(library_text(), "library.cg");
    const std::vector<Token> tokens = preprocess(library_text(), {}, diagnostics).tokens;
    Parser(tokens, result.program, diagnostics, true).parse();
    RADDLE_ASSERT(!diagnostics.has_errors());
  }
  Diagnostics diagnostics(text, file_name);
  const Preprocessed preprocessed = preprocess(text, macros, diagnostics);
  result.pragmas = preprocessed.pragmas;
  Parser(preprocessed.tokens, result.program, diagnostics, false).parse();
  diagnostics.throw_if_errors();
  for (const Diagnostic& diagnostic : diagnostics.all())
    result.warnings.push_back(diagnostics.render(diagnostic));
  return result;
}

std::uint32_t find_entry(const Program& program, std::string_view name,
                         const std::string& file_name) {
  std::set<std::uint32_t> called;
  std::vector<std::string> names;
  std::vector<std::uint32_t> roots;
  for (const Function& function : program.functions) {
    if (!function.is_library) note_calls(*function.body, called);
  }
  const std::string_view wanted = name.empty() ? "main" : name;
  for (std::uint32_t i = 0; i < program.functions.size(); ++i) {
    const Function& function = program.functions[i];
    if (function.is_library) continue;
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

}  // namespace raddle::cg
