#include "lang/cg/ir/assigned_variables.h"

#include <algorithm>

namespace raddle::cg {
namespace {

class Finder {
 public:
  explicit Finder(const Program& program) : program_(program) {}

  void visit(const Stmt& statement) {
    if (statement.kind == StmtKind::kDeclare) found_.insert(statement.index);
    for (const ExprPtr& expression : statement.expressions) visit(*expression);
    if (statement.condition) visit(*statement.condition);
    if (statement.step) visit(*statement.step);
    for (const StmtPtr& inner : statement.body) visit(*inner);
    if (statement.loop_body) visit(*statement.loop_body);
  }

  std::set<std::uint32_t> found() { return std::move(found_); }

 private:
  void visit(const Expr& expression) {
    if (expression.kind == ExprKind::kAssign || expression.kind == ExprKind::kIncrement)
      target(*expression.operands[0]);
    if (expression.kind == ExprKind::kCall) {
      const Function& function = program_.functions[expression.index];
      for (std::size_t i = 0; i < function.parameters.size(); ++i) {
        if (program_.variables[function.parameters[i]].direction != Direction::kIn)
          target(*expression.operands[i]);
      }
      if (called_.insert(expression.index).second) visit(*function.body);
    }
    for (const ExprPtr& operand : expression.operands) visit(*operand);
  }

  void target(const Expr& expression) {
    const Expr* inner = &expression;
    while (inner->kind != ExprKind::kVariable) inner = inner->operands[0].get();
    found_.insert(inner->index);
  }

  const Program& program_;
  std::set<std::uint32_t> found_;
  std::set<std::uint32_t> called_;
};

}  // namespace

std::set<std::uint32_t> assigned_variables(const Stmt& statement, const Program& program) {
  Finder finder(program);
  finder.visit(statement);
  return finder.found();
}

bool contains_return(const Stmt& statement) {
  if (statement.kind == StmtKind::kReturn) return true;
  const auto inside = [](const StmtPtr& inner) { return contains_return(*inner); };
  return std::ranges::any_of(statement.body, inside) ||
         (statement.loop_body && contains_return(*statement.loop_body));
}

bool contains_continue(const Stmt& statement) {
  if (statement.kind == StmtKind::kContinue) return true;
  if (statement.loop_body) return false;
  return std::ranges::any_of(statement.body,
                             [](const StmtPtr& inner) { return contains_continue(*inner); });
}

bool always_returns(const Stmt& statement) {
  switch (statement.kind) {
    case StmtKind::kReturn: return true;
    case StmtKind::kBlock:
      return std::ranges::any_of(statement.body,
                                 [](const StmtPtr& inner) { return always_returns(*inner); });
    case StmtKind::kIf:
      return statement.body.size() == 2 && always_returns(*statement.body[0]) &&
             always_returns(*statement.body[1]);
    default: return false;
  }
}

}  // namespace raddle::cg
