#include "lang/e/checker.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/nearest_name.h"
#include "lang/e/checker_state.h"

namespace raddle::e {
namespace {

// Whether every way through the statement ends in a return.
bool returns(const Statement& statement) {
  if (statement.kind == StatementKind::kReturn) return true;
  if (statement.kind == StatementKind::kBlock) {
    return !statement.body.empty() && returns(*statement.body.back());
  }
  if (statement.kind == StatementKind::kIf && statement.body.size() == 2) {
    return returns(*statement.body[0]) && returns(*statement.body[1]);
  }
  return false;
}

}  // namespace

void check(Program& program, const ParameterValues& values, Diagnostics& diagnostics) {
  Checker(program, values, diagnostics).run();
}

void Checker::run() {
  scopes_.push();
  regions_.push_back({0, RegionKind::kProgram, nullptr});
  declare_constants();
  declare_functions();
  for (StatementPtr& statement : program_.statements) check_statement(*statement);
  // Functions and checks see what is declared at the top level, wherever it stands.
  for (const auto& function : program_.functions) check_function(*function);
  check_recursion();
  check_effects_of_calls();
  check_outputs();
  check_checks();
  program_.symbol_count = next_symbol_;
}

void Checker::declare_constants() {
  std::vector<std::string> parameters;
  for (ConstantItem& item : program_.constants) {
    item.symbol = add_symbol(item.name, item.position, SymbolKind::kConstant);
    if (item.name.back() == '_' || item.name.back() == '$') {
      error(item.position, "the name of a constant ends neither in '_' nor in '$'");
    }
    constant_of(item.value, "the value of a constant");
    if (item.type) coerce(item.value, *item.type, in_quotes(item.name));
    item.symbol->value = item.value->kind == ExprKind::kNumber ? item.value->value : 1;
    item.symbol->type = item.value->type;
    if (item.is_parameter) check_integer(*item.value, "a param");
    item.symbol->is_global = true;
    if (!item.is_parameter) continue;
    parameters.push_back(item.name);
    const auto given = values_.find(item.name);
    if (given != values_.end()) item.symbol->value = given->second;
  }
  for (const auto& [name, value] : values_) {
    if (std::find(parameters.begin(), parameters.end(), name) != parameters.end()) continue;
    std::string hint = suggestion(name, parameters);
    if (hint.empty() && !parameters.empty()) {
      hint = fmt::format("it has {}", fmt::join(parameters, ", "));
    }
    if (hint.empty()) hint = fmt::format("declare it: param {} = …;", name);
    error({}, fmt::format("the program has no parameter {}", in_quotes(name)), hint);
  }
}

void Checker::declare_functions() {
  for (const auto& function : program_.functions) {
    const std::shared_ptr<Symbol> symbol =
        add_symbol(function->name, function->position, SymbolKind::kFunction);
    symbol->function = function.get();
    if (function->name.back() == '_' || function->name.back() == '$') {
      error(function->position, "the name of a function ends neither in '_' nor in '$'");
    }
  }
}

void Checker::check_function(Function& function) {
  function_ = &function;
  scopes_.push();
  regions_.push_back({++next_region_, RegionKind::kFunction, nullptr});
  for (Parameter& parameter : function.parameters) {
    SymbolKind kind = SymbolKind::kCommon;
    if (parameter.name.back() == '$') kind = SymbolKind::kFiber;
    if (parameter.is_array()) kind = SymbolKind::kArrayParameter;
    const bool shared_name = parameter.name.back() == '_';
    if (parameter.is_array() != shared_name) {
      error(parameter.position,
            parameter.is_array() ? "an array parameter is shared: its name ends in '_'"
                                 : "a shared variable cannot be a parameter",
            parameter.is_array() ? fmt::format("call it {}_", parameter.name)
                                 : fmt::format("take an array: int {}[]", parameter.name));
    }
    parameter.symbol = add_symbol(parameter.name, parameter.position, kind);
    parameter.symbol->is_parameter = true;
    parameter.symbol->indices = parameter.indices;
    parameter.symbol->type = parameter.type;
  }
  check_statement(*function.body);
  if (function.result != ResultKind::kVoid && !returns(*function.body)) {
    error(function.position, fmt::format("{} can end without a value", in_quotes(function.name)),
          "end it with a return");
  }
  regions_.pop_back();
  scopes_.pop();
  function_ = nullptr;
}

void Checker::check_recursion() {
  for (const auto& function : program_.functions) {
    std::set<const Function*> reached;
    std::vector<const Function*> open(effects_[function.get()].callees.begin(),
                                      effects_[function.get()].callees.end());
    while (!open.empty()) {
      const Function* next = open.back();
      open.pop_back();
      if (!reached.insert(next).second) continue;
      open.insert(open.end(), effects_[next].callees.begin(), effects_[next].callees.end());
    }
    if (reached.count(function.get()) != 0) {
      error(
          function->position, fmt::format("{} calls itself", in_quotes(function->name)),
          "recursion is not supported: functions are expanded where they are called, as flows have "
          "no stack; write a loop");
    }
    // What callees do, their callers do.
    FunctionEffects& mine = effects_[function.get()];
    for (const Function* callee : reached) {
      const FunctionEffects& theirs = effects_[callee];
      mine.changes_thickness |= theirs.changes_thickness;
      mine.starts_flows |= theirs.starts_flows;
      mine.uses_fibers |= theirs.uses_fibers;
      if (mine.assigned_common.empty()) mine.assigned_common = theirs.assigned_common;
    }
  }
}

void Checker::check_effects_of_calls() {
  for (const CallSite& site : call_sites_) {
    const FunctionEffects& effects = effects_[site.callee];
    const std::string name = in_quotes(site.callee->name);
    if ((site.in_child_flow || site.masked) && !effects.assigned_common.empty()) {
      error(site.position,
            fmt::format("{} assigns {} of the program's first flow and cannot be called here", name,
                        in_quotes(effects.assigned_common)),
            "return the value instead");
    }
    if (site.masked && effects.changes_thickness) {
      error(
          site.position,
          fmt::format("{} changes the thickness and cannot be called where fibers diverge", name));
    } else if (site.masked && effects.starts_flows) {
      error(site.position,
            fmt::format("{} starts flows and cannot be called where fibers diverge", name));
    }
  }
}

void Checker::check_outputs() {
  for (Output& output : program_.outputs) {
    output.symbol = scopes_.find(output.name);
    if (!output.symbol) {
      error(output.position, "unknown name " + in_quotes(output.name),
            scopes_.suggestion_for(output.name));
    } else if (output.symbol->kind != SymbolKind::kShared) {
      error(output.position, in_quotes(output.name) + " is not in shared memory",
            "the first flow can store it there before it ends");
    }
  }
}

void Checker::check_checks() {
  host_ = true;
  for (StatementPtr& check : program_.checks) check_statement(*check);
  host_ = false;
}

}  // namespace raddle::e
