#include "lang/ptx/operand_binder.h"

#include <array>
#include <bit>

namespace raddle::ptx {
namespace {

using kernel::Instruction;
using kernel::Opcode;
using kernel::Operand;
using kernel::Type;

using Kind = RawOperand::Kind;

std::string type_name(Type type) { return "." + std::string(kernel::name_of(type)); }

bool is_bits(Type type) { return type == Type::kB32 || type == Type::kB64; }

Type doubled(Type type) {
  switch (type) {
    case Type::kS16: return Type::kS32;
    case Type::kU16: return Type::kU32;
    case Type::kS32: return Type::kS64;
    case Type::kU32: return Type::kU64;
    default: return type;
  }
}

// The type of d and c: twice as wide with .wide.
Type result_type(const Instruction& instruction) {
  return instruction.part == kernel::MultiplyPart::kWide ? doubled(instruction.type)
                                                         : instruction.type;
}

bool is_packed(Type type) { return type == Type::kF16x2 || type == Type::kBF16x2; }

// Whether a letter of a pattern that depends on modifiers stands for an operand here.
bool is_present(char letter, const Instruction& instruction) {
  switch (letter) {
    case 'C': return instruction.combine != kernel::Combine::kNone;
    case 'm': return instruction.synchronised;
    case 's': return instruction.atomic == kernel::AtomicOp::kCompareSwap;
    case 'k': return is_packed(instruction.type) && !is_packed(instruction.source_type);
    default: return true;
  }
}

struct Item {
  char letter;
  bool optional;
};

// The letters that count for this instruction.
struct Pattern {
  std::array<Item, 8> items{};
  std::size_t count = 0;
  std::size_t required = 0;
};

Pattern read_pattern(std::string_view text, const Instruction& instruction) {
  Pattern pattern;
  bool optional = false;
  for (const char letter : text) {
    if (letter == '?') {
      optional = true;
      continue;
    }
    if (is_present(letter, instruction)) {
      pattern.items[pattern.count++] = {letter, optional};
      if (!optional) ++pattern.required;
    }
    optional = false;
  }
  return pattern;
}

}  // namespace

void OperandBinder::fail_type(const std::string& what, Type type) {
  fail(what + " cannot be used where " + quoted(name_) + " expects " + type_name(type));
}

void OperandBinder::check_count(std::size_t given, std::size_t least, std::size_t most) {
  if (given >= least && given <= most) return;
  std::string wanted = std::to_string(least);
  if (most != least) wanted += (most == least + 1 ? " or " : " to ") + std::to_string(most);
  if (most == 0) wanted = "no";
  fail(quoted(name_) + " takes " + wanted + (most == 1 ? " operand, " : " operands, ") +
       std::to_string(given) + (given == 1 ? " is given" : " are given"));
}

void OperandBinder::check_register(const RawOperand& raw, Type type, Width width) {
  const Type held = builder_.type_of(raw.value.index);
  const bool predicates_agree = (held == Type::kPred) == (type == Type::kPred);
  const int held_size = kernel::size_of(held);
  const int size = kernel::size_of(type);
  // There are no 8-bit operations: bytes live in wider registers.
  const bool may_be_wider = width == Width::kAtLeast || size == 1;
  if (predicates_agree && (held_size == size || (may_be_wider && held_size > size))) return;
  fail_type(quoted(raw.text) + " of type " + type_name(held), type);
}

std::uint64_t OperandBinder::number_bits(const RawOperand& raw, Type type) {
  const int size = kernel::size_of(type);
  if (raw.kind == Kind::kInteger) {
    if (type == Type::kPred) return raw.bits != 0 ? 1 : 0;
    if (kernel::is_float(type)) fail_type("an integer", type);
    return size == 8 ? raw.bits : raw.bits & ((std::uint64_t{1} << (size * 8)) - 1);
  }
  const bool single = raw.kind == Kind::kSingle;
  if (is_bits(type) && size == (single ? 4 : 8)) return raw.bits;
  const double value = single ? std::bit_cast<float>(static_cast<std::uint32_t>(raw.bits))
                              : std::bit_cast<double>(raw.bits);
  if (type == Type::kF32)
    return single ? raw.bits : std::bit_cast<std::uint32_t>(static_cast<float>(value));
  if (type == Type::kF64) return std::bit_cast<std::uint64_t>(value);
  fail_type("a floating-point number", type);
}

Operand OperandBinder::move_to_register(const Operand& value, Type type) {
  Instruction move;
  move.opcode = Opcode::kMov;
  move.type = type;
  const Operand moved = Operand::reg(builder_.add_register("moved", type));
  move.destinations = {moved};
  move.sources = {value};
  builder_.append(std::move(move), line_);
  return moved;
}

Operand OperandBinder::source(const RawOperand& raw, Type type, Width width) {
  switch (raw.kind) {
    case Kind::kRegister:
      check_register(raw, type, width);
      if (raw.negated && type != Type::kPred)
        fail(quoted(raw.text) + " is not a predicate and cannot be negated");
      return Operand::reg(raw.value.index, raw.negated);
    case Kind::kInteger:
    case Kind::kSingle:
    case Kind::kDouble: return Operand::immediate(number_bits(raw, type));
    case Kind::kSpecial:
      if (type == Type::kPred) fail_type(quoted(raw.text), type);
      return move_to_register(raw.value, type);
    case Kind::kSymbol:
      if (kernel::size_of(type) < 4 || kernel::is_float(type))
        fail_type("the address of " + quoted(raw.text), type);
      return move_to_register(raw.value, type);
    case Kind::kDiscard: fail("'_' cannot be a source of " + quoted(name_));
    case Kind::kVector: fail_type("a vector", type);
    case Kind::kAddress: fail_type("an address in brackets", type);
    case Kind::kPair: fail_type("a pair of registers", type);
  }
  fail_type(quoted(raw.text), type);
}

Operand OperandBinder::destination(const RawOperand& raw, Type type, Width width) {
  if (raw.kind == Kind::kDiscard) return Operand::none();
  if (raw.kind != Kind::kRegister || raw.negated)
    fail("the destination of " + quoted(name_) + " must be a register");
  check_register(raw, type, width);
  return Operand::reg(raw.value.index);
}

Operand OperandBinder::address_base(const RawOperand& raw) {
  switch (raw.kind) {
    case Kind::kRegister: {
      const int size = kernel::size_of(builder_.type_of(raw.value.index));
      if (size == 4 || size == 8) return Operand::reg(raw.value.index);
      fail(quoted(raw.text) + " of type " + type_name(builder_.type_of(raw.value.index)) +
           " cannot hold an address");
    }
    case Kind::kSymbol: return raw.value;
    case Kind::kInteger: return Operand::immediate(raw.bits);
    default: fail("an address must be a register, a symbol or an integer in " + quoted(name_));
  }
}

void OperandBinder::check_vector(const RawOperand& raw, int count) {
  const int given = raw.kind == Kind::kVector ? static_cast<int>(raw.count) : 1;
  if (given == count && (count == 1 || raw.kind == Kind::kVector)) return;
  fail(quoted(name_) + " moves " + std::to_string(count) +
       (count == 1 ? " element, " : " elements, ") + std::to_string(given) +
       (given == 1 ? " is given" : " are given"));
}

void OperandBinder::sources(const RawOperand& raw, Type type, int count, Instruction& instruction) {
  check_vector(raw, count);
  if (raw.kind != Kind::kVector) {
    instruction.sources.push_back(source(raw, type, Width::kAtLeast));
    return;
  }
  for (const RawOperand& part : parser_.parts(raw)) {
    instruction.sources.push_back(source(part, type, Width::kAtLeast));
  }
}

void OperandBinder::destinations(const RawOperand& raw, Type type, int count,
                                 Instruction& instruction) {
  check_vector(raw, count);
  if (raw.kind != Kind::kVector) {
    instruction.destinations.push_back(destination(raw, type, Width::kAtLeast));
    return;
  }
  for (const RawOperand& part : parser_.parts(raw)) {
    instruction.destinations.push_back(destination(part, type, Width::kAtLeast));
  }
}

std::span<const RawOperand> OperandBinder::address_parts(const RawOperand& raw) {
  if (raw.kind != Kind::kAddress) fail("an address in brackets is missing in " + quoted(name_));
  return parser_.parts(raw);
}

std::uint64_t OperandBinder::constant(const RawOperand& raw) {
  if (raw.kind != Kind::kInteger)
    fail("an operand of " + quoted(name_) + " must be a constant integer");
  return raw.bits;
}

void OperandBinder::bind_destination_pair(const RawOperand& raw, Type type,
                                          Instruction& instruction) {
  if (raw.kind != Kind::kPair) {
    instruction.destinations.push_back(destination(raw, type));
    return;
  }
  const auto parts = parser_.parts(raw);
  instruction.destinations.push_back(destination(parts[0], type));
  instruction.destinations.push_back(destination(parts[1], Type::kPred));
}

void OperandBinder::bind_one(char letter, const RawOperand& raw, const ExtraModifiers& extra,
                             Instruction& instruction) {
  std::vector<Operand>& to = instruction.destinations;
  std::vector<Operand>& from = instruction.sources;
  switch (letter) {
    case 'd': return to.push_back(destination(raw, result_type(instruction)));
    case 'D': return to.push_back(destination(raw, instruction.type, Width::kAtLeast));
    case 'w': return to.push_back(destination(raw, Type::kU32));
    case 'p': return to.push_back(destination(raw, Type::kPred));
    case 'q': return bind_destination_pair(raw, Type::kPred, instruction);
    case 'r': return bind_destination_pair(raw, instruction.type, instruction);
    case 'x': return bind_destination_pair(raw, Type::kU32, instruction);
    case 'v': return destinations(raw, instruction.type, extra.vector, instruction);
    case 'V': return sources(raw, instruction.type, extra.vector, instruction);
    case 'a':
    case 's': return from.push_back(source(raw, instruction.type));
    case 'b': return from.push_back(source(raw, instruction.source_type));
    case 'c': return from.push_back(source(raw, result_type(instruction)));
    case 'e':
    case 'k': return from.push_back(source(raw, instruction.source_type, Width::kAtLeast));
    case 'u':
    case 'm': return from.push_back(source(raw, Type::kU32));
    case 'P':
    case 'C': return from.push_back(source(raw, Type::kPred));
    case 'g': return from.push_back(address_base(raw));
    case 'K': return from.push_back(Operand::immediate(constant(raw) & 0xffffffffu));
    case 'A': {
      const std::span<const RawOperand> parts = address_parts(raw);
      if (parts.size() != 1) fail("an address of " + quoted(name_) + " has one part");
      instruction.offset = raw.offset;
      return from.push_back(address_base(parts[0]));
    }
    default: return;
  }
}

void OperandBinder::bind(const Form& form, const ExtraModifiers& extra, Instruction& instruction) {
  std::span<const RawOperand> raw = parser_.operands();
  const Pattern pattern = read_pattern(form.operands, instruction);
  const std::size_t policy = extra.cache_policy ? 1 : 0;
  check_count(raw.size(), pattern.required + policy, pattern.count + policy);
  if (policy != 0) {
    source(raw.back(),
           Type::kB64);  // how caches should treat the line: no part of what is computed
    raw = raw.first(raw.size() - 1);
  }
  std::size_t spare = raw.size() - pattern.required;
  std::size_t next = 0;
  for (std::size_t i = 0; i < pattern.count; ++i) {
    const Item& item = pattern.items[i];
    if (item.optional && spare == 0) {
      if (next < raw.size()) instruction.sources.push_back(Operand::none());  // others follow it
      continue;
    }
    if (item.optional) --spare;
    bind_one(item.letter, raw[next++], extra, instruction);
  }
  if (instruction.carry_out)
    instruction.destinations.push_back(Operand::reg(builder_.carry_flag()));
  if (instruction.carry_in) instruction.sources.push_back(Operand::reg(builder_.carry_flag()));
}

}  // namespace raddle::ptx
