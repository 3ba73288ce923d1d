#include "lang/cg/interface_uses.h"

namespace raddle::cg {
namespace {

class Finder {
 public:
  explicit Finder(const Program& program) : program_(program) {}

  ProgramUses run(std::uint32_t entry) {
    function(entry);
    for (const std::uint32_t index : program_.globals) {
      const Variable& variable = program_.variables[index];
      if (variable.storage == Storage::kConstant && variable.initial) visit(*variable.initial);
    }
    return std::move(found_);
  }

 private:
  void function(std::uint32_t index) {
    if (done_.insert(index).second) visit(*program_.functions[index].body);
  }

  void visit(const Expr& expression) {
    if (expression.kind == ExprKind::kAssign && expression.operands[0]->kind == ExprKind::kVariable)
      found_.assigned.insert(expression.operands[0]->index);
    if (expression.kind == ExprKind::kCall) function(expression.index);
    if (expression.kind == ExprKind::kIntrinsic && needs_size(expression))
      found_.needs_sizes = true;
    if (expression.kind == ExprKind::kVariable) {
      found_.variables.insert(expression.index);
      found_.whole.insert(expression.index);
    }
    if (expression.kind == ExprKind::kField &&
        expression.operands[0]->kind == ExprKind::kVariable) {
      const Expr& object = *expression.operands[0];
      found_.variables.insert(object.index);
      note_leaves(object.index,
                  field_offset(program_.structures[object.type.structure], expression.index,
                               program_.structures),
                  number_count(expression.type, program_.structures));
      return;
    }
    for (const ExprPtr& operand : expression.operands) visit(*operand);
  }

  void note_leaves(std::uint32_t variable, std::uint32_t first, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) found_.fields.insert({variable, first + i});
  }

  void visit(const Stmt& statement) {
    for (const ExprPtr& expression : statement.expressions) visit(*expression);
    if (statement.condition) visit(*statement.condition);
    if (statement.step) visit(*statement.step);
    for (const StmtPtr& inner : statement.body) visit(*inner);
    if (statement.loop_body) visit(*statement.loop_body);
  }

  const Program& program_;
  ProgramUses found_;
  std::set<std::uint32_t> done_;
};

}  // namespace

ProgramUses find_uses(const Program& program, std::uint32_t entry) {
  return Finder(program).run(entry);
}

}  // namespace raddle::cg
