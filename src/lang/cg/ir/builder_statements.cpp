// Statements, branches and returns.
#include "base/error.h"
#include "lang/cg/ir/assigned_variables.h"
#include "lang/cg/ir/builder.h"

namespace raddle::cg {

void Builder::lower_all(const std::vector<StmtPtr>& statements, std::size_t first) {
  for (std::size_t i = first; i < statements.size(); ++i) {
    if (flow_ != Flow::kNext) return;
    const Ref returned = env_[frames_.back().returned][0];
    if (!returned.is_literal()) {
      guard_rest(statements, i);
      return;
    }
    const Stmt& statement = *statements[i];
    const bool splits = statement.kind == StmtKind::kIf && contains_return(statement) &&
                        always_returns(*statement.body[0]) !=
                            (statement.body.size() > 1 && always_returns(*statement.body[1]));
    if (splits) {  // what follows belongs to the branch that does not return
      lower_if(statement, &statements, i + 1);
      return;
    }
    lower(statement);
  }
}

// Some points have returned, some have not: the rest is for those that have not.
void Builder::guard_rest(const std::vector<StmtPtr>& statements, std::size_t first) {
  const Ref returned = env_[frames_.back().returned][0];
  const bool in_loop = loops_.size() > frames_.back().first_loop;
  const Place place = statements[first]->place;
  if (in_loop) {
    if (loops_.back().is_unrolled) throw UnrollFailed{};
    branch(returned, [&] { emit_break(place); }, [] {}, place);
    const Ref still = Ref::literal(0);
    env_[frames_.back().returned] = {still};
    lower_all(statements, first);
    return;
  }
  branch(
      returned, [&] { flow_ = Flow::kReturn; },
      [&] {
        env_[frames_.back().returned] = literals(0, 1);
        lower_all(statements, first);
      },
      place);
}

void Builder::leave_scope(const std::vector<StmtPtr>& statements) {
  for (const StmtPtr& statement : statements) {
    if (statement->kind == StmtKind::kDeclare) env_[statement->index].clear();
    if (statement->kind == StmtKind::kGroup) leave_scope(statement->body);
  }
}

void Builder::lower(const Stmt& statement) {
  at(statement.place);
  switch (statement.kind) {
    case StmtKind::kBlock:
      lower_all(statement.body);
      leave_scope(statement.body);
      break;
    case StmtKind::kGroup: lower_all(statement.body); break;
    case StmtKind::kDeclare: {
      const Type& type = program_.variables[statement.index].type;
      env_[statement.index] = statement.expressions.empty()
                                  ? literals(0, number_count(type, program_.structures))
                                  : lower(*statement.expressions[0]);
      break;
    }
    case StmtKind::kExpression: lower(*statement.expressions[0]); break;
    case StmtKind::kIf: lower_if(statement, nullptr, 0); break;
    case StmtKind::kFor:
    case StmtKind::kWhile:
    case StmtKind::kDoWhile: lower_loop(statement); break;
    case StmtKind::kBreak:
    case StmtKind::kContinue: lower_jump(statement); break;
    case StmtKind::kReturn: lower_return(statement); break;
    case StmtKind::kDiscard: {
      IrNode node;
      node.kind = NodeKind::kKill;
      node.place = statement.place;
      region().push_back(std::move(node));
      break;
    }
  }
}

void Builder::lower_if(const Stmt& statement, const std::vector<StmtPtr>* rest,
                       std::size_t rest_first) {
  const Ref condition = lower(*statement.expressions[0])[0];
  const bool then_returns = always_returns(*statement.body[0]);
  const auto follow = [&](bool returns) {
    if (rest != nullptr && !returns) lower_all(*rest, rest_first);
  };
  const auto then = [&] {
    lower(*statement.body[0]);
    follow(then_returns);
  };
  const auto otherwise = [&] {
    const bool has_else = statement.body.size() > 1;
    if (has_else) lower(*statement.body[1]);
    follow(has_else && always_returns(*statement.body[1]));
  };
  branch(condition, then, otherwise, statement.place);
}

void Builder::branch(const Ref& condition, const Side& then, const Side& otherwise, Place place) {
  if (condition.is_literal()) {
    (condition.number() != 0 ? then : otherwise)();
    return;
  }
  IrNode node;
  node.kind = NodeKind::kIf;
  node.condition = condition;
  node.place = place;
  const std::vector<Refs> before = env_;
  ++depth_;
  const auto side = [&](Region& into, const Side& lower_side) {
    regions_.push_back(&into);
    flow_ = Flow::kNext;
    lower_side();
    regions_.pop_back();
    return std::exchange(flow_, Flow::kNext);
  };
  const Flow then_flow = side(node.then, then);
  std::vector<Refs> then_env = std::exchange(env_, before);
  env_.resize(std::max(env_.size(), then_env.size()));
  const Flow else_flow = side(node.otherwise, otherwise);
  --depth_;
  then_env.resize(std::max(env_.size(), then_env.size()));
  merge(node, std::move(then_env), then_flow, env_, else_flow);
  region().push_back(std::move(node));
}

// What the variables are after both branches. A branch that left the region has no say.
void Builder::merge(IrNode& node, std::vector<Refs> then_env, Flow then_flow,
                    std::vector<Refs> else_env, Flow else_flow) {
  const auto is_gone = [](Flow flow) { return flow == Flow::kEnded; };
  if (is_gone(then_flow) || is_gone(else_flow)) {
    env_ = is_gone(then_flow) ? std::move(else_env) : std::move(then_env);
    flow_ = is_gone(then_flow) ? else_flow : then_flow;
    return;
  }
  // A return is noted in its variable; only where both sides returned is nothing left to do.
  flow_ = then_flow == else_flow ? then_flow : Flow::kNext;
  IrNode then_sets;
  IrNode else_sets;
  then_sets.kind = else_sets.kind = NodeKind::kSet;
  then_sets.place = else_sets.place = node.place;
  env_ = std::move(else_env);
  for (std::size_t variable = 0; variable < env_.size(); ++variable) {
    Refs& refs = env_[variable];
    const Refs& other = then_env[variable];
    if (refs == other) continue;
    if (refs.empty() || other.empty()) {
      refs.clear();
      continue;
    }
    std::vector<std::size_t> differing;
    for (std::size_t i = 0; i < refs.size(); ++i) {
      if (refs[i] != other[i]) differing.push_back(i);
    }
    for (std::size_t first = 0; first < differing.size(); first += 4) {
      const std::size_t count = std::min<std::size_t>(4, differing.size() - first);
      const ValueId cell = new_cell(static_cast<unsigned>(count));
      CellSet then_set{cell, {}};
      CellSet else_set{cell, {}};
      for (unsigned i = 0; i < count; ++i) {
        const std::size_t at = differing[first + i];
        then_set.refs[i] = other[at];
        else_set.refs[i] = refs[at];
        refs[at] = Ref::value(cell, i);
      }
      then_sets.sets.push_back(then_set);
      else_sets.sets.push_back(else_set);
    }
  }
  if (then_sets.sets.empty()) return;
  node.then.push_back(std::move(then_sets));
  node.otherwise.push_back(std::move(else_sets));
}

void Builder::lower_return(const Stmt& statement) {
  const Frame frame = frames_.back();
  if (!statement.expressions.empty()) env_[frame.result] = lower(*statement.expressions[0]);
  env_[frame.returned] = literals(1, 1);
  const bool in_loop = loops_.size() > frame.first_loop;
  if (!in_loop) {
    flow_ = Flow::kReturn;
    return;
  }
  if (loops_.back().is_unrolled) {
    if (depth_ != frame.depth) throw UnrollFailed{};
    flow_ = Flow::kReturn;
    return;
  }
  emit_break(statement.place);
}

void Builder::lower_jump(const Stmt& statement) {
  const Loop& loop = loops_.back();
  const bool is_break = statement.kind == StmtKind::kBreak;
  if (loop.is_unrolled) {
    if (depth_ != loop.depth) throw UnrollFailed{};
    flow_ = is_break ? Flow::kBreak : Flow::kContinue;
    return;
  }
  if (is_break) return emit_break(statement.place);
  set_cells(loop, false);
  IrNode node;
  node.kind = NodeKind::kContinue;
  node.place = statement.place;
  region().push_back(std::move(node));
  flow_ = Flow::kEnded;
}

}  // namespace raddle::cg
