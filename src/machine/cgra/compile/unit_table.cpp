#include "machine/cgra/compile/unit_table.h"

namespace raddle::machine::cgra {

using kernel::Instruction;
using kernel::Opcode;
using kernel::OpcodeGroup;
using kernel::Type;

namespace {

UnitNeed arithmetic_need(const Instruction& i, const UnitLatencies& l) {
  const bool is_float = kernel::is_float(i.type);
  const Cycle interval = i.type == Type::kF64 ? l.double_interval : Cycle(1);
  switch (i.opcode) {
    case Opcode::kDiv:
    case Opcode::kRem: return {UnitClass::kSpecial, l.divide, interval};
    case Opcode::kFma: return {UnitClass::kFpu, l.fused, interval};
    case Opcode::kMul:
    case Opcode::kMad:
    case Opcode::kMul24:
    case Opcode::kMad24:
    case Opcode::kDp4a:
    case Opcode::kDp2a:
      return is_float ? UnitNeed{UnitClass::kFpu, l.floating, interval}
                      : UnitNeed{UnitClass::kAlu, l.integer_multiply};
    default:
      return is_float ? UnitNeed{UnitClass::kFpu, l.floating, interval}
                      : UnitNeed{UnitClass::kAlu, l.integer};
  }
}

// Select, bitwise operations and comparisons are the control units' (dmt-cgra, section 4); what
// moves bits to other places needs a shifter, which is the ALUs'.
UnitNeed logic_need(const Instruction& i, const UnitLatencies& l) {
  switch (i.opcode) {
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor:
    case Opcode::kNot:
    case Opcode::kCnot:
    case Opcode::kLop3: return {UnitClass::kControl, l.control};
    default: return {UnitClass::kAlu, l.integer};
  }
}

}  // namespace

UnitNeed unit_need(const Instruction& i, const UnitLatencies& l) {
  switch (group_of(i.opcode)) {
    case OpcodeGroup::kArithmetic: return arithmetic_need(i, l);
    case OpcodeGroup::kSpecial:
      return {UnitClass::kSpecial, l.special, i.type == Type::kF64 ? l.double_interval : Cycle(1)};
    case OpcodeGroup::kLogic: return logic_need(i, l);
    case OpcodeGroup::kConvert:
      if (kernel::is_float(i.type) || kernel::is_float(i.source_type))
        return {UnitClass::kFpu, l.floating};
      return {UnitClass::kAlu, l.integer};
    case OpcodeGroup::kMove:
    case OpcodeGroup::kCompare: return {UnitClass::kControl, l.control};
    default: return {UnitClass::kAlu, l.integer};  // reading a clock
  }
}

}  // namespace raddle::machine::cgra
