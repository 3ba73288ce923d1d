#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "lang/e/checker_state.h"

namespace raddle::e {
namespace {

ExprPtr number_at(Position position, Type type, std::int64_t value) {
  auto expr = std::make_unique<Expr>();
  expr->kind = ExprKind::kNumber;
  expr->position = position;
  expr->value = value;
  expr->type = type;
  return expr;
}

bool all_numbers(const Expr& expr) {
  return std::all_of(expr.children.begin(), expr.children.end(),
                     [](const ExprPtr& child) { return child->kind == ExprKind::kNumber; });
}

Rank greatest_rank(const Expr& expr) {
  Rank rank = Rank::kConstant;
  for (const ExprPtr& child : expr.children) rank = std::max(rank, child->rank);
  return rank;
}

std::string indices_text(std::size_t count) {
  return fmt::format("{} {}", count, count == 1 ? "index" : "indices");
}

}  // namespace

bool Checker::is_array(const Symbol& symbol) const {
  return symbol.kind == SymbolKind::kArrayParameter || !symbol.extents.empty();
}

void Checker::fold(ExprPtr& expr) {
  if (!all_numbers(*expr)) return;
  const auto value = [&](std::size_t i) { return expr->children[i]->value; };
  switch (expr->kind) {
    case ExprKind::kUnary:
      expr = number_at(expr->position, expr->type,
                       apply(expr->unary, expr->children[0]->type, expr->type, value(0)));
      return;
    case ExprKind::kFused:
      expr = number_at(expr->position, expr->type,
                       apply_fused(expr->type, value(0), value(1), value(2)));
      return;
    case ExprKind::kBinary:
      // What is executed on a condition may never be: then it is left to the run.
      if (divides_integers(*expr) && value(1) == 0) {
        if (conditional_ == 0 && branches_ == 0) error(expr->position, "division by zero");
        return;
      }
      expr = number_at(expr->position, expr->type,
                       apply(expr->binary, expr->children[0]->type, value(0), value(1)));
      return;
    case ExprKind::kConditional:
      expr = number_at(expr->position, expr->type, value(0) != 0 ? value(1) : value(2));
      return;
    default: return;
  }
}

void Checker::check_expression(ExprPtr& expr) {
  if (expr->kind == ExprKind::kCall) become_math_function(*expr);
  const bool is_logical =
      expr->kind == ExprKind::kBinary &&
      (expr->binary == BinaryOperator::kLogicalAnd || expr->binary == BinaryOperator::kLogicalOr);
  const bool is_conditional = expr->kind == ExprKind::kConditional || is_logical;
  for (std::size_t i = 0; i < expr->children.size(); ++i) {
    // initial(A_[i]) names a place; what a function takes may be a whole array.
    if (is_conditional && i > 0) ++conditional_;
    if (expr->kind != ExprKind::kCall) check_expression(expr->children[i]);
    if (is_conditional && i > 0) --conditional_;
  }
  switch (expr->kind) {
    case ExprKind::kNumber: return;
    case ExprKind::kName:
      check_name(*expr);
      if (expr->symbol && expr->symbol->kind == SymbolKind::kConstant) {
        expr = number_at(expr->position, expr->symbol->type, expr->symbol->value);
      }
      return;
    case ExprKind::kElement: return check_element(*expr);
    case ExprKind::kFiberId:
      if (host_) error(expr->position, "fiber variables are not allowed in a check", "use a loop");
      if (in_function()) effects_[function_].uses_fibers = true;
      expr->rank = Rank::kFiber;
      return;
    case ExprKind::kParentId:
      if (regions_.empty() || region().kind != RegionKind::kSplit) {
        error(expr->position, "'$$' stands for a fiber's number before a split",
              "it is valid only directly inside the branches of split");
      }
      expr->rank = Rank::kFiber;
      return;
    case ExprKind::kThickness:
      if (host_) error(expr->position, "a check has no thickness");
      expr->rank = initialiser_ ? Rank::kConstant : Rank::kCommon;
      return;
    case ExprKind::kCall: return check_call(*expr);
    case ExprKind::kBuiltin: return check_builtin(*expr);
    default:
      expr->rank = greatest_rank(*expr);
      check_types(expr);
      return fold(expr);
  }
}

void Checker::check_name(Expr& expr) {
  expr.symbol = scopes_.find(expr.name);
  if (!expr.symbol) {
    error(expr.position, "unknown name " + in_quotes(expr.name), scopes_.suggestion_for(expr.name));
    return;
  }
  const Symbol& symbol = *expr.symbol;
  expr.type = symbol.type;
  if (symbol.kind == SymbolKind::kFunction) {
    error(expr.position, in_quotes(expr.name) + " is a function", "call it: " + expr.name + "(…)");
  } else if (is_array(symbol)) {
    error(expr.position, in_quotes(expr.name) + " is an array and needs an index",
          fmt::format("write {}[…]", expr.name));
  }
  if (initialiser_ && symbol.kind != SymbolKind::kConstant) {
    error(expr.position, "an initial value can use only constants, parameters and '$'");
  }
  switch (symbol.kind) {
    case SymbolKind::kConstant: expr.rank = Rank::kConstant; break;
    case SymbolKind::kFiber:
      check_use_of_fiber_variable(expr);
      expr.rank = Rank::kFiber;
      break;
    default: expr.rank = Rank::kCommon;
  }
}

void Checker::check_element(Expr& expr) {
  expr.symbol = scopes_.find(expr.name);
  expr.rank = std::max(Rank::kCommon, greatest_rank(expr));
  if (!expr.symbol) {
    error(expr.position, "unknown name " + in_quotes(expr.name), scopes_.suggestion_for(expr.name));
    return;
  }
  const Symbol& symbol = *expr.symbol;
  expr.type = symbol.type;
  for (const ExprPtr& index : expr.children) check_integer(*index, "an index");
  if (initialiser_) error(expr.position, "an initial value cannot read another variable");
  if (!is_array(symbol)) {
    error(expr.position, in_quotes(expr.name) + " is not an array",
          "declare it with a size: int " + expr.name + "[…]");
    return;
  }
  const std::size_t wanted =
      symbol.kind == SymbolKind::kArrayParameter ? symbol.indices : symbol.extents.size();
  if (expr.children.size() != wanted) {
    std::string written = expr.name;
    for (std::size_t i = 0; i < wanted; ++i) written += "[…]";
    error(expr.position,
          fmt::format("{} takes {} {}, not {}", in_quotes(expr.name), wanted,
                      wanted == 1 ? "index" : "indices", expr.children.size()),
          "write " + written);
  }
  for (std::size_t i = 0; i < std::min(expr.children.size(), symbol.extents.size()); ++i) {
    const Expr& index = *expr.children[i];
    if (index.kind != ExprKind::kNumber) continue;
    if (index.value >= 0 && index.value < symbol.extents[i]) continue;
    error(index.position,
          fmt::format("index {} is outside {}[{}]", index.value, expr.name, symbol.extents[i]),
          fmt::format("indices go from 0 to {}", symbol.extents[i] - 1));
  }
  if (symbol.kind == SymbolKind::kCommon && greatest_rank(expr) == Rank::kFiber) {
    error(expr.position,
          fmt::format("the flow has {} once, so that fibers cannot index it", in_quotes(expr.name)),
          fmt::format("make it shared: {}_", expr.name));
  }
}

// A fiber variable belongs to one region. A split hands those of its parent down, one by one.
void Checker::check_use_of_fiber_variable(const Expr& expr) {
  const std::shared_ptr<Symbol>& symbol = expr.symbol;
  std::vector<Statement*> splits;
  for (const Region& level : std::ranges::reverse_view(regions_)) {
    if (level.id == symbol->thickness_region) {
      for (Statement* split : splits) {
        std::vector<std::shared_ptr<Symbol>>& captured = split->captured;
        if (std::find(captured.begin(), captured.end(), symbol) == captured.end()) {
          captured.push_back(symbol);
        }
      }
      return;
    }
    if (level.kind != RegionKind::kSplit) break;
    splits.push_back(level.statement);
  }
  error(expr.position,
        fmt::format("{} belongs to the fibers of another thickness", in_quotes(expr.name)),
        "fibers pass values through shared memory: store it into an array first");
}

void Checker::check_call(Expr& expr) {
  const auto callee = std::find_if(program_.functions.begin(), program_.functions.end(),
                                   [&](const auto& f) { return f->name == expr.name; });
  if (callee == program_.functions.end()) {
    for (ExprPtr& argument : expr.children) check_expression(argument);
    error(expr.position, "unknown function " + in_quotes(expr.name),
          scopes_.suggestion_for(expr.name));
    return;
  }
  const Function& function = **callee;
  expr.symbol = scopes_.find(expr.name);
  if (host_) {
    error(expr.position, "a check cannot call functions", "write the computation out");
  }
  if (conditional_ > 0) {
    error(expr.position, "a call cannot depend on a condition", "call it before, or use if");
  }
  if (expr.children.size() != function.parameters.size()) {
    const std::size_t count = function.parameters.size();
    error(expr.position, fmt::format("{} takes {} argument{}, not {}", in_quotes(function.name),
                                     count, count == 1 ? "" : "s", expr.children.size()));
  }
  for (std::size_t i = 0; i < expr.children.size(); ++i) {
    ExprPtr& argument = expr.children[i];
    if (i < function.parameters.size() && function.parameters[i].is_array()) {
      const bool names = argument->kind == ExprKind::kName ||
                         (argument->kind == ExprKind::kElement && argument->children.empty());
      argument->symbol = names ? scopes_.find(argument->name) : nullptr;
      const bool is_shared_array = argument->symbol && is_array(*argument->symbol) &&
                                   (argument->symbol->kind == SymbolKind::kShared ||
                                    argument->symbol->kind == SymbolKind::kArrayParameter);
      if (!is_shared_array) {
        error(argument->position,
              fmt::format("{} takes a shared array here", in_quotes(function.name)));
      } else if (argument->symbol->type != function.parameters[i].type) {
        error(
            argument->position,
            fmt::format("{} takes an array of {} here, this is one of {}", in_quotes(function.name),
                        name_of(function.parameters[i].type), name_of(argument->symbol->type)));
      } else if (const std::size_t found =
                     std::max(argument->symbol->indices, argument->symbol->extents.size());
                 found != function.parameters[i].indices) {
        error(argument->position,
              fmt::format("{} takes an array with {} here, {} has {}", in_quotes(function.name),
                          indices_text(function.parameters[i].indices), in_quotes(argument->name),
                          found));
      }
      continue;
    }
    check_expression(argument);
    const bool wants_common =
        i < function.parameters.size() && function.parameters[i].name.back() != '$';
    if (wants_common && argument->rank == Rank::kFiber) {
      error(argument->position,
            fmt::format("parameter {} of {} is common to the flow, this is a value per fiber",
                        in_quotes(function.parameters[i].name), in_quotes(function.name)),
            fmt::format("declare the parameter as {} {}$", name_of(function.parameters[i].type),
                        function.parameters[i].name));
    }
    if (i < function.parameters.size()) {
      const Parameter& parameter = function.parameters[i];
      coerce(
          argument, parameter.type,
          fmt::format("parameter {} of {}", in_quotes(parameter.name), in_quotes(function.name)));
    }
  }
  if (in_function()) effects_[function_].callees.insert(&function);
  call_sites_.push_back({&function, expr.position, flow_depth_ > 0, masks_ > 0});
  expr.rank = function.result == ResultKind::kFiber ? Rank::kFiber : Rank::kCommon;
  expr.type = function.type;
}

void Checker::check_builtin(Expr& expr) {
  switch (expr.builtin) {
    case Builtin::kReduce:
      if (host_) error(expr.position, "fiber variables are not allowed in a check", "use a loop");
      if (conditional_ > 0) {
        error(expr.position, "'reduce' cannot depend on a condition", "compute it before");
      }
      if (in_function()) effects_[function_].uses_fibers = true;
      check_integer(*expr.children[0], "what reduce combines");
      expr.rank = Rank::kCommon;
      return;
    case Builtin::kInitial: {
      const Expr& place = *expr.children[0];
      const bool names = place.kind == ExprKind::kName || place.kind == ExprKind::kElement;
      if (!host_) error(expr.position, "'initial' is valid only inside check");
      if (!names || !place.symbol || place.symbol->kind != SymbolKind::kShared) {
        error(expr.position, "'initial' takes a shared variable");
      }
      expr.rank = Rank::kCommon;
      expr.type = place.type;
      return;
    }
    case Builtin::kRandom:
      if (!initialiser_) {
        error(expr.position, "'random' is valid only in initial values of shared arrays",
              "int A_[N] = [random(seed, least, greatest)];");
      }
      for (const ExprPtr& argument : expr.children) check_integer(*argument, "what random takes");
      expr.rank = Rank::kFiber;
  }
}

void Checker::check_common(ExprPtr& expr, std::string_view what) {
  check_expression(expr);
  if (expr->rank != Rank::kFiber) return;
  error(expr->position,
        fmt::format("{} must be common to the flow, this is a value per fiber", what),
        "reduce(OP, value) makes one value of those of all fibers");
}

std::int64_t Checker::constant_of(ExprPtr& expr, std::string_view what) {
  check_expression(expr);
  if (expr->kind == ExprKind::kNumber) return expr->value;
  error(expr->position, fmt::format("{} must be constant", what));
  return 1;
}

}  // namespace raddle::e
