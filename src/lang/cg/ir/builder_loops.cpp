// Loops: unrolled where the number of turns is known and small, else as loops of the processor,
// which count to 255; where it is not known how often a loop iterates, two of them stand in each
// other.
#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "lang/cg/ir/assigned_variables.h"
#include "lang/cg/ir/builder.h"

namespace raddle::cg {
namespace {

constexpr std::uint16_t kMaxTurns = 255;
// Values that unrolling one loop may make: a longer one costs little by turning.
constexpr std::size_t kMaxUnrolledValues = 160;

}  // namespace

void Builder::lower_loop(const Stmt& statement) {
  lower_all(statement.body);
  if (options_.level == 0 || !may_unroll_ || !try_unroll(statement)) real_loop(statement);
  leave_scope(statement.body);
}

bool Builder::try_unroll(const Stmt& statement) {
  const std::vector<Refs> env = env_;
  const std::size_t nodes = region().size();
  const std::size_t loops = loops_.size();
  const std::size_t frames = frames_.size();
  const std::size_t depth = depth_;
  const std::size_t values = result_.values.size();
  Region* const here = regions_.back();
  const std::size_t open_regions = regions_.size();
  const std::size_t open_loops = open_loops_.size();
  try {
    unroll(statement);
    return true;
  } catch (const UnrollFailed&) {
    regions_.resize(open_regions);
    open_loops_.resize(open_loops);
    RADDLE_ASSERT(regions_.back() == here);
    here->erase(here->begin() + static_cast<std::ptrdiff_t>(nodes), here->end());
    env_ = env;
    loops_.resize(loops);
    frames_.resize(frames);
    depth_ = depth;
    flow_ = Flow::kNext;
    result_.values.resize(values);
    return false;
  }
}

void Builder::unroll(const Stmt& statement) {
  Loop loop;
  loop.is_unrolled = true;
  loop.depth = depth_;
  loops_.push_back(loop);
  const std::size_t start = result_.values.size();
  const bool tests_first = statement.kind != StmtKind::kDoWhile;
  for (unsigned turn = 0;; ++turn) {
    if (statement.condition && (tests_first || turn > 0)) {
      const Ref condition = lower(*statement.condition)[0];
      if (!condition.is_literal()) throw UnrollFailed{};
      if (condition.number() == 0) break;
    }
    if (turn > 1024 || result_.values.size() - start > kMaxUnrolledValues) throw UnrollFailed{};
    lower(*statement.loop_body);
    if (!env_[frames_.back().returned][0].is_literal()) throw UnrollFailed{};
    if (flow_ == Flow::kContinue) flow_ = Flow::kNext;
    if (flow_ != Flow::kNext) break;
    if (statement.step) lower(*statement.step);
  }
  if (flow_ == Flow::kBreak) flow_ = Flow::kNext;
  loops_.pop_back();
}

// for (i = a; i < b; i += c) whose body leaves i alone: how often it turns.
std::optional<std::uint16_t> Builder::known_turns(const Stmt& statement) {
  if (statement.kind != StmtKind::kFor || !statement.condition || !statement.step ||
      options_.level == 0)
    return std::nullopt;
  const Expr& test = *statement.condition;
  if (test.kind != ExprKind::kBinary) return std::nullopt;
  const Expr* counter = test.operands[0].get();
  while (counter->kind == ExprKind::kConvert) counter = counter->operands[0].get();
  const bool is_counter = counter->kind == ExprKind::kVariable && counter->type.is_scalar() &&
                          test.operands[0]->type.is_scalar() &&
                          test.operands[0]->type.base != BaseType::kBool;
  if (!is_counter || env_[counter->index].empty()) return std::nullopt;
  const std::set<std::uint32_t> changed = assigned_variables(*statement.loop_body, program_);
  if (changed.contains(counter->index)) return std::nullopt;
  // Try it out: only the test and the step, on a region that is thrown away.
  const std::vector<Refs> env = env_;
  const std::size_t values = result_.values.size();
  Region scratch;
  regions_.push_back(&scratch);
  for (const std::uint32_t variable : changed) {  // whatever the body makes of them
    for (Ref& ref : env_[variable]) ref = Ref::value(new_cell(1), 0);
  }
  std::optional<std::uint16_t> turns;
  for (std::uint16_t count = 0; count <= kMaxTurns; ++count) {
    const Ref condition = lower(test)[0];
    if (!condition.is_literal()) break;
    if (condition.number() == 0) {
      turns = count;
      break;
    }
    lower(*statement.step);
  }
  regions_.pop_back();
  env_ = env;
  result_.values.resize(values);
  return turns;
}

void Builder::real_loop(const Stmt& statement) {
  const bool is_do = statement.kind == StmtKind::kDoWhile;
  const bool late_step = statement.step && contains_continue(*statement.loop_body);
  const auto turns = late_step ? std::nullopt : known_turns(statement);
  if (turns && *turns == 0) return;
  std::optional<std::uint32_t> first_flag;
  if (is_do || late_step) first_flag = new_variable(literals(1, 1));

  Loop loop;
  loop.depth = depth_;
  for (const std::uint32_t variable : assigned_variables(statement, program_)) {
    if (!env_[variable].empty()) loop.carried.push_back(variable);
  }
  if (contains_return(statement)) {
    const Frame& frame = frames_.back();
    loop.returned = frame.returned;
    loop.carried.push_back(frame.returned);
    if (!env_[frame.result].empty()) loop.carried.push_back(frame.result);
  }
  if (first_flag) loop.carried.push_back(*first_flag);

  if (turns) {
    open_loop(loop, *turns, statement.place);
    loop_body(statement, false, first_flag);
    close_loop();
  } else {
    Loop outer = loop;
    const std::uint32_t finished = new_variable(literals(0, 1));
    outer.carried.push_back(finished);
    loop.carried.push_back(finished);
    loop.finished = finished;
    open_loop(outer, kMaxTurns, statement.place);
    open_loop(loop, kMaxTurns, statement.place);
    loop_body(statement, true, first_flag);
    close_loop();
    branch_out(env_[finished][0], statement.place);
    env_[finished] = literals(0, 1);
    close_loop();
    env_[finished].clear();
  }
  if (first_flag) env_[*first_flag].clear();
}

// One turn, up to where the cells are set for the next.
void Builder::loop_body(const Stmt& statement, bool tests,
                        std::optional<std::uint32_t> first_flag) {
  const bool is_do = statement.kind == StmtKind::kDoWhile;
  if (first_flag) {
    const Ref is_first = env_[*first_flag][0];
    const auto again = [&] {
      if (statement.step) lower(*statement.step);
      if (is_do && statement.condition)
        break_if_false(lower(*statement.condition)[0], statement.place);
    };
    branch(is_first, [] {}, again, statement.place);
    env_[*first_flag] = literals(0, 1);
  }
  if (tests && !is_do && statement.condition)
    break_if_false(lower(*statement.condition)[0], statement.place);
  lower(*statement.loop_body);
  // Points that returned from a loop at the end of the body leave this one, too.
  const Ref returned = env_[frames_.back().returned][0];
  if (flow_ == Flow::kNext && !returned.is_literal()) {
    branch_out(returned, statement.place);
    env_[frames_.back().returned] = literals(0, 1);
  }
  if (flow_ == Flow::kNext && statement.step && !first_flag) lower(*statement.step);
}

void Builder::open_loop(Loop loop, std::uint16_t count, Place place) {
  for (const std::uint32_t variable : loop.carried) {
    std::vector<ValueId> cells;
    for (std::size_t first = 0; first < env_[variable].size(); first += 4)
      cells.push_back(
          new_cell(static_cast<unsigned>(std::min<std::size_t>(4, env_[variable].size() - first))));
    loop.cells.push_back(std::move(cells));
  }
  set_cells(loop, true);
  for (std::size_t v = 0; v < loop.carried.size(); ++v) {
    Refs& refs = env_[loop.carried[v]];
    for (std::size_t i = 0; i < refs.size(); ++i)
      refs[i] = Ref::value(loop.cells[v][i / 4], static_cast<unsigned>(i % 4));
    // As long as a point is in the loop, it has not left it.
    if (loop.carried[v] == loop.returned || loop.carried[v] == loop.finished) refs = literals(0, 1);
  }
  IrNode node;
  node.kind = NodeKind::kLoop;
  node.count = count;
  node.place = place;
  auto owned = std::make_unique<IrNode>(std::move(node));
  regions_.push_back(&owned->then);
  open_loops_.push_back(std::move(owned));
  loops_.push_back(std::move(loop));
}

void Builder::close_loop() {
  const Loop loop = std::move(loops_.back());
  if (flow_ != Flow::kEnded) set_cells(loop, false);
  loops_.pop_back();
  flow_ = Flow::kNext;
  for (std::size_t v = 0; v < loop.carried.size(); ++v) {
    Refs& refs = env_[loop.carried[v]];
    for (std::size_t i = 0; i < refs.size(); ++i)
      refs[i] = Ref::value(loop.cells[v][i / 4], static_cast<unsigned>(i % 4));
  }
  regions_.pop_back();
  region().push_back(std::move(*open_loops_.back()));
  open_loops_.pop_back();
}

void Builder::set_cells(const Loop& loop, bool is_start) {
  IrNode node;
  node.kind = NodeKind::kSet;
  node.place = place_;
  for (std::size_t v = 0; v < loop.carried.size(); ++v) {
    const Refs& refs = env_[loop.carried[v]];
    const bool is_flag = loop.carried[v] == loop.returned || loop.carried[v] == loop.finished;
    if (!is_start && is_flag && refs[0].is_literal(0)) continue;
    for (std::size_t c = 0; c < loop.cells[v].size(); ++c) {
      CellSet set{loop.cells[v][c], {}};
      for (std::size_t i = 0; i < 4 && c * 4 + i < refs.size(); ++i) {
        const Ref& ref = refs[c * 4 + i];
        if (ref != Ref::value(set.cell, static_cast<unsigned>(i))) set.refs[i] = ref;
      }
      node.sets.push_back(set);
    }
  }
  if (!node.sets.empty()) region().push_back(std::move(node));
}

void Builder::break_if_false(const Ref& condition, Place place) {
  branch(condition, [] {}, [&] { emit_break(place); }, place);
}

void Builder::branch_out(const Ref& condition, Place place) {
  branch(condition, [&] { emit_break(place); }, [] {}, place);
}

void Builder::emit_break(Place place) {
  const Loop& loop = loops_.back();
  if (loop.finished) env_[*loop.finished] = literals(1, 1);
  set_cells(loop, false);
  IrNode node;
  node.kind = NodeKind::kBreak;
  node.place = place;
  region().push_back(std::move(node));
  flow_ = Flow::kEnded;
}

}  // namespace raddle::cg
