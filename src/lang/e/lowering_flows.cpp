#include <algorithm>
#include <utility>

#include "lang/e/lowering_state.h"

namespace raddle::e {
namespace {

// What a split leaves in shared memory, by words from its start: two counters, the old numbers of
// the fibers of both branches, and the parent's fiber variables that branches use.
constexpr std::int64_t kCounterWords = 2;

}  // namespace

void Lowering::defer(const std::string& label, FlowState state, std::function<void()> body) {
  for (const auto& symbol : program_.shared) touched_.insert(symbol->id);
  deferred_.push_back({label, std::move(state), std::move(body), source_line_});
}

// A flow that starts here: the parent's variables are there to read, its fibers are not.
FlowState Lowering::child_state(const FrontOperand& thickness) {
  FlowState state = flow_;
  state.fiber_registers.clear();
  state.next_fiber = 0;
  state.mask_register.reset();
  state.parent_register.reset();
  state.loops.clear();
  state.region.thickness = thickness;
  state.region.group = next_group_++;
  return state;
}

void Lowering::lower_par(const Statement& statement) {
  flush();
  for (const StatementPtr& child : statement.body) {
    const std::string label = new_label("flow");
    const Statement* body = child.get();
    defer(label, child_state(FrontOperand::of(1)), [this, body] {
      if (body->sets_thickness) {
        const std::uint32_t reg = new_front_register(body->position);
        front_into(reg, FrontOperand::of(1));
        flow_.region.thickness = FrontOperand::in_register(reg);
      }
      lower(*body);
    });
    emit(Control{Control::Kind::kFork, FrontOperand::of(1), label});
  }
  emit(Control{Control::Kind::kJoin, {}, {}});
}

void Lowering::lower_par_for(const Statement& statement) {
  flush();
  const std::uint32_t index = new_front_register(statement.position);
  const std::uint32_t count = new_front_register(statement.position);
  const FrontOperand index_value = FrontOperand::in_register(index);
  const FrontOperand count_value = FrontOperand::in_register(count);
  front_into(count, front(*statement.value));
  front_into(index, FrontOperand::of(0));
  hoisted_.clear();
  FlowState state = child_state(FrontOperand::of(1));
  state.front_registers[statement.variable->id] = index;
  const std::string label = new_label("flow");
  defer_body(label, state, statement);
  const std::string loop = new_label("start");
  const std::string end = new_label("started");
  emit(Control{Control::Kind::kBranchZero, front_alu("SLT", index_value, count_value), end});
  emit_label(loop);
  emit(Control{Control::Kind::kFork, FrontOperand::of(1), label});
  front_into(index, front_alu("ADD", index_value, FrontOperand::of(1)));
  emit(Control{Control::Kind::kBranchNonZero, front_alu("SLT", index_value, count_value), loop});
  emit_label(end);
  emit(Control{Control::Kind::kJoin, {}, {}});
}

// The body of a par over many flows.
void Lowering::defer_body(const std::string& label, FlowState state, const Statement& statement) {
  const Statement* whole = &statement;
  defer(label, std::move(state), [this, whole] {
    if (whole->sets_thickness) {
      const std::uint32_t reg = new_front_register(whole->position);
      front_into(reg, FrontOperand::of(1));
      flow_.region.thickness = FrontOperand::in_register(reg);
    }
    lower(*whole->body[0]);
  });
}

// A loop that starts a flow in each iteration, and waits for them when the TCF buffers are full.
void Lowering::lower_par_loop(const Statement& statement) {
  const std::uint32_t front = flow_.next_front;
  const std::uint32_t fiber = flow_.next_fiber;
  for (const StatementPtr& init : statement.init) lower(*init);
  flush();
  const std::uint32_t started = new_front_register(statement.position);
  const FrontOperand started_value = FrontOperand::in_register(started);
  front_into(started, FrontOperand::of(0));
  ++repeated_;
  const std::string loop = new_label("start");
  const std::string full = new_label("more");
  const std::string end = new_label("started");
  const std::string label = new_label("flow");
  const auto test = [&](bool when, const std::string& target) {
    const std::uint32_t level = flow_.next_front;
    hoist(*statement.value);
    flush();
    branch(*statement.value, when, target);
    hoisted_.clear();
    release(level, flow_.next_fiber);
  };
  source_line_ = statement.position.line;
  test(false, end);
  emit_label(loop);
  defer_body(label, child_state(FrontOperand::of(1)), statement);
  emit(Control{Control::Kind::kFork, FrontOperand::of(1), label});
  front_into(started, front_alu("ADD", started_value, FrontOperand::of(1)));
  const FrontOperand room = FrontOperand::of(std::max<std::int64_t>(1, options_.flows - 1));
  emit(Control{Control::Kind::kBranchNonZero, front_alu("SLT", started_value, room), full});
  emit(Control{Control::Kind::kJoin, {}, {}});
  front_into(started, FrontOperand::of(0));
  emit_label(full);
  for (const StatementPtr& step : statement.step) lower(*step);
  flush();
  source_line_ = statement.position.line;
  test(true, loop);
  emit_label(end);
  emit(Control{Control::Kind::kJoin, {}, {}});
  --repeated_;
  release(front, fiber);
}

// Section 4: fibers are numbered anew in both branches by a conditional multiprefix, which leaves
// their old numbers in two arrays; then each branch that has fibers runs as a flow of its own.
void Lowering::lower_split(const Statement& statement) {
  if (!options_.multioperations || !options_.all_techniques) {
    diagnostics_.error(statement.position,
                       "this machine has no conditional multiprefixes, which split needs",
                       "run it on tpa");
    return;
  }
  uses_heap_ = true;
  std::vector<std::pair<std::uint32_t, bool>> kept;  // parent's register; written by a branch
  std::vector<std::uint32_t> symbols;
  for (const auto& symbol : statement.captured) {
    if (flow_.fiber_registers.count(symbol->id) == 0) continue;
    const bool is_written = std::find(statement.written.begin(), statement.written.end(), symbol) !=
                            statement.written.end();
    kept.emplace_back(flow_.fiber_registers.at(symbol->id), is_written);
    symbols.push_back(symbol->id);
  }
  const bool has_else = statement.body.size() > 1;

  // The condition waits in a fiber register while the frontend takes memory.
  const std::uint32_t condition = new_fiber_register(statement.position);
  assign_fiber(condition, fiber(*statement.value));
  hoisted_.clear();
  flush();
  const FrontOperand thickness = flow_.region.thickness;
  const std::uint32_t base = new_front_register(statement.position);
  const std::uint32_t bytes = new_front_register(statement.position);  // of one value a fiber
  const FrontOperand base_value = FrontOperand::in_register(base);
  const FrontOperand bytes_value = FrontOperand::in_register(bytes);
  const FrontOperand used = FrontOperand::of(Constant{"heap_used", 0});
  const FrontOperand users = FrontOperand::of(Constant{"heap_users", 0});
  front_into(bytes, thickness.is_number() ? FrontOperand::of(thickness.constant.number * 8)
                                          : front_alu("SHL", thickness, FrontOperand::of(3)));
  front_into(base, front_load(FrontOp::Kind::kLoadLocal, used));
  const auto arrays = static_cast<std::int64_t>(2 + kept.size());
  FrontOperand taken = front_alu("MUL", bytes_value, FrontOperand::of(arrays));
  taken = front_alu("ADD", taken, FrontOperand::of(kCounterWords * 8));
  emit(FrontOp{FrontOp::Kind::kStoreLocal, {}, {front_alu("ADD", base_value, taken), used}, {}});
  const FrontOperand more =
      front_alu("ADD", front_load(FrontOp::Kind::kLoadLocal, users), FrontOperand::of(1));
  emit(FrontOp{FrontOp::Kind::kStoreLocal, {}, {more, users}, {}});
  front_into(base, front_alu("ADD", base_value, FrontOperand::of(Constant{"__heap__", 0})));
  // Where the k-th array begins.
  const auto array = [this, base_value, bytes_value](std::int64_t k) {
    const FrontOperand first = front_alu("ADD", base_value, FrontOperand::of(kCounterWords * 8));
    if (k == 0) return first;
    return front_alu("ADD", first, front_alu("MUL", bytes_value, FrontOperand::of(k)));
  };
  const FrontOperand second_counter = front_alu("ADD", base_value, FrontOperand::of(8));
  emit(FrontOp{FrontOp::Kind::kStoreShared, {}, {FrontOperand::of(0), base_value}, {}});
  emit(FrontOp{FrontOp::Kind::kStoreShared, {}, {FrontOperand::of(0), second_counter}, {}});

  const auto own_word = [this](const FrontOperand& start) {
    const NodeId offset = graph_.alu("SHL", graph_.fiber_id(), number(3));
    return graph_.alu("ADD", graph_.front(start), offset);
  };
  for (std::size_t i = 0; i < kept.size(); ++i) {
    act("STD", {value_of(kept[i].first), own_word(array(static_cast<std::int64_t>(2 + i)))});
  }
  const NodeId choice = value_of(condition);
  const NodeId counter = graph_.front(base_value);
  const NodeId other =
      has_else ? graph_.front(front_alu("ADD", base_value, FrontOperand::of(8))) : number(0);
  const NodeId prefix = graph_.result_of(act("CBMPADD", {choice, counter, other}));
  act("OMPADD", {counter, counter}, true);
  act("CMPSADD", {graph_.fiber_id(), prefix, choice, counter, other, graph_.front(array(0)),
                  has_else ? graph_.front(array(1)) : number(0)});
  flush();

  for (std::size_t branch = 0; branch < statement.body.size(); ++branch) {
    const std::string label = new_label("flow");
    const std::string skip = new_label("none");
    const std::uint32_t fibers = new_front_register(statement.position);
    const FrontOperand fibers_value = FrontOperand::in_register(fibers);
    const auto offset = static_cast<std::int64_t>(8 * branch);
    front_into(fibers, front_load(FrontOp::Kind::kLoadShared,
                                  front_alu("ADD", base_value, FrontOperand::of(offset))));
    FlowState state = child_state(fibers_value);
    const Statement* body = statement.body[branch].get();
    const auto numbers = static_cast<std::int64_t>(branch);
    defer(label, state, [this, body, kept, symbols, numbers, array, own_word] {
      const std::uint32_t parent = new_fiber_register(body->position);
      flow_.parent_register = parent;
      assign_fiber(parent, graph_.load(own_word(array(numbers)), source_line_));
      const auto parents_word = [&](std::size_t i) {
        const FrontOperand start = array(static_cast<std::int64_t>(2 + i));
        const NodeId scaled = graph_.alu("SHL", value_of(parent), number(3));
        return graph_.alu("ADD", graph_.front(start), scaled);
      };
      for (std::size_t i = 0; i < kept.size(); ++i) {
        const std::uint32_t reg = new_fiber_register(body->position);
        flow_.fiber_registers[symbols[i]] = reg;
        assign_fiber(reg, graph_.load(parents_word(i), source_line_));
        flush_if_large();
      }
      lower(*body);
      for (std::size_t i = 0; i < kept.size(); ++i) {
        if (!kept[i].second) continue;
        act("STD", {value_of(flow_.fiber_registers.at(symbols[i])), parents_word(i)});
      }
    });
    emit(Control{Control::Kind::kBranchZero, fibers_value, skip});
    emit(Control{Control::Kind::kFork, fibers_value, label});
    emit_label(skip);
  }
  emit(Control{Control::Kind::kJoin, {}, {}});
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (!kept[i].second) continue;
    assign_fiber(kept[i].first,
                 graph_.load(own_word(array(static_cast<std::int64_t>(2 + i))), source_line_));
    flush_if_large();
  }
  flush();
  // The last user gives all memory back.
  const FrontOperand left =
      front_alu("SUB", front_load(FrontOp::Kind::kLoadLocal, users), FrontOperand::of(1));
  emit(FrontOp{FrontOp::Kind::kStoreLocal, {}, {left, users}, {}});
  const FrontOperand old = front_load(FrontOp::Kind::kLoadLocal, used);
  emit(FrontOp{FrontOp::Kind::kStoreLocal,
               {},
               {front_alu("SEL", left, old, FrontOperand::of(0)), used},
               {}});
}

}  // namespace raddle::e
