// call: direct and indirect, with arguments in .param variables as compilers write them, or in
// registers as PTX of the first generations has them (then the slots are made here).
#include "lang/ptx/instruction_parser.h"

namespace raddle::ptx {
namespace {

using kernel::Instruction;
using kernel::Opcode;
using kernel::Operand;
using kernel::SymbolKind;
using kernel::Type;
using Kind = RawOperand::Kind;

bool is_call_slot(const RawOperand& raw) {
  return raw.kind == Kind::kSymbol && raw.value.symbol == SymbolKind::kCallSlot &&
         raw.value.bits == 0;
}

Type bits_of_size(std::uint32_t bytes) {
  switch (bytes) {
    case 1: return Type::kB8;
    case 2: return Type::kB16;
    case 4: return Type::kB32;
    case 8: return Type::kB64;
    default: return Type::kNone;
  }
}

std::string count_of(std::size_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

}  // namespace

// call{.uni} [(returns),] function [, (arguments)] [, prototype];
void InstructionParser::parse_call(Reading& reading) {
  operands_.clear();
  std::vector<RawOperand> returns;
  if (context_.token().is('(')) {
    returns = parse_call_list(reading);
    context_.expect(',');
  }
  const std::string_view name = context_.expect_word("a function");
  bool is_indirect = false;
  Callee callee = find_callee(reading, name, is_indirect);
  std::vector<RawOperand> arguments;
  bool has_prototype = false;
  while (context_.accept(',')) {
    if (context_.token().is('(')) {
      arguments = parse_call_list(reading);
    } else if (is_indirect && !has_prototype) {
      callee = find_prototype(reading);
      has_prototype = true;
    } else {
      context_.fail_expected("'(' and the arguments of the call");
    }
  }
  context_.expect(';');
  if (is_indirect && !has_prototype) reading.binder.fail("an indirect call needs a prototype");
  if (arguments.size() != callee.parameters.size()) {
    reading.binder.fail(
        quoted(callee.name) + " takes " + count_of(callee.parameters.size(), "argument") + ", " +
        std::to_string(arguments.size()) + (arguments.size() == 1 ? " is given" : " are given"));
  }
  if (returns.size() != callee.return_values.size()) {
    reading.binder.fail(
        quoted(callee.name) + " returns " + count_of(callee.return_values.size(), "value") + ", " +
        std::to_string(returns.size()) + (returns.size() == 1 ? " is taken" : " are taken"));
  }
  pass_arguments(reading, callee, arguments);

  const std::vector<Instruction> loads = take_results(reading, callee, returns);
  finish(reading);
  for (const Instruction& load : loads) reading.builder.append(load, reading.line);
}

// Names the return slots; what is to be in a register is loaded after the call.
std::vector<Instruction> InstructionParser::take_results(Reading& reading, const Callee& callee,
                                                         std::span<const RawOperand> returns) {
  std::vector<Instruction> loads;
  for (std::size_t i = 0; i < returns.size(); ++i) {
    if (is_call_slot(returns[i])) {
      reading.instruction.call.returns.push_back(returns[i].value.index);
      continue;
    }
    const kernel::Slot& slot = callee.return_values[i];
    const Type type = bits_of_size(slot.size);
    if (type == Type::kNone) {
      reading.binder.fail("a value of " + count_of(slot.size, "byte") +
                          " cannot be returned in a register");
    }
    const std::uint32_t index = reading.builder.add_call_slot("result", slot.size, slot.alignment);
    reading.instruction.call.returns.push_back(index);
    Instruction load = related(reading, Opcode::kLd, type);
    load.space = kernel::Space::kParam;
    load.destinations = {
        reading.binder.destination(returns[i], type, OperandBinder::Width::kAtLeast)};
    load.sources = {Operand::symbol_address(SymbolKind::kCallSlot, index)};
    if (load.destinations[0].is_register()) loads.push_back(std::move(load));
  }
  return loads;
}

std::vector<RawOperand> InstructionParser::parse_call_list(Reading& reading) {
  std::vector<RawOperand> list;
  context_.expect('(');
  if (context_.accept(')')) return list;
  do {
    list.push_back(operands_.parse(reading.builder));
  } while (context_.accept(','));
  context_.expect(')');
  return list;
}

InstructionParser::Callee InstructionParser::find_callee(Reading& reading, std::string_view name,
                                                         bool& is_indirect) {
  const auto found = reading.builder.find(name);
  if (!found) reading.binder.fail("unknown function " + quoted(name));
  reading.instruction.sources = {*found};
  if (found->is_register()) {
    is_indirect = true;
    if (kernel::size_of(reading.builder.type_of(found->index)) != 8) {
      reading.binder.fail(quoted(name) + " cannot hold the address of a function");
    }
    return {};
  }
  if (found->symbol != SymbolKind::kFunction)
    reading.binder.fail(quoted(name) + " is not a function");
  const kernel::Function& function = context_.module.functions[found->index];
  if (function.is_entry) reading.binder.fail(quoted(name) + " is a kernel and cannot be called");
  return {function.name, function.parameters, function.return_values};
}

InstructionParser::Callee InstructionParser::find_prototype(Reading& reading) {
  const std::string_view name = context_.expect_word("a prototype");
  const auto index = reading.builder.find_prototype(name);
  if (!index) reading.binder.fail("unknown prototype " + quoted(name));
  reading.instruction.call.prototype = *index;
  const kernel::Prototype& prototype = context_.module.prototypes[*index];
  return {prototype.name, prototype.parameters, prototype.return_values};
}

void InstructionParser::pass_arguments(Reading& reading, const Callee& callee,
                                       std::span<const RawOperand> arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::uint32_t slot = is_call_slot(arguments[i])
                                   ? arguments[i].value.index
                                   : pass_value(reading, callee.parameters[i], arguments[i]);
    reading.instruction.call.arguments.push_back(slot);
  }
}

// An argument in a register, or a number.
std::uint32_t InstructionParser::pass_value(Reading& reading, const kernel::Slot& parameter,
                                            const RawOperand& value) {
  Instruction store = related(reading, Opcode::kSt, bits_of_size(parameter.size));
  const bool is_value =
      value.kind == Kind::kRegister || value.kind == Kind::kSpecial || value.is_number();
  if (store.type == Type::kNone || !is_value) {
    reading.binder.fail(
        "an argument of a call must be a .param variable of this scope, a register or a number");
  }
  store.space = kernel::Space::kParam;
  const std::uint32_t slot =
      reading.builder.add_call_slot("argument", parameter.size, parameter.alignment);
  store.sources = {Operand::symbol_address(SymbolKind::kCallSlot, slot),
                   reading.binder.source(value, store.type, OperandBinder::Width::kAtLeast)};
  reading.builder.append(std::move(store), reading.line);
  return slot;
}

}  // namespace raddle::ptx
