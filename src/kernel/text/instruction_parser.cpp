// The part of FunctionParser that reads one instruction.
#include <fmt/format.h>

#include <limits>
#include <optional>

#include "kernel/operand_rules.h"
#include "kernel/text/function_parser.h"
#include "kernel/text/modifiers.h"

namespace raddle::kernel {
namespace {

std::vector<std::string> split_at_dots(std::string_view text) {
  std::vector<std::string> words;
  while (true) {
    const std::size_t dot = text.find('.');
    words.emplace_back(text.substr(0, dot));
    if (dot == std::string_view::npos) return words;
    text.remove_prefix(dot + 1);
  }
}

std::string join(const std::vector<std::string>& words, std::size_t begin, std::size_t end) {
  std::string text;
  for (std::size_t i = begin; i < end; ++i) text += (i > begin ? "." : "") + words[i];
  return text;
}

std::optional<ModifierField> field_from_name(std::string_view name) {
  for (int i = 0; i < kModifierFields; ++i) {
    if (modifier_field_name(static_cast<ModifierField>(i)) == name)
      return static_cast<ModifierField>(i);
  }
  return std::nullopt;
}

}  // namespace

Instruction FunctionParser::parse_instruction() {
  Instruction instruction;
  pending_immediates_.clear();
  parse_guard(instruction);
  if (cursor_.at('%') || cursor_.at('!') || cursor_.at_word("_")) {
    do {
      instruction.destinations.push_back(parse_operand(0));
      if (!pending_immediates_.empty()) cursor_.fail("a result must be a register or '_'");
    } while (cursor_.accept(','));
    cursor_.expect('=');
  }
  parse_mnemonic(instruction);
  parse_sources(instruction);
  if (instruction.opcode == Opcode::kCall) {
    parse_call(instruction);
  } else {
    parse_targets(instruction);
  }
  if (cursor_.at('{')) parse_attributes(instruction);
  finish_immediates(instruction);
  if (cursor_.accept('!')) {
    cursor_.expect_word("loc");
    instruction.location = locations_.read(cursor_);
  }
  cursor_.expect_line_end();
  return instruction;
}

void FunctionParser::parse_guard(Instruction& instruction) {
  if (!cursor_.accept('@')) return;
  instruction.guard.negated = cursor_.accept('!');
  const Token& token = cursor_.peek();
  const Operand guard = parse_register_or_special();
  if (!guard.is_register()) cursor_.fail_at(token, "a guard must be a register");
  instruction.guard.predicate = guard.index;
}

void FunctionParser::parse_mnemonic(Instruction& instruction) {
  const Token& token = cursor_.peek();
  const std::string text = cursor_.expect_word_text("an instruction");
  std::vector<std::string> words = split_at_dots(text);
  // Some opcodes have dots of their own: the longest name counts.
  for (std::size_t length = words.size(); length > 0; --length) {
    const auto opcode = opcode_from_name(join(words, 0, length));
    if (!opcode) continue;
    instruction.opcode = *opcode;
    words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(length));
    parse_modifiers(instruction, token, std::move(words));
    return;
  }
  cursor_.fail_at(token, fmt::format("unknown instruction '{}'", text));
}

void FunctionParser::parse_modifiers(Instruction& instruction, const Token& token,
                                     std::vector<std::string> words) {
  for (std::size_t i = 0; i < words.size();) {
    std::optional<ModifierMatch> match;
    std::size_t length = 2;  // "red.popc" and its like are one modifier
    if (i + 1 < words.size()) match = find_modifier(instruction.opcode, join(words, i, i + 2));
    if (!match) {
      length = 1;
      match = find_modifier(instruction.opcode, words[i]);
    }
    if (match) {
      if (modifier(instruction, match->field) != 0) {
        cursor_.fail_at(token,
                        fmt::format("'.{}' conflicts with another {} modifier",
                                    join(words, i, i + length), modifier_field_name(match->field)));
      }
      set_modifier(instruction, match->field, match->value);
    } else if (const auto type = type_from_name(words[i]); type && *type != Type::kNone) {
      if (instruction.type == Type::kNone) {
        instruction.type = *type;
      } else if (instruction.source_type == Type::kNone) {
        instruction.source_type = *type;
      } else {
        cursor_.fail_at(token, fmt::format("'.{}' is a third type", words[i]));
      }
    } else {
      cursor_.fail_at(
          token, fmt::format("{} has no modifier '.{}'", name_of(instruction.opcode), words[i]));
    }
    i += length;
  }
}

void FunctionParser::parse_sources(Instruction& instruction) {
  const auto at_end = [&] {
    const bool location = cursor_.at('!') && cursor_.at_word("loc", 1);
    const bool arrow = cursor_.at('-') && cursor_.at('>', 1);
    return cursor_.at_line_end() || cursor_.at('{') || location || arrow;
  };
  if (at_end()) return;
  if (instruction.opcode == Opcode::kBra && cursor_.at_key()) return;  // its label
  do {
    const std::size_t index = instruction.sources.size();
    if (cursor_.at('[')) {
      const bool first = takes_address(instruction.opcode) && index == 0;
      const bool second = instruction.opcode == Opcode::kCpAsync && index == 1;
      if (!first && !second) {
        cursor_.fail(fmt::format("operand {} of {} is not an address", index + 1,
                                 name_of(instruction.opcode)));
      }
      instruction.sources.push_back(parse_address(instruction, first));
    } else {
      instruction.sources.push_back(parse_operand(index));
    }
  } while (cursor_.accept(','));
}

Operand FunctionParser::parse_address(Instruction& instruction, bool with_offset) {
  cursor_.expect('[');
  Operand base;
  if (cursor_.accept('(')) {
    base = parse_symbol();
    base.bits = static_cast<std::uint64_t>(cursor_.read_offset());
    cursor_.expect(')');
  } else if (cursor_.at('@') || (cursor_.at_key() && !cursor_.at_word("_"))) {
    base = parse_symbol();
  } else {
    base = parse_operand(instruction.sources.size());
  }
  if (with_offset) instruction.offset = cursor_.read_offset();
  cursor_.expect(']');
  return base;
}

Operand FunctionParser::parse_operand(std::size_t source_index) {
  const bool negated = cursor_.accept('!');
  Operand operand;
  if (cursor_.at('%')) {
    operand = parse_register_or_special();
  } else if (cursor_.at_word("_") &&
             !(cursor_.at('#', 1) && cursor_.peek(1).begin == cursor_.peek().end)) {
    cursor_.take();
  } else if (cursor_.at('-') || cursor_.peek().kind == TokenKind::kNumber) {
    const bool negative = cursor_.accept('-');
    if (cursor_.peek().kind != TokenKind::kNumber) cursor_.fail_expected("a number");
    pending_immediates_.push_back({cursor_.position(), source_index, negative});
    cursor_.take();
    operand.kind = Operand::Kind::kImmediate;
  } else if (cursor_.at('@') || cursor_.at_key()) {
    operand = parse_symbol();
    operand.bits = static_cast<std::uint64_t>(
        cursor_.at('-') && cursor_.at('>', 1) ? 0 : cursor_.read_offset());
  } else {
    cursor_.fail_expected("an operand");
  }
  operand.negated = negated;
  return operand;
}

Operand FunctionParser::parse_register_or_special() {
  cursor_.expect('%');
  const Token& token = cursor_.peek();
  const NameKey key = cursor_.expect_key("a register's name");
  if (key.number == NameKey::kNoNumber) {
    if (const auto special = special_register_from_name(key.name))
      return Operand::special_register(*special);
  }
  const auto found = registers_.find(key);
  if (found == registers_.end())
    cursor_.fail_at(token, fmt::format("register %{} is not declared", key.text()));
  return Operand::reg(found->second);
}

Operand FunctionParser::parse_symbol() {
  const Token& token = cursor_.peek();
  const bool of_module = cursor_.accept('@');
  const NameKey key = cursor_.expect_key("a name");
  const auto& table = of_module ? module_.symbols : slots_;
  const auto found = table.find(key);
  if (found == table.end()) {
    cursor_.fail_at(token, fmt::format("{}{} is not declared", of_module ? "@" : "", key.text()));
  }
  return Operand::symbol_address(found->second.kind, found->second.index);
}

// The type of an immediate can depend on how many operands there are, so they are read last.
void FunctionParser::finish_immediates(Instruction& instruction) {
  for (const PendingImmediate& pending : pending_immediates_) {
    const bool in_address = takes_address(instruction.opcode) && pending.source == 0;
    const Type type = in_address ? Type::kNone : source_type(instruction, pending.source);
    const std::size_t here = cursor_.position();
    cursor_.go_to(pending.token);
    const Token& token = cursor_.peek();
    const auto bits = parse_immediate(token.text, pending.negative, type);
    if (!bits)
      cursor_.fail(fmt::format("'{}' is not a number of type {}", token.text, name_of(type)));
    cursor_.go_to(here);
    instruction.sources[pending.source].bits = *bits;
  }
}

void FunctionParser::parse_targets(Instruction& instruction) {
  if (cursor_.at('-') && cursor_.at('>', 1)) {
    cursor_.take();
    cursor_.take();
  } else if (instruction.opcode != Opcode::kBra || !cursor_.at_key()) {
    return;
  }
  do {
    const std::size_t token = cursor_.position();
    const NameKey key = cursor_.expect_key("a label");
    pending_targets_.push_back({token, static_cast<BlockId>(function_.blocks.size() - 1),
                                function_.blocks.back().instructions.size(),
                                instruction.targets.size(), key});
    instruction.targets.push_back(kNoId);
  } while (cursor_.accept(','));
}

void FunctionParser::parse_call(Instruction& instruction) {
  instruction.call.arguments = parse_call_slots();
  if (cursor_.accept('-')) {
    cursor_.expect('>');
    instruction.call.returns = parse_call_slots();
  }
  if (!cursor_.accept_word("prototype")) return;
  const Token& token = cursor_.peek();
  const NameKey key = cursor_.expect_key("a prototype's name");
  const auto found = module_.prototypes.find(key);
  if (found == module_.prototypes.end()) {
    cursor_.fail_at(token, fmt::format("prototype {} is not declared", key.text()));
  }
  instruction.call.prototype = found->second;
}

std::vector<std::uint32_t> FunctionParser::parse_call_slots() {
  std::vector<std::uint32_t> slots;
  cursor_.expect('(');
  while (!cursor_.accept(')')) {
    if (!slots.empty()) cursor_.expect(',');
    const Token& token = cursor_.peek();
    const NameKey key = cursor_.expect_key("a call slot");
    const auto found = slots_.find(key);
    if (found == slots_.end() || found->second.kind != SymbolKind::kCallSlot) {
      cursor_.fail_at(token, fmt::format("{} is not a call slot", key.text()));
    }
    slots.push_back(found->second.index);
  }
  return slots;
}

void FunctionParser::parse_attributes(Instruction& instruction) {
  cursor_.expect('{');
  do parse_attribute(instruction);
  while (cursor_.accept(','));
  cursor_.expect('}');
}

void FunctionParser::parse_attribute(Instruction& instruction) {
  const Token& token = cursor_.peek();
  const std::string name = cursor_.expect_word_text("a property");
  cursor_.expect('=');
  if (name == "channel") {
    instruction.inter_thread.channel = cursor_.expect_u32("a channel");
  } else if (name == "window") {
    instruction.inter_thread.window = cursor_.expect_u32("a window");
  } else if (name == "delta") {
    cursor_.expect('(');
    for (std::size_t i = 0; i < 3; ++i) {
      if (i > 0) cursor_.expect(',');
      instruction.inter_thread.delta[i] = static_cast<std::int32_t>(
          cursor_.expect_signed("a distance", std::numeric_limits<std::int32_t>::min(),
                                std::numeric_limits<std::int32_t>::max()));
    }
    cursor_.expect(')');
  } else if (name == "offset") {
    instruction.offset =
        cursor_.expect_signed("an offset", std::numeric_limits<std::int64_t>::min(),
                              std::numeric_limits<std::int64_t>::max());
  } else if (name == "source_type") {
    const Token& type_token = cursor_.peek();
    const auto type = type_from_name(cursor_.expect_word_text("a type"));
    if (!type) cursor_.fail_at(type_token, fmt::format("unknown type '{}'", type_token.text));
    instruction.source_type = *type;
  } else if (const auto field = field_from_name(name)) {
    const std::uint64_t largest = modifier_values(*field) - 1u;
    set_modifier(instruction, *field,
                 static_cast<std::uint8_t>(cursor_.expect_integer("a value", largest)));
  } else {
    cursor_.fail_at(token,
                    fmt::format("{} has no property '{}'", name_of(instruction.opcode), name));
  }
}

}  // namespace raddle::kernel
