#include "lang/ptx/function_builder.h"

#include <algorithm>
#include <ranges>

#include "kernel/analysis/channel_instances.h"
#include "lang/ptx/inter_thread.h"

namespace raddle::ptx {
namespace {

using kernel::Instruction;
using kernel::kNoId;
using kernel::Opcode;
using kernel::Operand;
using kernel::SymbolKind;
using kernel::Type;

constexpr std::size_t kMaxScopes = 64;
constexpr std::uint64_t kMaxFrameBytes = std::uint64_t{1} << 24;

bool is_debug_label(std::string_view name) {
  return name.starts_with("$L__tmp") || name.starts_with("$L__func_");
}

std::string without_percent(std::string_view name) {
  return std::string(name.starts_with('%') ? name.substr(1) : name);
}

}  // namespace

bool split_numbered_name(std::string_view name, std::string_view& prefix, std::uint32_t& number) {
  std::size_t start = name.size();
  while (start > 0 && name[start - 1] >= '0' && name[start - 1] <= '9') --start;
  const std::size_t digits = name.size() - start;
  if (digits == 0 || digits > 9 || (digits > 1 && name[start] == '0')) return false;
  prefix = name.substr(0, start);
  number = 0;
  for (const char c : name.substr(start))
    number = number * 10 + static_cast<std::uint32_t>(c - '0');
  return true;
}

FunctionBuilder::FunctionBuilder(Context& context, kernel::Function function)
    : context_(context), function_(std::move(function)), scopes_(1) {}

void FunctionBuilder::open_scope() {
  if (scopes_.size() == kMaxScopes) context_.fail("scopes are nested too deeply");
  scopes_.emplace_back();
}

void FunctionBuilder::close_scope() {
  Scope& scope = scopes_.back();
  for (const std::uint32_t slot : scope.call_slots)
    closed_slots_.emplace(function_.call_slots[slot].name, slot);
  if (scopes_.size() > 1) {
    Scope& outer = scopes_[scopes_.size() - 2];
    for (const LabelUseId use : scope.open_uses) {
      const auto found = scope.labels.find(uses_[use].name);
      if (found != scope.labels.end()) {
        uses_[use].label = found->second;
      } else {
        outer.open_uses.push_back(use);
      }
    }
  }
  scopes_.pop_back();
}

void FunctionBuilder::check_undeclared(std::string_view name) const {
  if (scopes_.back().names.contains(name)) context_.fail(quoted(name) + " is declared twice");
}

void FunctionBuilder::check_frame(std::uint64_t bytes, std::string_view what) {
  if (bytes > kMaxFrameBytes) {
    context_.fail(std::string(what) + " of " + quoted(function_.name) + " take more than " +
                  std::to_string(kMaxFrameBytes) + " bytes");
  }
}

kernel::RegisterId FunctionBuilder::add_register(std::string_view name, Type type) {
  function_.registers.push_back({without_percent(name), type});
  return static_cast<kernel::RegisterId>(function_.registers.size() - 1);
}

void FunctionBuilder::declare_register(std::string_view name, Type type) {
  check_undeclared(name);
  scopes_.back().names.emplace(name, Operand::reg(add_register(name, type)));
}

void FunctionBuilder::declare_registers(const RegisterRange& range) {
  for (const RegisterRange& other : scopes_.back().ranges) {
    if (other.prefix == range.prefix) {
      context_.fail(quoted(std::string(range.prefix) + "<" + std::to_string(range.count) + ">") +
                    " is declared twice");
    }
  }
  scopes_.back().ranges.push_back(range);
}

std::uint32_t FunctionBuilder::add_call_slot(std::string_view name, std::uint32_t size,
                                             std::uint32_t alignment) {
  slot_bytes_ += size + alignment;
  check_frame(slot_bytes_, "the parameters of calls");
  function_.call_slots.push_back({std::string(name), size, alignment, 0});
  return static_cast<std::uint32_t>(function_.call_slots.size() - 1);
}

void FunctionBuilder::declare_call_slot(std::string_view name, std::uint32_t size,
                                        std::uint32_t alignment) {
  check_undeclared(name);
  std::uint32_t index = kNoId;
  // Each call sequence declares param0, param1 … in a scope of its own; one place in the frame
  // serves them all.
  auto [first, last] = closed_slots_.equal_range(std::string(name));
  for (auto entry = first; entry != last; ++entry) {
    const kernel::Slot& slot = function_.call_slots[entry->second];
    if (slot.size != size || slot.alignment != alignment) continue;
    index = entry->second;
    closed_slots_.erase(entry);
    break;
  }
  if (index == kNoId) index = add_call_slot(name, size, alignment);
  scopes_.back().call_slots.push_back(index);
  scopes_.back().names.emplace(name, Operand::symbol_address(SymbolKind::kCallSlot, index));
}

void FunctionBuilder::declare_local(std::string_view name, std::uint64_t size,
                                    std::uint32_t alignment) {
  check_undeclared(name);
  check_frame(size, "the local variables");
  local_bytes_ += size + alignment;
  check_frame(local_bytes_, "the local variables");
  const auto index = static_cast<std::uint32_t>(function_.locals.size());
  function_.locals.push_back({std::string(name), static_cast<std::uint32_t>(size), alignment, 0});
  scopes_.back().names.emplace(name, Operand::symbol_address(SymbolKind::kLocal, index));
}

void FunctionBuilder::declare_symbol(std::string_view name, const Operand& symbol) {
  check_undeclared(name);
  scopes_.back().names.emplace(name, symbol);
}

std::optional<Operand> FunctionBuilder::find_in_ranges(Scope& scope, std::string_view name) {
  std::string_view prefix;
  std::uint32_t number = 0;
  if (scope.ranges.empty() || !split_numbered_name(name, prefix, number)) return std::nullopt;
  for (const RegisterRange& range : scope.ranges) {
    if (range.prefix != prefix || number >= range.count) continue;
    const Operand operand = Operand::reg(add_register(name, range.type));
    scope.names.emplace(name, operand);
    return operand;
  }
  return std::nullopt;
}

std::optional<Operand> FunctionBuilder::find(std::string_view name) {
  for (Scope& scope : std::views::reverse(scopes_)) {
    const auto found = scope.names.find(name);
    if (found != scope.names.end()) return found->second;
    if (const auto in_range = find_in_ranges(scope, name)) return in_range;
  }
  if (const ModuleSymbol* symbol = context_.find_symbol(name)) {
    return Operand::symbol_address(symbol->kind, symbol->index);
  }
  return std::nullopt;
}

kernel::RegisterId FunctionBuilder::carry_flag() {
  if (carry_ == kNoId) carry_ = add_register("carry", Type::kPred);
  return carry_;
}

void FunctionBuilder::append(Instruction instruction, std::uint32_t line) {
  instruction.location = location_;
  code_.instructions.push_back(std::move(instruction));
  code_.lines.push_back(line);
}

void FunctionBuilder::define_label(std::string_view name) {
  const auto id = static_cast<LabelId>(code_.labels.size());
  if (!scopes_.back().labels.emplace(name, id).second)
    context_.fail("the label " + quoted(name) + " is defined twice");
  code_.labels.push_back({name, static_cast<std::uint32_t>(code_.instructions.size()), false});
}

LabelUseId FunctionBuilder::use_label(std::string_view name, std::uint32_t line) {
  const auto id = static_cast<LabelUseId>(uses_.size());
  uses_.push_back({name, line, location_, kNoId});
  scopes_.back().open_uses.push_back(id);
  return id;
}

void FunctionBuilder::add_branch_table(std::string_view name, std::vector<LabelUseId> uses) {
  if (!tables_.emplace(name, std::move(uses)).second) {
    context_.fail("the branch targets " + quoted(name) + " are defined twice");
  }
}

void FunctionBuilder::use_branch_table(std::string_view name, std::uint32_t line) {
  table_uses_.push_back(
      {name, line, location_, static_cast<std::uint32_t>(code_.instructions.size())});
}

std::optional<std::uint32_t> FunctionBuilder::find_prototype(std::string_view name) const {
  const auto found = prototypes_.find(name);
  if (found == prototypes_.end()) return std::nullopt;
  return found->second;
}

void FunctionBuilder::set_location(std::uint32_t location, std::uint32_t line) {
  if (line != 0) location_ = location;  // line 0 means "no line": what was in force stays
  if (function_.location == 0) function_.location = location_;
}

void FunctionBuilder::resolve_labels() {
  const Scope& scope = scopes_.front();
  for (const LabelUseId id : scope.open_uses) {
    LabelUse& use = uses_[id];
    const auto found = scope.labels.find(use.name);
    if (found == scope.labels.end()) {
      context_.fail_at_location(use.line, use.location, "unknown label " + quoted(use.name));
    }
    use.label = found->second;
  }
  for (const LabelUse& use : uses_) code_.labels[use.label].is_target = true;
}

void FunctionBuilder::resolve_branch_tables() {
  for (const TableUse& use : table_uses_) {
    const auto found = tables_.find(use.name);
    if (found == tables_.end()) {
      context_.fail_at_location(use.line, use.location,
                                "unknown branch targets " + quoted(use.name));
    }
    code_.instructions[use.instruction].targets = found->second;
  }
}

// What stands before the first .loc belongs to the function's own line.
void FunctionBuilder::locate_first_instructions() {
  for (Instruction& instruction : code_.instructions) {
    if (instruction.location != 0) return;
    instruction.location = function_.location;
  }
}

// Control that falls off the end of a function returns.
void FunctionBuilder::end_with_return() {
  const auto end = static_cast<std::uint32_t>(code_.instructions.size());
  const bool end_is_target =
      std::any_of(code_.labels.begin(), code_.labels.end(),
                  [&](const Label& label) { return label.is_target && label.position == end; });
  const bool ended = end > 0 && kernel::ends_block(code_.instructions.back()) &&
                     !code_.instructions.back().guard.present();
  if (ended && !end_is_target) return;
  Instruction instruction;
  instruction.opcode = Opcode::kRet;
  append(std::move(instruction), context_.token().line);
}

std::string FunctionBuilder::block_label(std::uint32_t block, std::uint32_t position) const {
  const auto by_position = [](const Label& label, std::uint32_t wanted) {
    return label.position < wanted;
  };
  auto label = std::lower_bound(code_.labels.begin(), code_.labels.end(), position, by_position);
  std::string_view name;
  for (; label != code_.labels.end() && label->position == position; ++label) {
    if (label->is_target) return std::string(label->name);
    if (name.empty() && !is_debug_label(label->name)) name = label->name;
  }
  if (!name.empty()) return std::string(name);
  return block == 0 ? "entry" : "bb" + std::to_string(block);
}

void FunctionBuilder::cut_into_blocks() {
  const std::size_t count = code_.instructions.size();
  std::vector<bool> starts(count + 1, false);
  starts[0] = true;
  for (const Label& label : code_.labels) {
    if (label.is_target) starts[label.position] = true;
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (kernel::ends_block(code_.instructions[i])) starts[i + 1] = true;
  }
  std::vector<kernel::BlockId> block_at(count + 1, 0);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (starts[i]) {
      const auto block = static_cast<std::uint32_t>(function_.blocks.size());
      function_.blocks.push_back({block_label(block, i), {}});
    }
    block_at[i] = static_cast<kernel::BlockId>(function_.blocks.size() - 1);
    function_.blocks.back().instructions.push_back(std::move(code_.instructions[i]));
  }
  for (kernel::Block& block : function_.blocks) {
    for (kernel::BlockId& target : block.instructions.back().targets) {
      target = block_at[code_.labels[uses_[target].label].position];
    }
  }
}

kernel::Function FunctionBuilder::finish(std::vector<Label>& labels) {
  resolve_labels();
  resolve_branch_tables();
  locate_first_instructions();
  convert_inter_thread_calls(context_, function_, code_);
  end_with_return();
  cut_into_blocks();
  kernel::separate_channel_instances(function_);
  kernel::assign_offsets(function_);
  labels = std::move(code_.labels);
  return std::move(function_);
}

}  // namespace raddle::ptx
