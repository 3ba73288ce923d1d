#include "kernel/text/instruction_printer.h"

#include <fmt/format.h>

#include <array>

#include "kernel/operand_rules.h"
#include "kernel/text/lexer.h"
#include "kernel/text/modifiers.h"

namespace raddle::kernel {

std::string with_offset(std::string text, std::int64_t offset) {
  if (offset == 0) return text;
  if (offset > 0) return text + fmt::format("+{}", offset);
  return text + fmt::format("-{}", 0 - static_cast<std::uint64_t>(offset));
}

std::string InstructionPrinter::print(const Instruction& instruction) const {
  std::string text;
  if (instruction.guard.present()) {
    text += fmt::format("@{}{} ", instruction.guard.negated ? "!" : "",
                        function_.reg(instruction.guard.predicate));
  }
  for (std::size_t i = 0; i < instruction.destinations.size(); ++i) {
    const Type type = destination_type(instruction, i);
    text += operand(instruction.destinations[i], type);
    text += i + 1 == instruction.destinations.size() ? " = " : ", ";
  }
  text += mnemonic(instruction);
  text += sources(instruction);
  text += targets(instruction);
  if (instruction.opcode == Opcode::kCall) text += call(instruction.call);
  text += attributes(instruction);
  return text;
}

std::string InstructionPrinter::symbol(const Operand& operand) const {
  switch (operand.symbol) {
    case SymbolKind::kVariable: return module_.variable(operand.index);
    case SymbolKind::kFunction: return module_.function(operand.index);
    default: return function_.slot(operand.symbol, operand.index);
  }
}

std::string InstructionPrinter::mnemonic(const Instruction& instruction) {
  std::string text(name_of(instruction.opcode));
  for (int i = 0; i < kModifierFields; ++i) {
    const auto field = static_cast<ModifierField>(i);
    const std::uint8_t value = modifier(instruction, field);
    if (value == 0 || !is_plain_modifier(field, value, instruction.opcode)) continue;
    text += fmt::format(".{}", modifier_text(field, value));
  }
  if (instruction.type != Type::kNone) {
    text += fmt::format(".{}", name_of(instruction.type));
    if (instruction.source_type != Type::kNone)
      text += fmt::format(".{}", name_of(instruction.source_type));
  }
  return text;
}

std::string InstructionPrinter::operand(const Operand& operand, Type type) const {
  std::string text;
  switch (operand.kind) {
    case Operand::Kind::kNone: return "_";
    case Operand::Kind::kRegister: text = function_.reg(operand.index); break;
    case Operand::Kind::kImmediate: text = format_immediate(operand.bits, type); break;
    case Operand::Kind::kSymbol:
      text = with_offset(symbol(operand), static_cast<std::int64_t>(operand.bits));
      break;
    case Operand::Kind::kSpecial: text = fmt::format("%{}", name_of(operand.special)); break;
  }
  return operand.negated ? "!" + text : text;
}

std::string InstructionPrinter::address(const Operand& base, std::int64_t offset) const {
  std::string text = operand(base, Type::kNone);
  if (base.kind == Operand::Kind::kSymbol && base.bits != 0) text = "(" + text + ")";
  return "[" + with_offset(std::move(text), offset) + "]";
}

std::string InstructionPrinter::sources(const Instruction& instruction) const {
  std::string text;
  for (std::size_t i = 0; i < instruction.sources.size(); ++i) {
    text += i == 0 ? " " : ", ";
    const Operand& source = instruction.sources[i];
    if (takes_address(instruction.opcode) && i == 0) {
      text += address(source, instruction.offset);
    } else if (instruction.opcode == Opcode::kCpAsync && i == 1) {
      text += address(source, 0);
    } else {
      text += operand(source, source_type(instruction, i));
    }
  }
  return text;
}

std::string InstructionPrinter::targets(const Instruction& instruction) const {
  if (instruction.targets.empty()) return {};
  const bool plain = instruction.opcode == Opcode::kBra && instruction.targets.size() == 1 &&
                     instruction.sources.empty();
  std::string text = plain ? " " : " -> ";
  for (std::size_t i = 0; i < instruction.targets.size(); ++i) {
    if (i > 0) text += ", ";
    text += function_.block(instruction.targets[i]);
  }
  return text;
}

std::string InstructionPrinter::call(const CallInfo& call) const {
  std::string text = "(" + slot_list(call.arguments) + ")";
  if (!call.returns.empty()) text += " -> (" + slot_list(call.returns) + ")";
  if (call.prototype != kNoId) text += " prototype " + module_.prototype(call.prototype);
  return text;
}

std::string InstructionPrinter::slot_list(const std::vector<std::uint32_t>& slots) const {
  std::string text;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (i > 0) text += ", ";
    text += function_.slot(SymbolKind::kCallSlot, slots[i]);
  }
  return text;
}

std::string InstructionPrinter::attributes(const Instruction& instruction) {
  std::string text;
  const auto add = [&](std::string_view name, const std::string& value) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", name, value);
  };
  for (int i = 0; i < kModifierFields; ++i) {
    const auto field = static_cast<ModifierField>(i);
    const std::uint8_t value = modifier(instruction, field);
    if (value == 0 || is_plain_modifier(field, value, instruction.opcode)) continue;
    add(modifier_field_name(field), std::to_string(value));
  }
  if (instruction.type == Type::kNone && instruction.source_type != Type::kNone) {
    add("source_type", std::string(name_of(instruction.source_type)));
  }
  const bool offset_shown = takes_address(instruction.opcode) && !instruction.sources.empty();
  if (instruction.offset != 0 && !offset_shown) add("offset", std::to_string(instruction.offset));
  const InterThread& inter_thread = instruction.inter_thread;
  if (inter_thread.channel != 0) add("channel", std::to_string(inter_thread.channel));
  const auto& delta = inter_thread.delta;
  if (delta != std::array<std::int32_t, 3>{})
    add("delta", fmt::format("({}, {}, {})", delta[0], delta[1], delta[2]));
  if (inter_thread.window != 0) add("window", std::to_string(inter_thread.window));
  return text.empty() ? text : " {" + text + "}";
}

}  // namespace raddle::kernel
