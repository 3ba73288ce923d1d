// The inside of the semantic check, shared by its parts: the scopes, the regions around the
// statement that is being checked, and what forbids what there.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "lang/e/ast.h"
#include "lang/e/checker.h"
#include "lang/e/diagnostics.h"
#include "lang/e/scope.h"

namespace raddle::e {

// What a function does to whoever calls it.
struct FunctionEffects {
  bool changes_thickness = false;  // opens a thick region
  bool starts_flows = false;
  bool uses_fibers = false;     // '$', fiber variables, shared assignments …
  std::string assigned_common;  // a variable of the main flow that it assigns, or empty
  std::set<const Function*> callees;
};

class Checker {
 public:
  Checker(Program& program, const ParameterValues& values, Diagnostics& diagnostics)
      : program_(program), values_(values), diagnostics_(diagnostics) {}

  void run();

 private:
  // checker.cpp: the program's items.
  void declare_constants();
  void declare_functions();
  void check_function(Function& function);
  void check_recursion();
  void check_effects_of_calls();
  void check_outputs();
  void check_checks();

  // declaration_checker.cpp
  void check_declaration(Statement& statement);
  void declare_shared(Declaration& declaration, const std::shared_ptr<Symbol>& symbol);
  void declare_local(Declaration& declaration, const std::shared_ptr<Symbol>& symbol);
  void check_extents(Declaration& declaration, Symbol& symbol);
  std::shared_ptr<Symbol> add_symbol(const std::string& name, Position position, SymbolKind kind);

  // statement_checker.cpp
  void check_statement(Statement& statement);
  void check_body(StatementPtr& body);
  void check_block(Statement& statement);
  void check_assignment(Statement& statement);
  void check_common_assignment(const Statement& statement, const Symbol& symbol);
  void check_set_thickness(Statement& statement);
  void check_thick(Statement& statement);
  void check_if(Statement& statement);
  void check_loop(Statement& statement);
  void check_jump(const Statement& statement);
  void check_return(Statement& statement);
  void check_call_statement(Statement& statement);
  void check_split(Statement& statement);
  void check_par(Statement& statement);
  void check_par_for(Statement& statement);
  void check_par_loop(Statement& statement);
  void check_assert(Statement& statement);
  void check_print(Statement& statement);

  // construct_checker.cpp
  void check_multi(Statement& statement);
  void check_prefix(Statement& statement);
  void check_compaction(Statement& statement);
  void check_shared_place(Expr& place, std::string_view role);

  // expression_checker.cpp
  void check_expression(ExprPtr& expr);
  void check_name(Expr& expr);
  void check_element(Expr& expr);
  void check_use_of_fiber_variable(const Expr& expr);
  void check_call(Expr& expr);
  void check_builtin(Expr& expr);
  void fold(ExprPtr& expr);
  // type_checker.cpp
  void check_types(ExprPtr& expr);
  void check_unary_type(Expr& expr);
  void check_binary_types(Expr& expr);
  bool become_math_function(Expr& expr);
  // Gives the value this type; `what` names who takes it. Only an explicit conversion makes an
  // integer of a floating-point number.
  void coerce(ExprPtr& expr, Type type, std::string_view what);
  void convert(ExprPtr& expr, Type type);
  // Makes a condition of a value: a floating-point number is compared with 0.
  void make_condition(ExprPtr& expr);
  void check_integer(const Expr& expr, std::string_view what);
  // A value that the flow has once; an error with `what` in it otherwise.
  void check_common(ExprPtr& expr, std::string_view what);
  // A constant; an error otherwise, and 1 so that checking can go on.
  std::int64_t constant_of(ExprPtr& expr, std::string_view what);
  bool is_array(const Symbol& symbol) const;

  Region& region() { return regions_.back(); }
  void error(Position position, std::string message, std::string hint = {}) {
    diagnostics_.error(position, std::move(message), std::move(hint));
  }
  bool in_function() const { return function_ != nullptr; }

  Program& program_;
  const ParameterValues& values_;
  Diagnostics& diagnostics_;
  Scopes scopes_;
  std::vector<Region> regions_;
  std::uint32_t next_region_ = 0;
  std::uint32_t next_symbol_ = 0;
  std::uint32_t flow_depth_ = 0;
  std::uint32_t masks_ = 0;        // fiber-wise ifs and loops around
  std::uint32_t loops_ = 0;        // that break and continue may leave
  std::uint32_t conditional_ = 0;  // parts of expressions that are evaluated on a condition
  std::uint32_t branches_ = 0;     // statements around that are executed on a condition
  bool host_ = false;              // inside check
  bool initialiser_ = false;       // inside [ … ] of a shared array
  Function* function_ = nullptr;
  std::map<const Function*, FunctionEffects> effects_;
  // Calls that must not have some effect, checked when all effects are known.
  struct CallSite {
    const Function* callee = nullptr;
    Position position;
    bool in_child_flow = false;
    bool masked = false;
  };
  std::vector<CallSite> call_sites_;
};

}  // namespace raddle::e
