#include "lang/e/lowering.h"

#include <fmt/format.h>

#include <algorithm>

#include "lang/e/fiber_scheduler.h"
#include "lang/e/line_packer.h"
#include "lang/e/lowering_state.h"
#include "lang/e/technique.h"

namespace raddle::e {
namespace {

constexpr std::uint32_t kFrontVariables = 22;  // R0 … R21; temporaries come from R30 downwards
constexpr std::uint32_t kFiberVariables = 48;
constexpr std::size_t kLargeBatch = 24;
constexpr std::uint32_t kMappingRegister = 34;  // 0: stacked

}  // namespace

Lowered lower(const Program& program, const SharedData& initial, const CompileOptions& options,
              Diagnostics& diagnostics) {
  return Lowering(program, initial, options, diagnostics).run();
}

Lowered Lowering::run() {
  machine_thickness_ = FrontOperand::of(1);
  if (program_.sets_thickness) {
    const std::uint32_t reg = new_front_register({});
    flow_.region.thickness = FrontOperand::in_register(reg);
    front_into(reg, FrontOperand::of(1));
  }
  for (const StatementPtr& statement : program_.statements) lower(*statement);
  flush();
  if (!deferred_.empty()) emit(Control{Control::Kind::kExit, {}, {}});
  ++repeated_;
  // Flows that flows start are found while these are lowered.
  std::size_t next = 0;
  while (next < deferred_.size()) {
    const Deferred deferred = deferred_[next++];
    source_line_ = deferred.source_line;
    emit_label(deferred.label);
    flow_ = deferred.state;
    machine_thickness_ = flow_.region.thickness;
    deferred.body();
    flush();
    emit(Control{Control::Kind::kExit, {}, {}});
  }
  if (options_.interleaved && uses_scratchpads_) map_stacked();
  PackInput input;
  input.items = &items_;
  input.map = &program_.map;
  input.layouts = layouts_;
  if (!diagnostics_.has_errors()) result_.text = data_directives() + pack(input);
  for (const ForcedTechnique& option : options_.techniques) {
    if (taken_techniques_.contains(&option)) continue;
    diagnostics_.warn(
        {program_.map.of_main(option.line == 0 ? 1 : option.line), 1},
        fmt::format("--technique={} has no effect: the {} has no {}{}", option.name,
                    option.line == 0 ? "program" : "line",
                    find_technique(option.name)->is_prefix ? "multiprefix" : "multioperation",
                    option.line == 0 ? " without a technique of its own" : ""));
  }
  return std::move(result_);
}

// "Selecting the correct mapping can easily be handled by the compiler" (the paper's Section 5.3).
// Flows that are started later have it from the first.
void Lowering::map_stacked() {
  FrontOp move;
  move.kind = FrontOp::Kind::kMove;
  move.result = FrontOperand::in_register(kMappingRegister);
  move.operands = {FrontOperand::of(0)};
  items_.insert(items_.begin(), Item{std::move(move), 1});
  diagnostics_.warn(
      {1, 1},
      "fibers are mapped stacked, not interleaved as on this machine: multioperations "
      "and multiprefixes by scratchpads need it",
      "fast_multi and fast_prefix do not");
}

void Lowering::emit(FrontOp op) { items_.push_back({std::move(op), source_line_}); }

void Lowering::emit(Control control) { items_.push_back({std::move(control), source_line_}); }

void Lowering::emit_label(const std::string& name) {
  flush();
  front_values_.clear();
  items_.push_back({Label{name}, source_line_});
  machine_thickness_.reset();
}

std::string Lowering::new_label(std::string_view purpose) {
  return fmt::format("{}_{}", purpose, ++next_label_);
}

std::uint32_t Lowering::new_front_register(Position position) {
  if (flow_.next_front >= kFrontVariables) {
    diagnostics_.error(position,
                       fmt::format("more than {} flow variables are live here", kFrontVariables),
                       "declare variables in the blocks that use them, or use an array");
    return 0;
  }
  const std::uint32_t reg = flow_.next_front++;
  if (machine_thickness_ == FrontOperand::in_register(reg)) machine_thickness_.reset();
  return reg;
}

std::uint32_t Lowering::new_fiber_register(Position position) {
  if (flow_.next_fiber >= kFiberVariables) {
    diagnostics_.error(position,
                       fmt::format("more than {} fiber variables are live here", kFiberVariables),
                       "keep values in shared arrays");
    return 0;
  }
  return flow_.next_fiber++;
}

// Ends the life of registers from these on; fiber variables among them are not written back.
void Lowering::release(std::uint32_t front, std::uint32_t fiber) {
  flow_.next_front = front;
  flow_.next_fiber = fiber;
  assigned_.erase(assigned_.lower_bound(fiber), assigned_.end());
}

NodeId Lowering::value_of(std::uint32_t fiber_register) {
  const auto changed = assigned_.find(fiber_register);
  return changed != assigned_.end() ? changed->second : graph_.variable(fiber_register);
}

void Lowering::assign_fiber(std::uint32_t fiber_register, NodeId value) {
  assigned_[fiber_register] = value;
}

// One line can write four variables at its end.
void Lowering::flush_if_large() {
  if (assigned_.size() >= 4 || graph_.actions().size() >= kLargeBatch) flush();
}

void Lowering::flush() {
  FiberBatch batch;
  batch.graph = &graph_;
  batch.assigned = assigned_;
  // Variables whose block has ended may still be read by the lines of this batch.
  batch.first_free_register = flow_.next_fiber;
  for (NodeId id = 0; id < graph_.size(); ++id) {
    const FiberNode& node = graph_.node(id);
    if (node.kind != FiberNode::Kind::kVariable) continue;
    batch.first_free_register = std::max(batch.first_free_register, node.number + 1);
  }
  const bool sets_thickness = machine_thickness_ != flow_.region.thickness;
  batch.reserves_slot =
      sets_thickness && flow_.region.thickness.kind == FrontOperand::Kind::kConstant;
  FiberSchedule scheduled = schedule(batch);
  bool first = true;
  for (ScheduledLine& line : scheduled.lines) {
    line.line.group = flow_.region.group;
    if (first && sets_thickness) {
      line.line.thickness = flow_.region.thickness;
      machine_thickness_ = flow_.region.thickness;
    }
    first = false;
    items_.push_back(
        {std::move(line.line), line.source_line != 0 ? line.source_line : source_line_});
  }
  std::uint32_t& registers = layouts_[flow_.region.group];
  registers = std::max({registers, scheduled.registers, flow_.next_fiber});
  graph_ = {};
  assigned_.clear();
  front_values_.clear();
}

const Symbol& Lowering::shared_symbol(const Expr& location) const {
  const Symbol* symbol = location.symbol.get();
  if (symbol->kind == SymbolKind::kArrayParameter) symbol = flow_.array_bindings.at(symbol->id);
  return *symbol;
}

std::string Lowering::symbol_name(const Expr& location) const {
  return "_" + shared_symbol(location).name;
}

std::string Lowering::data_directives() const {
  std::string text = fmt::format("// {}, lowered to TPA assembly\n", program_.file_name);
  for (const auto& symbol : program_.shared) {
    text += fmt::format(".shared _{} {}\n", symbol->name, symbol->words());
  }
  if (uses_reduction_word_) text += ".shared __reduction__ 1\n";
  if (uses_heap_) {
    text += fmt::format(".shared __heap__ {}\n", options_.heap_words);
    text += ".local heap_used 1\n.local heap_users 1\n";
  }
  for (const StatementPtr& statement : program_.statements) {
    if (statement->kind != StatementKind::kDeclare) continue;
    for (const Declaration& declaration : statement->declarations) {
      const Symbol& symbol = *declaration.symbol;
      if (symbol.kind != SymbolKind::kCommon || symbol.extents.empty()) continue;
      text += fmt::format(".local local_{} {}\n", symbol.name, symbol.words());
    }
  }
  return text;
}

}  // namespace raddle::e
