#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "lang/e/lowering_state.h"
#include "lang/e/technique.h"

namespace raddle::e {
namespace {

bool is_shared_place(const Expr& expr) {
  const bool is_place = expr.kind == ExprKind::kName || expr.kind == ExprKind::kElement;
  return is_place && expr.symbol &&
         (expr.symbol->kind == SymbolKind::kShared ||
          expr.symbol->kind == SymbolKind::kArrayParameter);
}

bool is_same(const Expr& a, const Expr& b) {
  if (a.kind != b.kind || a.symbol != b.symbol || a.children.size() != b.children.size()) {
    return false;
  }
  if (a.kind == ExprKind::kNumber && a.value != b.value) return false;
  if (a.kind == ExprKind::kBinary && a.binary != b.binary) return false;
  if (a.kind == ExprKind::kUnary && a.unary != b.unary) return false;
  if (a.kind == ExprKind::kCall || a.kind == ExprKind::kBuiltin) return false;
  for (std::size_t i = 0; i < a.children.size(); ++i) {
    if (!is_same(*a.children[i], *b.children[i])) return false;
  }
  return true;
}

// Mop and MPop, which want no scratchpad, and what refers to memory plainly.
bool is_done_by_modules(std::string_view name) {
  constexpr std::array<std::string_view, 8> kOperators = {"ADD", "SUB",  "AND", "OR",
                                                          "MAX", "MAXU", "MIN", "MINU"};
  const auto is_operator = [&](std::string_view text) {
    return std::find(kOperators.begin(), kOperators.end(), text) != kOperators.end();
  };
  if (name == "LDD" || name == "STD") return true;
  return (name.starts_with("MP") && is_operator(name.substr(2))) ||
         (name.starts_with('M') && is_operator(name.substr(1)));
}

}  // namespace

// In its own file.
std::uint32_t Lowering::line_of(const Statement& statement) const {
  return program_.map.line_in_file(statement.position.line);
}

std::uint32_t Lowering::act(std::string name, std::vector<NodeId> operands, bool sends_entries) {
  FiberAction action;
  action.name = std::move(name);
  action.operands = std::move(operands);
  action.sends_entries = sends_entries;
  action.source_line = source_line_;
  uses_scratchpads_ = uses_scratchpads_ || !is_done_by_modules(action.name);
  return graph_.act(std::move(action));
}

// The technique for a construct, noted for -v; empty if it was refused.
std::string Lowering::choose(const Statement& statement) {
  ConstructFacts facts;
  facts.is_prefix = statement.kind == StatementKind::kPrefix;
  facts.fast = statement.fast;
  facts.source_in_memory = is_shared_place(*statement.value);
  facts.result_in_memory = facts.is_prefix && is_shared_place(*statement.operands[0]);
  facts.thickness = flow_.region.known();
  facts.targets = count_targets(*statement.target, facts.thickness, options_);
  std::string forced = statement.technique;
  Position where = statement.technique_position;
  for (const ForcedTechnique& option : options_.techniques) {
    const Technique* technique = find_technique(option.name);
    const bool fits = technique != nullptr && technique->is_prefix == facts.is_prefix &&
                      (option.line == 0 || (program_.map.is_main(statement.position.line) &&
                                            option.line == line_of(statement)));
    if (!fits) continue;
    if (!statement.technique.empty() && option.line == 0) continue;
    taken_techniques_.insert(&option);
    forced = option.name;
    where = statement.position;
  }
  const TechniqueChoice choice = choose_technique(facts, forced, options_);
  if (choice.name.empty()) {
    diagnostics_.error(forced.empty() ? statement.position : where, choice.reason, choice.hint);
    return {};
  }
  if (!choice.warning.empty()) diagnostics_.warn(statement.position, choice.warning);
  const char* word = facts.is_prefix ? (facts.fast ? "fast_prefix" : "prefix")
                                     : (facts.fast ? "fast_multi" : "multi");
  const Technique& technique = *find_technique(choice.name);
  result_.notes.push_back(
      fmt::format("{}:{}: {} by {} ({}): {}", program_.map.file_of(statement.position.line),
                  line_of(statement), word, choice.name, technique.sequence, choice.reason));
  return choice.name;
}

void Lowering::lower_multi(const Statement& statement) {
  const std::string technique = choose(statement);
  if (technique.empty()) return;
  if (technique == "BF") return lower_backend_frontend(statement);
  const std::string op(name_of(statement.multi));
  const NodeId nominal =
      graph_.front(FrontOperand::of(Constant{symbol_name(*statement.target), 0}));
  touch(*statement.target);
  if (technique == "ML") {
    const NodeId source = masked(fiber_address(*statement.value));
    const NodeId target = masked(fiber_address(*statement.target));
    act("ML" + op, {target, source});
    act("EM" + op, {nominal, nominal}, true);
    return;
  }
  const NodeId source = fiber(*statement.value);
  const NodeId target = masked(fiber_address(*statement.target));
  if (technique == "FS") {
    act("M" + op, {source, target});
  } else if (technique == "S2") {
    act("BS" + op, {source, target});
    act("ES" + op, {source, target});
  } else {
    act("BM" + op, {source, target});
    act("EM" + op, {nominal, nominal}, true);
  }
}

// What a word of shared memory is known to hold here: nothing has changed it since the start.
std::optional<std::int64_t> Lowering::known_word(const Expr& location) const {
  if (repeated_ > 0 || location.symbol->kind != SymbolKind::kShared) return std::nullopt;
  if (touched_.count(location.symbol->id) != 0 || !location.children.empty()) return std::nullopt;
  for (std::size_t i = 0; i < program_.shared.size(); ++i) {
    if (program_.shared[i] == location.symbol) return initial_[i].empty() ? 0 : initial_[i][0];
  }
  return std::nullopt;
}

// Section 3, technique 3: backends reduce, the frontend reduces their results and stores the total.
void Lowering::lower_backend_frontend(const Statement& statement) {
  const std::optional<std::int64_t> known = known_word(*statement.target);
  touch(*statement.target);
  FrontOperand start;
  if (known) {
    start = FrontOperand::of(*known);
  } else {
    // The frontend fetches the old value before the backends begin.
    flush();
    const std::uint32_t reg = new_front_register(statement.position);
    front_into(reg, front_load(FrontOp::Kind::kLoadShared, front_address(*statement.target)));
    start = FrontOperand::in_register(reg);
  }
  NodeId source = fiber(*statement.value);
  if (flow_.mask_register) {
    source = graph_.alu("SEL", current_mask(), source, number(neutral_of(statement.multi)));
  }
  const FrontOperand total = reduce(statement.multi, source, start, statement.position);
  emit(FrontOp{FrontOp::Kind::kStoreShared, {}, {total, front_address(*statement.target)}, {}});
}

// One value of those of all fibers, in a register of the frontend: each backend sends its own.
FrontOperand Lowering::reduce(MultiOperator op, NodeId value, const FrontOperand& start,
                              Position position) {
  if (!options_.multioperations || !options_.all_techniques) {
    diagnostics_.error(position,
                       "reduce and loops with a condition per fiber need reductions in the "
                       "frontend, which this machine does not have",
                       "run it on tpa");
    return start;
  }
  uses_reduction_word_ = true;
  const std::string name(name_of(op));
  act("BF" + name, {value, graph_.front(FrontOperand::of(Constant{"__reduction__", 0}))});
  const std::uint32_t reg = new_front_register(position);
  flush();
  FrontOperand total = start;
  for (std::int64_t i = 0; i < options_.backends; ++i) {
    const FrontOperand received = FrontOperand::temporary(next_temporary_++);
    emit(FrontOp{FrontOp::Kind::kReceive, {}, {}, received});
    const FrontOperand result = FrontOperand::in_register(reg);
    emit(FrontOp{FrontOp::Kind::kAlu, name, {total, received}, result});
    total = result;
  }
  return total;
}

std::string Lowering::ordering_instruction(const std::string& technique) const {
  if (technique == "O3M" || options_.ordering == Ordering::kLogarithmic) return "OML";
  return options_.ordering == Ordering::kBalanced ? "OMB" : "OMP";
}

void Lowering::lower_prefix(const Statement& statement) {
  const std::string technique = choose(statement);
  if (technique.empty()) return;
  const std::string op(name_of(statement.multi));
  const Expr& result = *statement.operands[0];
  const bool to_memory = result.symbol->kind != SymbolKind::kFiber;
  const bool loads = technique == "MPL" || technique == "MMP";
  const bool stores = technique == "MPS" || technique == "MMP";
  const std::string begin = statement.inclusive ? "I" : "";
  touch(*statement.target);
  if (to_memory) touch(result);

  const NodeId source = loads ? masked(fiber_address(*statement.value)) : fiber(*statement.value);
  const NodeId target = masked(fiber_address(*statement.target));
  const NodeId destination = to_memory ? masked(fiber_address(result)) : kNoNode;
  const NodeId nominal =
      graph_.front(FrontOperand::of(Constant{symbol_name(*statement.target), 0}));
  NodeId prefix = kNoNode;
  if (technique == "FMP") {
    prefix = graph_.result_of(act("MP" + op, {source, target}));
    if (statement.inclusive) prefix = graph_.alu(op, prefix, source);
  } else {
    const std::uint32_t first = loads ? act(begin + "MPL" + op, {target, source})
                                      : act(begin + "BMP" + op, {source, target});
    prefix = graph_.result_of(first);
    act(ordering_instruction(technique) + op, {nominal, nominal}, true);
    if (stores) {
      act("MPS" + op, {prefix, target, destination});
      return;
    }
    prefix = graph_.result_of(act("EMP" + op, {prefix, target}));
  }
  if (to_memory) {
    act("STD", {prefix, destination});
    return;
  }
  const std::uint32_t reg = flow_.fiber_registers.at(result.symbol->id);
  if (flow_.mask_register) prefix = graph_.alu("SEL", current_mask(), prefix, value_of(reg));
  assign_fiber(reg, prefix);
}

// Section 4: the conditional multiprefix, with one destination or two.
void Lowering::lower_compaction(const Statement& statement) {
  if (!options_.multioperations || !options_.all_techniques) {
    diagnostics_.error(statement.position, "this machine has no conditional multiprefixes",
                       "run it on tpa, or write a loop as in benchmarks/e/comp-log.e");
    return;
  }
  const bool has_second = statement.operands.size() > 2;
  std::vector<NodeId> places;  // destination, counter, destination, counter
  for (std::size_t i = 0; i < statement.operands.size(); ++i) {
    const Expr& place = *statement.operands[i];
    touch(place);
    const NodeId address = i % 2 == 0
                               ? graph_.front(FrontOperand::of(Constant{symbol_name(place), 0}))
                               : fiber_address(place);
    places.push_back(masked(address));
  }
  const NodeId nothing = number(0);
  const NodeId counter = places[1];
  const NodeId other_counter = has_second ? places[3] : nothing;
  const NodeId destination = places[0];
  const NodeId other_destination = has_second ? places[2] : nothing;
  const bool loads = is_shared_place(*statement.target) && !flow_.mask_register;
  const bool keeps_condition = loads && is_same(*statement.target, *statement.value);
  NodeId value = keeps_condition ? kNoNode : fiber(*statement.value);
  NodeId condition = loads ? kNoNode : fiber(*statement.target);
  const std::uint32_t first =
      loads ? act("CMPLADD", {counter, other_counter, masked(fiber_address(*statement.target))})
            : act("CBMPADD", {condition, counter, other_counter});
  const NodeId prefix = graph_.result_of(first);
  if (loads) condition = graph_.result_of(first, 1);
  if (keeps_condition) value = condition;
  const NodeId nominal =
      graph_.front(FrontOperand::of(Constant{symbol_name(*statement.operands[1]), 0}));
  act(ordering_instruction("") + "ADD", {nominal, nominal}, true);
  // Two counters and two destinations leave one slot: a second common operand goes by a register.
  const auto is_common = [&](NodeId id) { return graph_.node(id).kind == FiberNode::Kind::kFront; };
  if (is_common(value) && is_common(condition)) value = graph_.alu("MAX", value, value);
  act("CMPSADD",
      {value, prefix, condition, counter, other_counter, destination, other_destination});
  result_.notes.push_back(fmt::format("{}:{}: {} by the conditional MMP ({}-{}ADD-CMPSADD)",
                                      program_.map.file_of(statement.position.line),
                                      line_of(statement), has_second ? "partition" : "compact",
                                      loads ? "CMPLADD" : "CBMPADD", ordering_instruction("")));
}

}  // namespace raddle::e
