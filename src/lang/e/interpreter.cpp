#include "lang/e/interpreter.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/stop_token.h"
#include "lang/e/interpreter_state.h"

namespace raddle::e {

void interpret(const Program& program, SharedData& memory, const InterpreterLimits& limits) {
  for (std::size_t i = 0; i < memory.size(); ++i) {
    memory[i].resize(static_cast<std::size_t>(program.shared[i]->words()), 0);
  }
  Interpreter(program, memory, nullptr, limits).run_program();
}

void run_checks(const Program& program, const SharedData& initial, const SharedData& final,
                std::string& printed) {
  if (program.checks.empty()) return;
  SharedData memory = final;
  for (const StatementPtr& check : program.checks) {
    Interpreter(program, memory, &initial, {}, &printed).run_check(*check);
  }
}

Interpreter::Interpreter(const Program& program, SharedData& memory, const SharedData* initial,
                         const InterpreterLimits& limits, std::string* printed)
    : program_(program), memory_(memory), initial_(initial), limits_(limits), printed_(printed) {
  flow_.commons.resize(program.symbol_count);
  flow_.arrays.resize(program.symbol_count);
  flow_.fibers.resize(program.symbol_count);
  flow_.array_bindings.resize(program.symbol_count);
  shared_positions_.resize(program.symbol_count);
  for (std::size_t i = 0; i < program.shared.size(); ++i) {
    shared_positions_[program.shared[i]->id] = i;
  }
}

void Interpreter::run_program() { run_all(program_.statements); }

void Interpreter::run_check(const Statement& check) { run(check); }

void Interpreter::fail(Position position, const std::string& message,
                       const std::string& hint) const {
  throw Error(message, program_.map.where(position), hint);
}

Completion Interpreter::run_all(const std::vector<StatementPtr>& statements) {
  for (const StatementPtr& statement : statements) {
    const Completion completion = run(*statement);
    if (completion != Completion::kNormal) return completion;
  }
  return Completion::kNormal;
}

Completion Interpreter::run(const Statement& statement) {
  throw_if_stopped("interpreting the program");
  if (++statements_ > limits_.statements) {
    fail(statement.position,
         fmt::format("the program did not terminate within {} statements", limits_.statements));
  }
  // Loops evaluate their condition again and again and make its calls themselves.
  const bool is_loop =
      statement.kind == StatementKind::kWhile || statement.kind == StatementKind::kDoWhile ||
      statement.kind == StatementKind::kFor || statement.kind == StatementKind::kParLoop;
  if (!is_loop) {
    if (statement.target) run_calls(*statement.target);
    for (const ExprPtr& operand : statement.operands) {
      if (operand) run_calls(*operand);
    }
    if (statement.value) run_calls(*statement.value);
  }
  switch (statement.kind) {
    case StatementKind::kEmpty:
    case StatementKind::kCall: break;
    case StatementKind::kBlock: return run_all(statement.body);
    case StatementKind::kDeclare: declare(statement); break;
    case StatementKind::kAssign: assign(statement); break;
    case StatementKind::kSetThickness: set_thickness(statement); break;
    case StatementKind::kThick: return run_thick(statement);
    case StatementKind::kIf: return run_if(statement);
    case StatementKind::kWhile:
    case StatementKind::kDoWhile:
    case StatementKind::kFor: return run_loop(statement);
    case StatementKind::kBreak: return Completion::kBreak;
    case StatementKind::kContinue: return Completion::kContinue;
    case StatementKind::kReturn:
      if (statement.value) returned_ = evaluate(*statement.value);
      return Completion::kReturn;
    case StatementKind::kMulti: run_multi(statement); break;
    case StatementKind::kPrefix: run_prefix(statement); break;
    case StatementKind::kCompact:
    case StatementKind::kPartition: run_compaction(statement); break;
    case StatementKind::kSplit: run_split(statement); break;
    case StatementKind::kPar: run_par(statement); break;
    case StatementKind::kParFor: run_par_for(statement); break;
    case StatementKind::kParLoop: run_par_loop(statement); break;
    case StatementKind::kPrint: print(statement); break;
    case StatementKind::kAssert:
      if (scalar_of(*statement.value) == 0) {
        fail(statement.position,
             statement.text.empty() ? "the check failed" : "the check failed: " + statement.text);
      }
      break;
  }
  return Completion::kNormal;
}

void Interpreter::declare(const Statement& statement) {
  for (const Declaration& declaration : statement.declarations) {
    const Symbol& symbol = *declaration.symbol;
    if (symbol.kind == SymbolKind::kShared) continue;
    if (!symbol.extents.empty()) {
      flow_.arrays[symbol.id].assign(static_cast<std::size_t>(symbol.words()), 0);
      continue;
    }
    Value value;
    if (declaration.init == Declaration::Init::kValue) {
      run_calls(*declaration.values[0]);
      value = evaluate(*declaration.values[0]);
    }
    if (symbol.kind == SymbolKind::kCommon) {
      flow_.commons[symbol.id] = value.scalar;
      continue;
    }
    std::vector<std::int64_t>& lanes = flow_.fibers[symbol.id];
    lanes.assign(fibers(), 0);
    for (std::size_t i = 0; i < lanes.size(); ++i) lanes[i] = value.at(i);
  }
}

void Interpreter::assign(const Statement& statement) {
  Value value = evaluate(*statement.value);
  if (statement.op) {
    const Value old = evaluate(*statement.target);
    const bool per_fiber = old.per_fiber || value.per_fiber;
    Value result{per_fiber, 0, std::vector<std::int64_t>(per_fiber ? fibers() : 0)};
    const Type type = statement.target->type;
    if (!per_fiber) result.scalar = apply(*statement.op, type, old.scalar, value.scalar);
    for (std::size_t i = 0; i < result.lanes.size(); ++i) {
      result.lanes[i] = apply(*statement.op, type, old.at(i), value.at(i));
    }
    value = std::move(result);
  }
  store(*statement.target, value);
}

void Interpreter::store(const Expr& target, const Value& value) {
  const Symbol& symbol = *target.symbol;
  if (symbol.kind == SymbolKind::kCommon) {
    if (symbol.extents.empty()) {
      flow_.commons[symbol.id] = value.scalar;
    } else {
      flow_.arrays[symbol.id][indices_of(target)[0]] = value.scalar;
    }
    return;
  }
  if (symbol.kind == SymbolKind::kFiber) {
    std::vector<std::int64_t>& lanes = flow_.fibers[symbol.id];
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      if (takes_part(i)) lanes[i] = value.at(i);
    }
    return;
  }
  // When several fibers write one word, the one with the lowest number is kept.
  if (fibers() == 0) return;
  bool anybody = false;
  for (std::size_t i = 0; i < fibers(); ++i) anybody = anybody || takes_part(i);
  if (!anybody) return;
  const std::vector<std::size_t> indices = indices_of(target);
  const std::size_t shared = shared_index(target);
  for (std::size_t i = fibers(); i-- > 0;) {
    if (!takes_part(i)) continue;
    const std::size_t index = indices.size() == 1 ? indices[0] : indices[i];
    log_write({shared, index}, target.position);
    memory_[shared][index] = value.at(i);
  }
}

void Interpreter::print(const Statement& statement) {
  std::size_t text = 0;
  for (const ExprPtr& operand : statement.operands) {
    *printed_ +=
        operand ? number_text(operand->type, scalar_of(*operand)) : statement.texts[text++];
  }
  *printed_ += "\n";
}

void Interpreter::set_thickness(const Statement& statement) {
  std::int64_t value = scalar_of(*statement.value);
  if (statement.op) value = apply(*statement.op, Type::kInt, flow_.thickness, value);
  flow_.thickness = std::max<std::int64_t>(0, value);
  if (flow_.thickness > limits_.thickness) {
    fail(statement.position, fmt::format("a thickness of {} is too large", flow_.thickness));
  }
}

Completion Interpreter::run_thick(const Statement& statement) {
  const std::int64_t outer = flow_.thickness;
  const std::vector<std::int64_t> parents = std::move(flow_.parents);
  flow_.parents.clear();
  flow_.thickness = std::max<std::int64_t>(0, scalar_of(*statement.value));
  if (flow_.thickness > limits_.thickness) {
    fail(statement.value->position, fmt::format("a thickness of {} is too large", flow_.thickness));
  }
  const Completion completion = run(*statement.body[0]);
  flow_.thickness = outer;
  flow_.parents = parents;
  return completion;
}

Completion Interpreter::run_if(const Statement& statement) {
  const Value condition = evaluate(*statement.value);
  if (!statement.fiberwise) {
    if (condition.scalar != 0) return run(*statement.body[0]);
    return statement.body.size() > 1 ? run(*statement.body[1]) : Completion::kNormal;
  }
  const Mask outer = flow_.mask;
  const Mask otherwise = mask_where(condition, false);
  flow_.mask = mask_where(condition, true);
  run(*statement.body[0]);
  if (statement.body.size() > 1) {
    flow_.mask = otherwise;
    run(*statement.body[1]);
  }
  flow_.mask = outer;
  return Completion::kNormal;
}

Completion Interpreter::run_loop(const Statement& statement) {
  run_all(statement.init);
  if (statement.fiberwise) {
    run_fiberwise_loop(statement);
    return Completion::kNormal;
  }
  const auto goes_on = [&] {
    if (!statement.value) return true;
    run_calls(*statement.value);
    return scalar_of(*statement.value) != 0;
  };
  bool first = statement.kind == StatementKind::kDoWhile;
  while (first || goes_on()) {
    first = false;
    if (++statements_ > limits_.statements) fail(statement.position, "the loop does not terminate");
    const Completion completion = run(*statement.body[0]);
    if (completion == Completion::kReturn) return completion;
    if (completion == Completion::kBreak) break;
    run_all(statement.step);
  }
  return Completion::kNormal;
}

// Fibers leave the loop one by one; the flow leaves it when none is left.
void Interpreter::run_fiberwise_loop(const Statement& statement) {
  const Mask outer = flow_.mask;
  for (;;) {
    run_calls(*statement.value);
    const Mask mask = mask_where(evaluate(*statement.value), true);
    flow_.mask = mask;
    if (std::find(mask.begin(), mask.end(), true) == mask.end()) break;
    if (++statements_ > limits_.statements) fail(statement.position, "the loop does not terminate");
    run(*statement.body[0]);
    flow_.mask = mask;
    run_all(statement.step);
  }
  flow_.mask = outer;
}

}  // namespace raddle::e
