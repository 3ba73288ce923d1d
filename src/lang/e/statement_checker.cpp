#include <fmt/format.h>

#include <algorithm>

#include "base/stop_token.h"
#include "lang/e/checker_state.h"

namespace raddle::e {
namespace {

// Sets a value for as long as a part of the tree is checked.
template <typename T>
class Saved {
 public:
  Saved(T& place, T value) : place_(place), old_(place) { place = value; }
  ~Saved() { place_ = old_; }
  Saved(const Saved&) = delete;
  Saved& operator=(const Saved&) = delete;

 private:
  T& place_;
  T old_;
};

}  // namespace

void Checker::check_statement(Statement& statement) {
  throw_if_stopped(kCompilingE);
  switch (statement.kind) {
    case StatementKind::kEmpty: return;
    case StatementKind::kBlock: return check_block(statement);
    case StatementKind::kDeclare: return check_declaration(statement);
    case StatementKind::kAssign: return check_assignment(statement);
    case StatementKind::kSetThickness: return check_set_thickness(statement);
    case StatementKind::kThick: return check_thick(statement);
    case StatementKind::kIf: return check_if(statement);
    case StatementKind::kWhile:
    case StatementKind::kDoWhile:
    case StatementKind::kFor: return check_loop(statement);
    case StatementKind::kBreak:
    case StatementKind::kContinue: return check_jump(statement);
    case StatementKind::kReturn: return check_return(statement);
    case StatementKind::kCall: return check_call_statement(statement);
    case StatementKind::kMulti: return check_multi(statement);
    case StatementKind::kPrefix: return check_prefix(statement);
    case StatementKind::kCompact:
    case StatementKind::kPartition: return check_compaction(statement);
    case StatementKind::kSplit: return check_split(statement);
    case StatementKind::kPar: return check_par(statement);
    case StatementKind::kParFor: return check_par_for(statement);
    case StatementKind::kParLoop: return check_par_loop(statement);
    case StatementKind::kAssert: return check_assert(statement);
    case StatementKind::kPrint: return check_print(statement);
  }
}

void Checker::check_body(StatementPtr& body) {
  scopes_.push();
  check_statement(*body);
  scopes_.pop();
}

void Checker::check_block(Statement& statement) {
  scopes_.push();
  for (StatementPtr& child : statement.body) check_statement(*child);
  scopes_.pop();
}

void Checker::check_assignment(Statement& statement) {
  Expr& target = *statement.target;
  if (target.kind == ExprKind::kName) {
    check_name(target);
  } else {
    for (ExprPtr& index : target.children) check_expression(index);
    check_element(target);
  }
  check_expression(statement.value);
  if (!target.symbol) return;
  const Symbol& symbol = *target.symbol;
  coerce(statement.value, symbol.type, in_quotes(symbol.name));
  if (statement.op && symbol.type != Type::kInt && !takes_floats(*statement.op)) {
    error(statement.position, fmt::format("this assignment takes integers, {} is a {}",
                                          in_quotes(symbol.name), name_of(symbol.type)));
  }
  switch (symbol.kind) {
    case SymbolKind::kConstant:
      error(target.position, in_quotes(target.name) + " is a constant",
            "declare a variable with int; a param changes only on the command line");
      return;
    case SymbolKind::kCommon: return check_common_assignment(statement, symbol);
    case SymbolKind::kFiber:
      if (in_function()) effects_[function_].uses_fibers = true;
      for (Region& level : regions_) {
        if (level.kind == RegionKind::kSplit && level.id > symbol.thickness_region) {
          level.statement->written.push_back(target.symbol);
        }
      }
      return;
    default:
      if (in_function()) effects_[function_].uses_fibers = true;
      if (host_) error(target.position, "a check cannot change shared memory");
  }
}

void Checker::check_common_assignment(const Statement& statement, const Symbol& symbol) {
  const Expr& target = *statement.target;
  if (statement.value->rank == Rank::kFiber) {
    error(
        statement.value->position,
        fmt::format("{} is common to the flow and cannot take a value per fiber",
                    in_quotes(symbol.name)),
        fmt::format("declare {}$ for one value per fiber, or use reduce(OP, value)", symbol.name));
  }
  // The flow itself goes through both branches: what it declares there is its own.
  if (masks_ > symbol.mask_depth && !host_) {
    error(target.position,
          fmt::format("{} is common to the flow and cannot be assigned where fibers diverge",
                      in_quotes(symbol.name)),
          fmt::format("declare {}$ for one value per fiber", symbol.name));
  }
  const bool outer_flow = symbol.flow_depth < flow_depth_;
  if (outer_flow && !host_) {
    error(target.position,
          fmt::format("{} belongs to the flow that started this one, which can only read it",
                      in_quotes(symbol.name)),
          "flows pass results through shared memory");
  }
  if (in_function() && symbol.is_global) effects_[function_].assigned_common = symbol.name;
}

void Checker::check_set_thickness(Statement& statement) {
  check_common(statement.value, "the thickness");
  check_integer(*statement.value, "the thickness");
  if (host_) error(statement.position, "a check has no thickness");
  if (masks_ > 0) {
    error(statement.position, "the thickness cannot change where fibers diverge");
  }
  if (regions_.empty()) return;
  if (region().kind == RegionKind::kFunction) {
    error(statement.position, "a function cannot change the thickness of its caller",
          "use '#e: statement' in the function, or assign to # where it is called");
  }
  if (region().kind == RegionKind::kSplit) {
    error(statement.position, "the thickness of a branch of split is the number of its fibers",
          "use '#e: statement' inside the branch");
  }
  const std::string variable = scopes_.fiber_variable_of(region().id);
  if (!variable.empty()) {
    error(statement.position,
          fmt::format("the fibers of {} would change with the thickness", in_quotes(variable)),
          "declare it in a block after this, or use '#e: statement', which keeps it");
  }
  if (region().statement != nullptr) {
    region().statement->sets_thickness = true;
  } else {
    program_.sets_thickness = true;
  }
}

void Checker::check_thick(Statement& statement) {
  check_common(statement.value, "the thickness");
  check_integer(*statement.value, "the thickness");
  if (host_) error(statement.position, "a check has no thickness");
  if (masks_ > 0) {
    error(statement.position, "the thickness cannot change where fibers diverge",
          "use split, whose branches are flows of their own");
  }
  if (in_function()) effects_[function_].changes_thickness = true;
  statement.region = ++next_region_;
  regions_.push_back({statement.region, RegionKind::kThick, &statement});
  check_body(statement.body[0]);
  regions_.pop_back();
}

void Checker::check_if(Statement& statement) {
  check_expression(statement.value);
  make_condition(statement.value);
  statement.fiberwise = statement.value->rank == Rank::kFiber;
  const Saved<std::uint32_t> masks(masks_, masks_ + (statement.fiberwise ? 1 : 0));
  const Saved<std::uint32_t> branches(branches_, branches_ + 1);
  for (StatementPtr& branch : statement.body) check_body(branch);
}

void Checker::check_loop(Statement& statement) {
  scopes_.push();
  for (StatementPtr& init : statement.init) check_statement(*init);
  if (statement.value) {
    check_expression(statement.value);
    make_condition(statement.value);
  }
  statement.fiberwise = statement.value && statement.value->rank == Rank::kFiber;
  if (statement.fiberwise && statement.kind == StatementKind::kDoWhile) {
    error(statement.value->position, "the condition of do … while must be common to the flow",
          "use while, in which fibers may diverge");
  }
  const Saved<std::uint32_t> masks(masks_, masks_ + (statement.fiberwise ? 1 : 0));
  const Saved<std::uint32_t> loops(loops_, statement.fiberwise ? 0 : loops_ + 1);
  const Saved<std::uint32_t> branches(branches_, branches_ + 1);
  check_body(statement.body[0]);
  for (StatementPtr& step : statement.step) check_statement(*step);
  scopes_.pop();
}

void Checker::check_jump(const Statement& statement) {
  const char* word = statement.kind == StatementKind::kBreak ? "break" : "continue";
  if (masks_ > 0 && !host_) {
    error(statement.position,
          fmt::format("{} is not allowed where fibers diverge", in_quotes(word)),
          "all fibers of a flow take the same path; use the loop's condition");
  } else if (loops_ == 0) {
    error(statement.position, fmt::format("{} outside of a loop of this flow", in_quotes(word)));
  }
}

void Checker::check_return(Statement& statement) {
  if (statement.value) check_expression(statement.value);
  if (!in_function()) {
    error(statement.position, "'return' outside of a function");
    return;
  }
  if (masks_ > 0) {
    error(statement.position, "'return' is not allowed where fibers diverge",
          "a function is left by the whole flow; use a variable for the result");
  }
  if (flow_depth_ > 0)
    error(statement.position, "a flow cannot return for the one that started it");
  if (region().kind != RegionKind::kFunction && function_->result == ResultKind::kFiber) {
    error(statement.position, "a value per fiber cannot be returned from another thickness");
  }
  if (function_->result == ResultKind::kVoid && statement.value) {
    error(statement.value->position, in_quotes(function_->name) + " returns nothing");
  } else if (function_->result != ResultKind::kVoid && !statement.value) {
    error(statement.position, in_quotes(function_->name) + " must return a value");
  } else if (function_->result == ResultKind::kCommon && statement.value->rank == Rank::kFiber) {
    error(statement.value->position,
          in_quotes(function_->name) + " returns one value a flow, this is a value per fiber",
          fmt::format("declare it as {}$ {}", name_of(function_->type), function_->name));
  }
  if (statement.value) {
    coerce(statement.value, function_->type, "the result of " + in_quotes(function_->name));
  }
}

void Checker::check_call_statement(Statement& statement) {
  check_expression(statement.value);
  const bool is_call = statement.value->kind == ExprKind::kCall;
  if (!is_call) error(statement.position, "this expression is not a statement");
}

void Checker::check_split(Statement& statement) {
  check_expression(statement.value);
  make_condition(statement.value);
  if (host_) error(statement.position, "a check has one flow");
  if (masks_ > 0) {
    error(statement.position, "'split' is not allowed where fibers diverge",
          "use split instead of the outer if, too");
  }
  if (in_function()) effects_[function_].starts_flows = true;
  const Saved<std::uint32_t> loops(loops_, 0);
  for (StatementPtr& branch : statement.body) {
    const std::uint32_t id = ++next_region_;
    if (statement.region == 0) statement.region = id;
    regions_.push_back({id, RegionKind::kSplit, &statement});
    ++flow_depth_;
    check_body(branch);
    --flow_depth_;
    regions_.pop_back();
  }
}

void Checker::check_par(Statement& statement) {
  if (host_) error(statement.position, "a check has one flow");
  if (masks_ > 0) error(statement.position, "'par' is not allowed where fibers diverge");
  if (in_function()) effects_[function_].starts_flows = true;
  const Saved<std::uint32_t> loops(loops_, 0);
  for (StatementPtr& child : statement.body) {
    if (child->kind == StatementKind::kDeclare) {
      error(child->position,
            "declarations are not allowed directly in par: each of its statements is a flow",
            "put it into a block");
      continue;
    }
    regions_.push_back({++next_region_, RegionKind::kFlow, child.get()});
    ++flow_depth_;
    check_body(child);
    --flow_depth_;
    regions_.pop_back();
  }
}

void Checker::check_par_for(Statement& statement) {
  check_common(statement.value, "the number of flows");
  check_integer(*statement.value, "the number of flows");
  if (host_) error(statement.position, "a check has one flow");
  if (masks_ > 0) error(statement.position, "'par' is not allowed where fibers diverge");
  if (in_function()) effects_[function_].starts_flows = true;
  const Saved<std::uint32_t> loops(loops_, 0);
  regions_.push_back({++next_region_, RegionKind::kFlow, &statement});
  ++flow_depth_;
  scopes_.push();
  Declaration& declaration = statement.declarations[0];
  if (declaration.name.back() == '_' || declaration.name.back() == '$') {
    error(declaration.position, "the flow's number is common to the flow",
          "its name ends neither in '_' nor in '$'");
  }
  declaration.symbol = add_symbol(declaration.name, declaration.position, SymbolKind::kCommon);
  statement.variable = declaration.symbol;
  check_body(statement.body[0]);
  scopes_.pop();
  --flow_depth_;
  regions_.pop_back();
}

// The loop is this flow's; the body of each iteration is a flow.
void Checker::check_par_loop(Statement& statement) {
  if (host_) error(statement.position, "a check has one flow");
  if (masks_ > 0) error(statement.position, "'par' is not allowed where fibers diverge");
  if (in_function()) effects_[function_].starts_flows = true;
  scopes_.push();
  for (StatementPtr& init : statement.init) check_statement(*init);
  if (statement.value) {
    check_common(statement.value, "the condition of par for");
    make_condition(statement.value);
  } else {
    error(statement.position, "par for needs a condition", "it starts a flow for each iteration");
  }
  for (StatementPtr& step : statement.step) check_statement(*step);
  const Saved<std::uint32_t> loops(loops_, 0);
  regions_.push_back({++next_region_, RegionKind::kFlow, &statement});
  ++flow_depth_;
  check_body(statement.body[0]);
  --flow_depth_;
  regions_.pop_back();
  scopes_.pop();
}

void Checker::check_print(Statement& statement) {
  if (!host_) error(statement.position, "'print' is valid only inside check");
  for (ExprPtr& operand : statement.operands) {
    if (operand) check_expression(operand);
  }
}

void Checker::check_assert(Statement& statement) {
  check_expression(statement.value);
  make_condition(statement.value);
  if (!host_) error(statement.position, "'assert' is valid only inside check");
}

}  // namespace raddle::e
