#include "machine/cgra/compile/value_facts.h"

#include <algorithm>
#include <utility>

#include "kernel/analysis/def_use.h"
#include "kernel/special_registers.h"
#include "machine/cgra/compile/unit_table.h"

namespace raddle::machine::cgra {

using kernel::Instruction;
using kernel::Opcode;
using kernel::OpcodeGroup;
using kernel::Operand;
using kernel::RegisterId;
using kernel::Space;

namespace {

// Kernel parameters at a place that is known.
bool is_parameter_load(const Instruction& instruction) {
  return instruction.opcode == Opcode::kLd && instruction.space == Space::kParam &&
         instruction.sources[0].kind == Operand::Kind::kSymbol;
}

// Constant memory at a place that is known: nothing changes it while a kernel runs.
bool is_constant_load(const Instruction& instruction, const kernel::Module& module) {
  if (instruction.opcode != Opcode::kLd || instruction.space != Space::kConst) return false;
  const Operand& place = instruction.sources[0];
  if (place.kind != Operand::Kind::kSymbol || place.symbol != kernel::SymbolKind::kVariable ||
      place.index >= module.variables.size())
    return false;
  const kernel::Variable& variable = module.variables[place.index];
  const std::uint64_t first = place.bits + static_cast<std::uint64_t>(instruction.offset);
  const auto bytes = static_cast<std::uint64_t>(kernel::size_of(instruction.type));
  return first < variable.size && bytes <= variable.size - first;
}

bool takes_control_unit(const Instruction& instruction) {
  return unit_need(instruction, {}).unit == UnitClass::kControl;
}

}  // namespace

bool follows_from_operands(const Instruction& instruction) {
  switch (group_of(instruction.opcode)) {
    case OpcodeGroup::kMove: return instruction.opcode != Opcode::kPhi;
    case OpcodeGroup::kConvert:
    case OpcodeGroup::kArithmetic:
    case OpcodeGroup::kSpecial:
    case OpcodeGroup::kCompare:
    case OpcodeGroup::kLogic: return true;
    default: return false;
  }
}

bool is_wire(const Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::kMov:
      return instruction.sources[0].kind != Operand::Kind::kSpecial ||
             !is_clock(instruction.sources[0].special);
    // Global and generic addresses are the same; windows of the other spaces are added by the unit
    // that uses the address.
    case Opcode::kCvta: return true;
    // Bits are left out, or more of them are zero or copies of the sign.
    case Opcode::kCvt:
      return !kernel::is_float(instruction.type) && !kernel::is_float(instruction.source_type) &&
             !instruction.saturate;
    // Whoever takes a predicate can take its opposite.
    case Opcode::kNot: return instruction.type == kernel::Type::kPred;
    default: return false;
  }
}

ValueFacts::ValueFacts(const kernel::Function& ssa, const kernel::Module& module,
                       const RecomputeLimit& recompute, std::vector<bool> uniform,
                       TurnCounters turns)
    : ssa_(&ssa),
      module_(&module),
      recompute_(recompute),
      uniform_(std::move(uniform)),
      turns_(std::move(turns)),
      turning_(ssa.registers.size(), false),
      definitions_(ssa.registers.size()),
      kinds_(ssa.registers.size(), ValueKind::kUndefined),
      operations_(ssa.registers.size(), 0),
      visited_(ssa.registers.size(), 0) {
  uniform_.resize(ssa.registers.size());
  for (std::size_t b = 0; b < ssa.blocks.size(); ++b) {
    const auto& code = ssa.blocks[b].instructions;
    for (std::size_t i = 0; i < code.size(); ++i) {
      kernel::for_each_def(code[i], [&](RegisterId value) {
        // Where there are several writers, the phi stands for the value.
        if (kinds_[value] != ValueKind::kUndefined && !kernel::is_phi(code[i])) return;
        definitions_[value] = {static_cast<kernel::BlockId>(b), static_cast<std::uint32_t>(i)};
        kinds_[value] = ValueKind::kComputed;
      });
    }
  }
  for (RegisterId value = 0; value < ssa.registers.size(); ++value) {
    if (kinds_[value] != ValueKind::kUndefined) classify(value);
  }
  // Other threads may ask for what is sent to them in a later piece.
  for (const kernel::Block& block : ssa.blocks) {
    for (const Instruction& i : block.instructions) {
      if (i.opcode != Opcode::kItTag || !i.sources[0].is_register()) continue;
      ValueKind& kind = kinds_[i.sources[0].index];
      if (kind == ValueKind::kCheap || kind == ValueKind::kCoordinate) kind = ValueKind::kComputed;
    }
  }
}

void ValueFacts::classify(RegisterId value) {
  if (visited_[value] != 0) return;
  visited_[value] = 1;
  const Instruction& i = instruction(value);
  // Several results of one instruction would have to be computed again together.
  if (i.destinations.size() != 1) return;
  if (is_parameter_load(i) || is_constant_load(i, *module_)) {
    kinds_[value] = ValueKind::kConstant;
    constants_.push_back(value);
    return;
  }
  if (!follows_from_operands(i)) return;
  bool constant = true, turning = false;
  const bool is_free = is_wire(i) || uniform_[value];
  bool cheap = recompute_.control || is_free || !takes_control_unit(i);
  std::uint32_t operations = is_free ? 0 : 1;
  for (const Operand& source : i.sources) {
    if (source.kind == Operand::Kind::kSpecial) {
      if (is_clock(source.special)) return;
      constant = constant && is_launch_constant(source.special);
    } else if (source.is_register()) {
      if (!defined(source.index)) continue;
      classify(source.index);
      const ValueKind kind = kinds_[source.index];
      constant = constant && kind == ValueKind::kConstant;
      const bool counts = turns_.counts_for(source.index, definitions_[value].block);
      turning = turning || counts || turning_[source.index];
      cheap = cheap && (counts || kind != ValueKind::kComputed);
      operations += operations_[source.index];
    }
  }
  if (turning && (value >= turns_.stays.size() || !turns_.stays[value])) return;
  turning_[value] = turning;
  if (constant) {
    kinds_[value] = ValueKind::kConstant;
    constants_.push_back(value);
  } else if (cheap && operations == 0) {
    kinds_[value] = ValueKind::kCoordinate;
  } else if (cheap && operations <= recompute_.operations) {
    kinds_[value] = ValueKind::kCheap;
    operations_[value] = operations;
  }
}

}  // namespace raddle::machine::cgra
