// Guard, types, number and kind of operands of one instruction: what operand_rules.h says.
#include <fmt/format.h>

#include "kernel/operand_rules.h"
#include "kernel/verify/context.h"

namespace raddle::kernel {
namespace {

// What kinds of type an opcode works on.
enum class TypeClass : std::uint8_t { kAny, kNumber, kInteger, kFloat, kLogical };

TypeClass type_class_of(Opcode opcode) {
  switch (opcode) {
    case Opcode::kFma:
    case Opcode::kRcp:
    case Opcode::kSqrt:
    case Opcode::kRsqrt:
    case Opcode::kSin:
    case Opcode::kCos:
    case Opcode::kLg2:
    case Opcode::kEx2:
    case Opcode::kTanh:
    case Opcode::kTestp:
    case Opcode::kCopysign: return TypeClass::kFloat;
    case Opcode::kMad:
    case Opcode::kMul24:
    case Opcode::kMad24:
    case Opcode::kSad:
    case Opcode::kRem:
    case Opcode::kDp4a:
    case Opcode::kDp2a:
    case Opcode::kCnot:
    case Opcode::kLop3:
    case Opcode::kShl:
    case Opcode::kShr:
    case Opcode::kShf:
    case Opcode::kPopc:
    case Opcode::kClz:
    case Opcode::kBfind:
    case Opcode::kBrev:
    case Opcode::kBfe:
    case Opcode::kBfi:
    case Opcode::kSzext: return TypeClass::kInteger;
    case Opcode::kAdd:
    case Opcode::kSub:
    case Opcode::kMul:
    case Opcode::kDiv:
    case Opcode::kAbs:
    case Opcode::kNeg:
    case Opcode::kMin:
    case Opcode::kMax:
    case Opcode::kCvt:
    case Opcode::kSetp:
    case Opcode::kLd:
    case Opcode::kSt:
    case Opcode::kAtom: return TypeClass::kNumber;
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor:
    case Opcode::kNot: return TypeClass::kLogical;
    default: return TypeClass::kAny;
  }
}

std::string_view describe(TypeClass wanted) {
  switch (wanted) {
    case TypeClass::kNumber: return "a number";
    case TypeClass::kInteger: return "an integer";
    case TypeClass::kFloat: return "floating point";
    case TypeClass::kLogical: return "an integer or a predicate";
    case TypeClass::kAny: break;
  }
  return "anything";
}

bool belongs(Type type, TypeClass wanted) {
  switch (wanted) {
    case TypeClass::kAny: return true;
    case TypeClass::kNumber: return type != Type::kPred;
    case TypeClass::kInteger: return type != Type::kPred && !is_float(type);
    case TypeClass::kFloat: return is_float(type);
    case TypeClass::kLogical: return !is_float(type);
  }
  return true;
}

bool uses_role(Opcode opcode, OperandRole first, OperandRole second) {
  for (const auto rules : {destination_rules(opcode), source_rules(opcode)}) {
    for (const OperandRule& rule : rules) {
      if (rule.role == first || rule.role == second) return true;
    }
  }
  return false;
}

bool may_be_wider(OperandRole role) {
  return role == OperandRole::kData || role == OperandRole::kSourceData;
}

// Roles that take the address of a symbol.
bool takes_symbol(OperandRole role) {
  switch (role) {
    case OperandRole::kMovable:
    case OperandRole::kAddress:
    case OperandRole::kPointer:
    case OperandRole::kHandle:
    case OperandRole::kCoordinate:
    case OperandRole::kCallee: return true;
    default: return false;
  }
}

std::string count_text(std::span<const OperandRule> rules) {
  std::size_t least = 0;
  bool open = false;
  for (const OperandRule& rule : rules) {
    least += rule.optional ? 0 : 1;
    open = open || rule.repeated;
  }
  if (open) return fmt::format("at least {}", least);
  if (least == rules.size()) return fmt::format("{}", least);
  return fmt::format("{} to {}", least, rules.size());
}

std::string plural(std::string_view word, std::string_view count) {
  return fmt::format("{} {}{}", count, word, count == "1" || count.ends_with(" 1") ? "" : "s");
}

std::string_view ordinal_name(bool destination) { return destination ? "destination" : "source"; }

class OperandChecker {
 public:
  OperandChecker(VerifyContext& context, const Instruction& instruction)
      : context_(context), instruction_(instruction), name_(name_of(instruction.opcode)) {}

  OperandVerdict check() {
    check_guard();
    check_types();
    check_operands(true);
    check_operands(false);
    return verdict_;
  }

 private:
  template <typename... Arguments>
  void report(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    context_.report(fmt::format(format, std::forward<Arguments>(arguments)...));
  }

  const std::vector<Register>& registers() const { return context_.function().registers; }

  void check_guard() {
    if (instruction_.location >= context_.module().locations.size()) {
      report("location {} does not exist", instruction_.location);
    }
    if (!instruction_.guard.present()) return;
    const RegisterId guard = instruction_.guard.predicate;
    if (guard >= registers().size()) {
      report("the guard, register {}, does not exist", guard);
      verdict_.sound = false;
    } else if (registers()[guard].type != Type::kPred) {
      report("the guard {} is not a predicate", context_.text().reg(guard));
    }
  }

  void check_types() {
    const Opcode opcode = instruction_.opcode;
    const bool typed = uses_role(opcode, OperandRole::kTyped, OperandRole::kData) ||
                       uses_role(opcode, OperandRole::kWide, OperandRole::kMovable) ||
                       uses_role(opcode, OperandRole::kPart, OperandRole::kPointer);
    if (typed && instruction_.type == Type::kNone) {
      report("{} needs a type", name_);
    } else if (instruction_.type != Type::kNone &&
               !belongs(instruction_.type, type_class_of(opcode))) {
      report("{} works on {}, not on {}", name_, describe(type_class_of(opcode)),
             name_of(instruction_.type));
    }
    const bool second = uses_role(opcode, OperandRole::kSourceTyped, OperandRole::kSourceData);
    if (second && instruction_.source_type == Type::kNone) report("{} needs a second type", name_);
  }

  void check_operands(bool destination) {
    const auto rules =
        destination ? destination_rules(instruction_.opcode) : source_rules(instruction_.opcode);
    const auto& operands = destination ? instruction_.destinations : instruction_.sources;
    std::size_t least = 0;
    for (const OperandRule& rule : rules) least += rule.optional ? 0 : 1;
    const bool too_many =
        operands.size() > rules.size() && rule_at(rules, operands.size() - 1) == nullptr;
    if (operands.size() < least || too_many) {
      report("{} takes {}, not {}", name_, plural(ordinal_name(destination), count_text(rules)),
             operands.size());
      verdict_.counts_fit = false;
    }
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const OperandRule* rule = rule_at(rules, i);
      if (!check_existence(operands[i], destination, i)) {
        verdict_.sound = false;
      } else if (rule != nullptr) {
        check_operand(operands[i], *rule, destination, i);
      }
    }
  }

  bool check_existence(const Operand& operand, bool destination, std::size_t index) {
    if (operand.is_register() && operand.index >= registers().size()) {
      report("{} {}, register {}, does not exist", ordinal_name(destination), index + 1,
             operand.index);
      return false;
    }
    if (operand.kind == Operand::Kind::kSymbol && operand.index >= symbol_count(operand.symbol)) {
      report("{} {}, symbol {}, does not exist", ordinal_name(destination), index + 1,
             operand.index);
      return false;
    }
    return true;
  }

  std::size_t symbol_count(SymbolKind kind) const {
    switch (kind) {
      case SymbolKind::kVariable: return context_.module().variables.size();
      case SymbolKind::kFunction: return context_.module().functions.size();
      case SymbolKind::kLocal: return context_.function().locals.size();
      case SymbolKind::kParameter: return context_.function().parameters.size();
      case SymbolKind::kReturnValue: return context_.function().return_values.size();
      case SymbolKind::kCallSlot: return context_.function().call_slots.size();
    }
    return 0;
  }

  void check_operand(const Operand& operand, const OperandRule& rule, bool destination,
                     std::size_t index) {
    const std::string_view side = ordinal_name(destination);
    if (operand.negated &&
        !(operand.is_register() && registers()[operand.index].type == Type::kPred)) {
      report("{} {} is negated but is not a predicate", side, index + 1);
    }
    if (operand.kind == Operand::Kind::kNone) {
      // PTX writes _ for results that are not wanted.
      if (!destination && !rule.optional) report("source {} is missing", index + 1);
      return;
    }
    if (destination && !operand.is_register()) {
      report("destination {} is not a register", index + 1);
      return;
    }
    switch (operand.kind) {
      case Operand::Kind::kRegister: check_register(operand, rule.role, side, index); break;
      case Operand::Kind::kImmediate: check_immediate(operand, rule.role, index); break;
      case Operand::Kind::kSymbol: check_symbol(operand, rule.role, index); break;
      default:
        if (rule.role == OperandRole::kPredicate || rule.role == OperandRole::kCallee) {
          report("source {} cannot be a special register", index + 1);
        }
        break;
    }
  }

  void check_register(const Operand& operand, OperandRole role, std::string_view side,
                      std::size_t index) {
    const Type held = registers()[operand.index].type;
    const std::string fault = register_fault(role, held);
    if (fault.empty()) return;
    report("{} {} must {}; {} is {}", side, index + 1, fault, context_.text().reg(operand.index),
           name_of(held));
  }

  // What a register of this type would have to be or have; empty if it will do.
  std::string register_fault(OperandRole role, Type held) const {
    const Type wanted = operand_type(instruction_, role);
    if (role == OperandRole::kConstant) return "be a constant";
    if (role == OperandRole::kAddress || role == OperandRole::kCallee) {
      return size_of(held) < 4 ? "have 32 or 64 bits" : "";
    }
    if (role == OperandRole::kCoordinate) return held == Type::kPred ? "be a number" : "";
    if (wanted == Type::kNone || wanted == held) return "";
    if (wanted == Type::kPred || held == Type::kPred) return fmt::format("be {}", name_of(wanted));
    if (may_be_wider(role)) {
      const bool fits = size_of(held) >= size_of(wanted);
      return fits ? "" : fmt::format("have at least {} bits", size_of(wanted) * 8);
    }
    return size_of(held) == size_of(wanted) ? "" : fmt::format("have {} bits", size_of(wanted) * 8);
  }

  void check_immediate(const Operand& operand, OperandRole role, std::size_t index) {
    if (role == OperandRole::kCallee || role == OperandRole::kHandle) {
      report("source {} cannot be a number", index + 1);
      return;
    }
    const Type type = operand_type(instruction_, role);
    if (type == Type::kPred) {
      if (operand.bits > 1) report("source {} must be 0 or 1", index + 1);
      return;
    }
    const int bits = size_of(type) * 8;
    if (bits == 0 || bits == 64) return;
    // Readers may keep negative numbers extended to 64 bits.
    const auto extended = static_cast<std::int64_t>(operand.bits) >> (bits - 1);
    if (operand.bits >> bits != 0 && extended != -1) {
      report("source {}, {:#x}, does not fit {}", index + 1, operand.bits, name_of(type));
    }
  }

  void check_symbol(const Operand& operand, OperandRole role, std::size_t index) {
    const bool is_function = operand.symbol == SymbolKind::kFunction;
    if (!takes_symbol(role)) {
      report("source {} cannot be the address of {}", index + 1, context_.text().symbol(operand));
    } else if (role == OperandRole::kCallee && !is_function) {
      report("{} is not a function", context_.text().symbol(operand));
    } else if (role == OperandRole::kAddress && is_function) {
      report("the function {} is not memory", context_.text().symbol(operand));
    } else if (role == OperandRole::kMovable && size_of(instruction_.type) < 4) {
      report("an address does not fit {}", name_of(instruction_.type));
    }
  }

  VerifyContext& context_;
  const Instruction& instruction_;
  std::string_view name_;
  OperandVerdict verdict_;
};

}  // namespace

OperandVerdict verify_operands(VerifyContext& context, const Instruction& instruction) {
  return OperandChecker(context, instruction).check();
}

}  // namespace raddle::kernel
